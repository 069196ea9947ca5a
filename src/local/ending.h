#pragma once
// Ends processes that are nobody's children to wait for: they are asked (SIGTERM), and killed when
// the grace period is over. It is a matter of looking again and again; nothing here waits, so one
// that the kernel does not let go (state D) holds up nobody but its own devices. Private to local/.

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
    /// Those that are to end and still run; remains do not count.
    std::function<std::vector<pid_t>()> find;
    Duration grace{};
    /// When the grace period is over, before each of them gets SIGKILL.
    std::function<void()> kill_all = [] {};
    /// Not asked, since somebody else has done that.
    std::set<pid_t> asked{};
    /// How long the end may take after SIGKILL until that is said.
    Duration patience = kKilledButRuns;
  };
  explicit Ending(Terms terms);

  /// Signals whatever has to be signalled now. True: nothing of it runs any more.
  bool Look();
  /// The grace period is over.
  void Hurry();
  /// Said once: what runs on although it was killed.
  std::optional<std::string> TakeTrouble();

 private:
  using Clock = std::chrono::steady_clock;

  Terms terms_;
  Clock::time_point kill_at_;
  std::optional<Clock::time_point> killed_at_;
  std::vector<pid_t> running_;
  bool trouble_was_said_ = false;
};

/// "process 123 (state D) runs on although it was killed: ..."
std::string RunsOnText(const std::vector<pid_t>& running);

}  // namespace ebb::local
