// Reads any bytes as a record of a journal. They must be refused with a reason, or give a record
// that writes and reads back the same. Run: build/fuzz/bin/journal_json_fuzz -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "engine/journal_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ebb::engine;
  const auto record = FromJsonLine({reinterpret_cast<const char*>(data), size});
  if (!record) {
    EBB_CHECK(!record.error().what.empty());
    return 0;
  }
  const std::string line = ToJsonLine(*record);
  const auto again = FromJsonLine(line);
  EBB_CHECK(again && ToJsonLine(*again) == line);
  return 0;
}
