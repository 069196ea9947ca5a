// Reads any bytes as the description of a run (run.json, attempt-N.run). The reader must either
// refuse them with an Error that names the file and the fault, or return a description that reads
// back the same after writing. Run: build/fuzz/bin/run_spec_fuzz -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "report/run/run_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ebb::report;
  const auto spec = RunSpecFromJson({reinterpret_cast<const char*>(data), size}, "attempt-1.run");
  if (!spec) {
    EBB_CHECK(!spec.error().what.empty() && !spec.error().where.empty());
    return 0;
  }
  const std::string text = RunSpecToJson(*spec);
  const auto again = RunSpecFromJson(text, "attempt-1.run");
  EBB_CHECK(again && RunSpecToJson(*again) == text);
  return 0;
}
