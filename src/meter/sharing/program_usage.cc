#include "meter/sharing/program_usage.h"

#include <algorithm>

namespace ebb::meter {

ProgramUsage::ProgramUsage(std::string proc_root, std::vector<pid_t> roots, const Cgroup* cgroup)
    : tree_(std::move(proc_root), roots), roots_(std::move(roots)), cgroup_(cgroup) {}

bool ProgramUsage::Start() {
  cpu_time_ = {};
  // The program may have failed to enter the group, and a group that no process ever entered says
  // nothing about it.
  if (cgroup_) {
    const auto inside = [this](pid_t pid) { return cgroup_->Holds(pid); };
    const auto used = cgroup_->CpuTime();
    const bool entered = std::any_of(roots_.begin(), roots_.end(), inside);
    if (!used || (!entered && used->count() == 0)) cgroup_ = nullptr;
  }
  return tree_.Start() || cgroup_;
}

ProgramUsage::Look ProgramUsage::Now() {
  const TreeUsage tree = tree_.Sample();
  Look look{tree.cpu_time, tree.resident_bytes};
  if (cgroup_) {
    if (const auto used = cgroup_->CpuTime()) look.cpu_time = *used;
    if (const auto bytes = cgroup_->MemoryBytes()) look.resident_bytes = *bytes;
  }
  cpu_time_ = look.cpu_time = std::max(cpu_time_, look.cpu_time);
  return look;
}

}  // namespace ebb::meter
