#pragma once
// A control group (cgroup v2) for one program. The kernel then counts the CPU time of every process
// that the program starts, even if the process detaches itself, changes its parent or is never
// waited for. The group is made below the group of this process if that is permitted. Otherwise Ebb
// uses the process tree (process_tree.h).
//
// A group may be divided if it is the root of a container's or namespace's groups, or if it was
// delegated (systemd: Delegate=yes), which shows in the directory's owner or its mark. Any other
// group on a machine with systemd belongs to systemd, even for root (systemd: "Control Group APIs
// and Delegation", single-writer rule).
//
// The group enables no controller: cpu.stat exists without one (kernel: cgroup-v2, "CPU Interface
// Files"). memory.current exists only if the memory controller is on already.
//
// Not thread-safe, but reading from another thread than the maker's is fine.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ebb::meter {

class Cgroup {
 public:
  /// Makes a group. Returns null if that is not permitted or there is no cgroup v2.
  static std::unique_ptr<Cgroup> Create(const std::string& proc_root = "/proc");
  /// True if Create would be permitted to make a group.
  static bool Permitted(const std::string& proc_root = "/proc");
  /// Removes the group if no process is left in it. Otherwise a later Create removes it.
  ~Cgroup();
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  /// A process enters the group by writing its pid to this file, or 0 for itself.
  std::string procs_file() const { return directory_ + "/cgroup.procs"; }
  const std::string& directory() const { return directory_; }

  /// CPU time of all processes that were ever in the group.
  std::optional<std::chrono::nanoseconds> CpuTime() const;
  std::optional<double> MemoryBytes() const;
  /// Processes of the group that the kernel has killed for want of memory since the group was made;
  /// nullopt if the memory controller is off.
  std::optional<std::int64_t> OomKills() const;
  bool Holds(pid_t pid) const;
  /// All processes in the group, zombies too.
  std::vector<pid_t> Members() const;
  /// Sends the signal to all processes in the group. SIGKILL also reaches processes that are being
  /// started meanwhile.
  void SendSignal(int signal_number) const;
  /// A name that no other group ever has: the group's directory and inode number.
  std::string Identity() const;
  /// All processes in the group with this identity; empty if that group is gone.
  static std::vector<pid_t> MembersOf(const std::string& identity);
  /// Sends SIGKILL to all processes in the group with this identity and to those that they start.
  /// Does nothing if that group is gone.
  static void End(const std::string& identity);

 private:
  explicit Cgroup(std::string directory) : directory_(std::move(directory)) {}
  std::string directory_;
};

}  // namespace ebb::meter
