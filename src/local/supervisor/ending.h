#pragma once
// Ends processes that are not children of this process: asks them to end (SIGTERM), and kills them
// when the grace period is over. It has to look repeatedly, and never waits, so that a process that
// the kernel does not let go (state D) blocks only its own devices. Private to local/.

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"

namespace ebb::local {

/// A process that was killed ends in milliseconds, unless the kernel waits for something.
inline constexpr Duration kKilledButRuns{std::chrono::minutes{1}};

class Ending {
 public:
  struct Terms {
    /// Finds the processes that are to end and still run; zombies do not count.
    std::function<std::vector<pid_t>()> find;
    Duration grace{};
    /// Called when the grace period is over, before each of them gets SIGKILL.
    std::function<void()> kill_all = [] {};
    /// Processes that somebody else has asked to end already.
    std::set<pid_t> asked{};
    /// Time after SIGKILL after which TakeTrouble reports processes that still run.
    Duration patience = kKilledButRuns;
  };
  explicit Ending(Terms terms);

  /// Sends the signals that are due now. True: no process runs any more.
  bool Look();
  /// Ends the grace period now.
  void Hurry();
  /// Reports, once, processes that still run although they were killed.
  std::optional<std::string> TakeTrouble();

 private:
  using Clock = std::chrono::steady_clock;

  Terms terms_;
  Clock::time_point kill_at_;
  std::optional<Clock::time_point> killed_at_;
  std::vector<pid_t> running_;
  bool trouble_was_said_ = false;
};

/// A text such as "process 123 (state D) runs on although it was killed: ...".
std::string RunsOnText(const std::vector<pid_t>& running);

}  // namespace ebb::local
