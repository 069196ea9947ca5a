// Fuzz target: any bytes as a .codecarbon.config are either refused with an Error that names the
// file, or give settings whose keys are in lower case and whose origins are lines of the file. Run:
// build/fuzz/bin/codecarbon_settings_fuzz -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/text.h"
#include "config/codecarbon_settings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto settings = ebb::config::ParseCodeCarbonFile(text, "fuzz");
  if (!settings) {
    EBB_CHECK(settings.error().where.starts_with("fuzz:"));
    return 0;
  }
  for (const auto& [key, setting] : *settings)
    EBB_CHECK(!key.empty() && key == ebb::Lowercase(key) && setting.origin.starts_with("fuzz:"));
  return 0;
}
