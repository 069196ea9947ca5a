#pragma once
// Whether a program was ended from outside: by a machine that shuts down, by kill or killall,
// rather than by itself, its job's limits or the service. Such an end says nothing about the job. A
// signal carries no sender, so it is a judgement: SIGTERM, SIGHUP, SIGINT, SIGQUIT and SIGPWR are
// what others send; SIGKILL is, too, unless the kernel killed for want of memory. All other signals
// are a program's own failing. Private to local/.

#include <chrono>
#include <optional>
#include <string>

#include "meter/sharing/cgroup.h"
#include "platform/child_process.h"

namespace ebb::local {

/// What the kernel killed for want of memory. Where the program's control group counts, that is its
/// own; else the machine's count says whether anything was just killed.
class OomWatch {
 public:
  /// `cgroup`: of the program; outlives this; null: none.
  explicit OomWatch(const meter::Cgroup* cgroup, std::string vmstat_file = "/proc/vmstat");

  /// To be called while the program runs: what the machine killed long before its end does not
  /// matter.
  void Look();
  /// Nothing: nobody counts here.
  std::optional<bool> HasKilled() const;

 private:
  using Clock = std::chrono::steady_clock;

  const meter::Cgroup* cgroup_;
  std::string vmstat_file_;
  Clock::time_point looked_at_;
  std::optional<std::int64_t> latest_;  // of the machine
  std::optional<std::int64_t> before_;  // at the look before that
};

/// As said above. Where nobody counts what was killed for want of memory, SIGKILL is a failure.
bool LooksFromOutside(const platform::ExitStatus& status, const OomWatch& oom);

}  // namespace ebb::local
