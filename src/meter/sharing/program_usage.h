#pragma once
// The resources that one program and all processes it started have used so far: measured by its
// control group if it has one (no process escapes that), otherwise by its process tree.
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
  /// `cgroup` may be null; otherwise it must outlive this object.
  ProgramUsage(std::string proc_root, std::vector<pid_t> roots, const Cgroup* cgroup = nullptr);

  struct Look {
    std::chrono::nanoseconds cpu_time{};  ///< CPU time since Start; never decreases
    double resident_bytes = 0;            ///< resident bytes now
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
