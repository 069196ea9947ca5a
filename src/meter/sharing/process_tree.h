#pragma once
// CPU time and resident size of processes and all their descendants, from /proc.
//
// The CPU time of a process is its own time plus that of the children that it waited for; a child
// that ends moves from its own account to its parent's. The tree keeps one account per process so
// that the sum is right while that happens:
//  - a process that appeared and ended between two looks is counted through its parent's
//    waited-for time;
//  - time of a child that was already seen is not counted again when the parent waits for it;
//  - a parent that never waits (SIGCHLD ignored) costs what its children used after the last look;
//  - a process that was seen once stays in the tree when it is reparented (daemons).
// The result never goes backwards. Resolution: the kernel's clock tick, 10 ms; for this process
// itself, and for children that it has waited for, a microsecond.
//
// Cost: for each process one stat file and one list of children per thread; if the kernel has no
// such lists (CONFIG_PROC_CHILDREN), one scan of /proc.
//
// Not thread-safe.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ebb::meter {

struct TreeUsage {
  std::chrono::nanoseconds cpu_time{};  ///< since Start
  /// Resident bytes now; pages that processes share count for each of them.
  double resident_bytes = 0;
  int processes = 0;  ///< number of processes now
};

class ProcessTree {
 public:
  ProcessTree(std::string proc_root, std::vector<pid_t> roots);

  /// Sets the base line. False if none of the roots can be read.
  bool Start();
  TreeUsage Sample();

 private:
  using Time = std::chrono::nanoseconds;
  struct Process {
    pid_t pid = 0;
    pid_t parent = 0;
    /// Start time since boot; tells a process from a later one with the same pid.
    std::int64_t start_ticks = 0;
    Time own{};            ///< time used by the process itself
    Time waited{};         ///< time used by children that it waited for
    Time waited_growth{};  ///< growth of `waited` since the previous look, not yet settled
    // Time of ended descendants that was counted while they lived and will show up, or has just
    // shown up, in `waited`.
    Time debt{}, older_debt{};
    int looked_at = 0;  ///< number of the look that last found it alive
  };
  struct Stat;

  void Look();
  bool Visit(pid_t pid, std::int64_t expected_start_ticks);
  void Update(const Stat& stat);
  void VisitDescendants();
  void PushChildren(pid_t pid, std::int64_t threads);
  std::optional<std::string_view> ReadWhole(const char* path);
  bool ReadStat(pid_t pid, Stat& stat);
  void ScanAll();
  void LookAtOwnChildren();
  void SettleEnded();
  void SettleWaited(Process& process);
  Process* NearestLiving(const Process& ended);
  Process* Find(pid_t pid);

  const std::string proc_root_;
  const std::vector<pid_t> roots_;
  std::vector<Process> processes_;                // in order of discovery: parents first
  std::unordered_map<pid_t, std::size_t> index_;  // pid -> position in processes_
  std::vector<pid_t> pending_;                    // children still to be visited
  std::vector<std::pair<pid_t, pid_t>> scanned_;  // (parent, child), only without children lists
  std::vector<char> buffer_;
  Process self_;                 // this process: only the children that it waited for count
  bool parent_of_root_ = false;  // set if this process started one of the roots
  bool has_children_lists_ = true;
  int look_ = 0;
  Time total_{};
  double resident_bytes_ = 0;
  int living_ = 0;
};

}  // namespace ebb::meter
