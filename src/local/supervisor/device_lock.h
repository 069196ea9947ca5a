#pragma once
// Several services may use one machine, and none knows what another gives to its jobs. So the
// supervisor of an attempt locks each of its GPUs for the whole machine: a file named by the GPU's
// UUID in a folder that all users share (flock(2)). The kernel lets go of it when the supervisor
// ends, however it ends.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace ebb::local {

class DeviceLocks {
 public:
  /// Locks these GPUs; names that are not UUIDs are left out. `holder`: the attempt's folder, for
  /// people and for HolderOf. An Error (kTryLater): somebody else has one of them. Where no file
  /// can be made, nothing is locked.
  static Result<DeviceLocks> Take(const std::vector<std::string>& gpus, const std::string& holder);
  DeviceLocks(DeviceLocks&& other) noexcept : descriptors_(std::move(other.descriptors_)) {
    other.descriptors_.clear();
  }
  DeviceLocks& operator=(DeviceLocks&&) = delete;
  ~DeviceLocks();

 private:
  DeviceLocks() = default;
  std::vector<int> descriptors_;
};

/// The holder of a GPU, as it was given to Take; nothing: nobody has locked it.
std::optional<std::string> HolderOf(const std::string& gpu);

}  // namespace ebb::local
