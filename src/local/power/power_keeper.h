#pragma once
// A process that puts power limits back if the one that set them is killed: `ebb run` has no
// service that would do it. It is in a session of its own, so that what ends `ebb run` does not end
// it too.

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "local/files/attempt_files.h"

namespace ebb::local {

/// Starts such a process for this one: `ebb keep-power DIRECTORY ATTEMPT PID`. It ends with this
/// one.
Status StartPowerKeeper(const AttemptPaths& paths);

/// Waits until the process has ended, and restores the limits in the attempt's file, if there is
/// one.
Status KeepPower(const AttemptPaths& paths, pid_t process, const std::string& nvml_library);

}  // namespace ebb::local
