#pragma once
// The power cap of one attempt. The limits that its GPUs had are written to attempt-N.power before
// they are changed, and put back when it ends; the file is removed when they are. So whoever
// finds such a file (the supervisor was killed) puts back what it says. Private to local/.

#include <string>
#include <vector>

#include "core/power_cap.h"
#include "local/attempt_files.h"

namespace ebb::local {

class PowerGuard {
 public:
  /// Never fails: where the power cannot be limited the attempt runs uncapped, and `warnings` says
  /// why.
  PowerGuard(const AttemptPaths& paths, const AttemptPlan& plan, const std::string& nvml_library,
             std::vector<std::string>& warnings);
  PowerGuard(const PowerGuard&) = delete;
  PowerGuard& operator=(const PowerGuard&) = delete;
  ~PowerGuard() { std::ignore = PutBack(); }

  /// An Error: they could not be put back; the file stays for the next who tries.
  Status PutBack();

 private:
  AttemptPaths paths_;
  std::string nvml_library_;
  bool set_ = false;
};

/// Puts back what the attempt's file says, and removes it; nothing where there is no file.
Status RestorePower(const AttemptPaths& paths, const std::string& nvml_library);

}  // namespace ebb::local
