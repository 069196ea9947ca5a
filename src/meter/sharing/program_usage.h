#pragma once
// What one program and all it started used so far: by its control group where it has one (nothing
// escapes that), else by its process tree.
//
// Not thread-safe.

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "meter/sharing/cgroup.h"
#include "meter/sharing/process_tree.h"

namespace ebb::meter {

class ProgramUsage {
 public:
  /// `cgroup`, if any, must outlive this.
  ProgramUsage(std::string proc_root, std::vector<pid_t> roots, const Cgroup* cgroup = nullptr);

  struct Look {
    std::chrono::nanoseconds cpu_time{};  ///< since Start; never goes back
    double resident_bytes = 0;            ///< now
  };
  /// False if none of the roots can be read.
  bool Start();
  Look Now();

 private:
  ProcessTree tree_;
  std::vector<pid_t> roots_;
  const Cgroup* cgroup_;
  std::chrono::nanoseconds cpu_time_{};
};

}  // namespace ebb::meter
