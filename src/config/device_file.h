#pragma once
// Device profiles of one's own, in YAML: Ebb's own form, or Compute Gardener's hardware profiles as
// they are (its GPUs; the rest of it is for other things and is not looked at). docs/devices.md.
// All mistakes of a file are reported together, each with file and line. Pure but for
// LoadDeviceProfiles, which reads a file.

#include <string>
#include <vector>

#include "base/result.h"
#include "core/device_profile.h"

namespace ebb::config {

/// `name` is for messages, and for DeviceProfile::source.
Result<std::vector<core::DeviceProfile>> ParseDeviceProfiles(const std::string& text,
                                                             const std::string& name);
Result<std::vector<core::DeviceProfile>> LoadDeviceProfiles(const std::string& path);

}  // namespace ebb::config
