#pragma once
// A control group (cgroup v2) of its own for one program: the kernel then counts the CPU time of
// everything the program starts, also of what detaches itself, changes its parent or is never
// waited for. Made below the group of this process where that is permitted; nobody has to permit
// it, a process tree (process_tree.h) does otherwise.
//
// Permitted means: the group is this process's to divide. That is so for the root of a container's
// or namespace's groups, and for a group that was delegated (systemd: Delegate=yes), which shows in
// the directory's owner or its mark. Elsewhere on systemd's machines the tree is systemd's, also
// for root (systemd: "Control Group APIs and Delegation", single-writer rule).
//
// No controller is enabled: cpu.stat is there without (kernel: cgroup-v2, "CPU Interface Files").
// memory.current is only there where the memory controller is on already.
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
  /// Null where it is not permitted or there is no cgroup v2.
  static std::unique_ptr<Cgroup> Create(const std::string& proc_root = "/proc");
  /// Whether Create would be permitted to make one.
  static bool Permitted(const std::string& proc_root = "/proc");
  /// Removes the group, if nothing lives in it any more; else a later Create does.
  ~Cgroup();
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  /// A process enters by writing its pid there, or 0 for itself.
  std::string procs_file() const { return directory_ + "/cgroup.procs"; }
  const std::string& directory() const { return directory_; }

  /// Of everything that was ever in the group.
  std::optional<std::chrono::nanoseconds> CpuTime() const;
  std::optional<double> MemoryBytes() const;
  /// Processes of it that the kernel has killed for want of memory, since it was made. Nothing
  /// where the memory controller is off.
  std::optional<std::int64_t> OomKills() const;
  bool Holds(pid_t pid) const;
  /// Everything that lives in it, zombies too.
  std::vector<pid_t> Members() const;
  /// To everything in it; SIGKILL also to what is being started meanwhile.
  void SendSignal(int signal_number) const;
  /// What tells it from every other group that was or will be made: its directory and number.
  std::string Identity() const;
  /// Everything that lives in the group of this identity; none where that group is gone.
  static std::vector<pid_t> MembersOf(const std::string& identity);
  /// SIGKILL to everything in the group of this identity and what it starts; nothing where that
  /// group is gone.
  static void End(const std::string& identity);

 private:
  explicit Cgroup(std::string directory) : directory_(std::move(directory)) {}
  std::string directory_;
};

}  // namespace ebb::meter
