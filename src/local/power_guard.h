#pragma once
// The power cap of one attempt. The limits that its GPUs had are written to attempt-N.power before
// they are changed, and put back when it ends; the file is removed when they are. A process that
// finds such a file (the supervisor was killed) restores those limits. Private to local/.

#include <string>
#include <vector>

#include "core/power_cap.h"
#include "local/attempt_files.h"

namespace ebb::local {

class PowerGuard {
 public:
  /// Never fails: if the power cannot be limited, the attempt runs uncapped, and `warnings` says
  /// why.
  PowerGuard(const AttemptPaths& paths, const AttemptPlan& plan, const std::string& nvml_library,
             std::vector<std::string>& warnings);
  PowerGuard(const PowerGuard&) = delete;
  PowerGuard& operator=(const PowerGuard&) = delete;
  ~PowerGuard() { std::ignore = PutBack(); }

  /// Restores the limits. An Error: that failed; the file stays for the next attempt to do so.
  Status PutBack();

 private:
  AttemptPaths paths_;
  std::string nvml_library_;
  bool set_ = false;
};

/// Restores the limits in the attempt's file, and removes it; does nothing if there is no file.
Status RestorePower(const AttemptPaths& paths, const std::string& nvml_library);

}  // namespace ebb::local
