// Fuzz target: any bytes as a file of device profiles are either refused with an Error that names
// the file, or give profiles that are all possible. Run: build/fuzz/bin/device_file_fuzz
// -max_total_time=60
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "config/device_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ebb;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto profiles = config::ParseDeviceProfiles(text, "fuzz.yaml");
  if (!profiles) {
    EBB_CHECK(!profiles.error().what.empty() && !profiles.error().where.empty());
    return 0;
  }
  const core::DeviceProfile found = core::ProfileOf("NVIDIA A100-SXM4-40GB", *profiles);
  const core::RelativeDevice relative = core::RelativeTo(found, core::ProfileOf("T4", *profiles));
  EBB_CHECK(std::isfinite(relative.speed) && relative.speed > 0);
  EBB_CHECK(std::isfinite(relative.power_factor) && relative.power_factor > 0);
  return 0;
}
