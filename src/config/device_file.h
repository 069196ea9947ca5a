#pragma once
// A user's own device profiles in YAML: in Ebb's form, or Compute Gardener's hardware profiles as
// they are (only the GPUs are read; the rest is for other purposes). Format: docs/devices.md. All
// mistakes of a file are reported together, each with file and line. Pure but for
// LoadDeviceProfiles, which reads a file.

#include <string>
#include <vector>

#include "base/result.h"
#include "core/devices/device_profile.h"

namespace ebb::config {

/// `name` is used in messages and as DeviceProfile::source.
Result<std::vector<core::DeviceProfile>> ParseDeviceProfiles(const std::string& text,
                                                             const std::string& name);
Result<std::vector<core::DeviceProfile>> LoadDeviceProfiles(const std::string& path);

}  // namespace ebb::config
