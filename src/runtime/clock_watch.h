#pragma once
// Detects that the wall clock was set, and shows the old time until its owner has dealt with the
// jump. It compares the wall clock with the time since boot, which nothing sets and which a suspend
// does not stop.
//
// A small difference comes from NTP, and the watch follows it. A large difference is a jump. The
// watch follows it only after it has lasted for a while, because a clock may be wrong for a few
// seconds only, and only when its owner takes the step, so that all that depends on the time can
// move at once.
//
// Thread contract: Now and ahead from any thread; the rest from one.

#include <atomic>
#include <optional>

#include "runtime/clock.h"

namespace ebb::runtime {

struct ClockWatchOptions {
  /// A larger difference within one or two looks is a jump. NTP moves a clock by at most a tenth of
  /// the elapsed time.
  Duration tolerance{2000};
  Duration settle{10'000};  ///< time that a jump must last before it is followed
};

/// A jump of the clock from `from` to `to`.
struct ClockStep {
  Time from{}, to{};
};

class ClockWatch {
 public:
  /// `clock` must outlive the watch.
  explicit ClockWatch(const Clock& clock, ClockWatchOptions options = {});
  /// Continues a clock that showed `wall` at `since_boot`.
  ClockWatch(const Clock& clock, ClockWatchOptions options, Time wall, Duration since_boot);

  /// The wall clock as it ran before it jumped.
  Time Now() const { return Time{Duration{offset_.load()} + clock_.SinceBoot()}; }
  /// The difference of the wall clock from Now; positive if the wall clock is ahead.
  Duration ahead() const { return clock_.Now() - Now(); }

  /// Call it every few seconds. True if a jump has lasted long enough to be taken.
  bool Look();
  /// Follows a jump that is due: Now jumps. Returns nullopt if none is due.
  std::optional<ClockStep> TakeStep();
  /// The time, by SinceBoot, at which a jump was seen that has not been taken; nullopt: none.
  std::optional<Duration> jumped_at() const { return jumped_at_; }

 private:
  const Clock& clock_;
  ClockWatchOptions options_;
  std::atomic<Duration::rep> offset_;  ///< wall clock minus SinceBoot
  std::optional<Duration> jumped_at_;
  Duration jump_{};  ///< size of the jump when it was seen
};

}  // namespace ebb::runtime
