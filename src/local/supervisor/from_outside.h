#pragma once
// Judges if a program was ended from outside: by a machine that shuts down, by kill or killall,
// rather than by itself, its job's limits or the service. Such an end says nothing about the job. A
// signal carries no sender, so this is a guess: SIGTERM, SIGHUP, SIGINT, SIGQUIT and SIGPWR count
// as sent by others, and so does SIGKILL unless the kernel killed because memory ran out. All other
// signals are a program's own failing. Private to local/.

#include <chrono>
#include <optional>
#include <string>

#include "meter/sharing/cgroup.h"
#include "platform/child_process.h"

namespace ebb::local {

/// Counts processes that the kernel killed because memory ran out. If the program's control group
/// counts them, its count is used; otherwise the machine's tells if anything was just killed.
class OomWatch {
 public:
  /// `cgroup` is the program's; it must outlive this; null: none.
  explicit OomWatch(const meter::Cgroup* cgroup, std::string vmstat_file = "/proc/vmstat");

  /// Call it while the program runs: kills on the machine long before its end do not count.
  void Look();
  /// Tells if the kernel killed for memory; nothing: no counter exists.
  std::optional<bool> HasKilled() const;

 private:
  using Clock = std::chrono::steady_clock;

  const meter::Cgroup* cgroup_;
  std::string vmstat_file_;
  Clock::time_point looked_at_;
  std::optional<std::int64_t> latest_;  // count of the machine
  std::optional<std::int64_t> before_;  // count at the look before
};

/// Decides as described above. If no counter exists, SIGKILL is a failure.
bool LooksFromOutside(const platform::ExitStatus& status, const OomWatch& oom);

}  // namespace ebb::local
