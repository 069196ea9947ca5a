#pragma once
// Tells a wall clock that was set from time that went by, and keeps to the time that goes by until
// that is dealt with. Beside the wall clock it looks at the time since boot, which nobody sets and
// which a suspend does not stop.
//
// A small difference is NTP at work, and followed. A large one is a jump: it is not followed before
// it has lasted for a while, as a clock may be wrong for some seconds only, and then when its owner
// takes it, so that all that depends on the time can move at once.
//
// Thread contract: Now and ahead from any thread; the rest from one.

#include <atomic>
#include <optional>

#include "runtime/clock.h"

namespace ebb::runtime {

struct ClockWatchOptions {
  /// More than this, within a look or two, is a jump; NTP moves a clock by a tenth of the time that
  /// goes by at most.
  Duration tolerance{2000};
  Duration settle{10'000};  ///< so long a jump has to last
};

/// The clock showed `from` when it was set to `to`.
struct ClockStep {
  Time from{}, to{};
};

class ClockWatch {
 public:
  /// `clock` must outlive the watch.
  explicit ClockWatch(const Clock& clock, ClockWatchOptions options = {});
  /// Goes on from a clock that showed `wall` at `since_boot`.
  ClockWatch(const Clock& clock, ClockWatchOptions options, Time wall, Duration since_boot);

  /// The wall clock as it was going before it jumped.
  Time Now() const { return Time{Duration{offset_.load()} + clock_.SinceBoot()}; }
  /// What the wall clock shows beyond that.
  Duration ahead() const { return clock_.Now() - Now(); }

  /// To be called every few seconds. True: a jump has lasted for long enough to be taken.
  bool Look();
  /// Follows a jump that is due: Now jumps.
  std::optional<ClockStep> TakeStep();
  /// A jump is seen and has not been taken: since when, as SinceBoot has it.
  std::optional<Duration> jumped_at() const { return jumped_at_; }

 private:
  const Clock& clock_;
  ClockWatchOptions options_;
  std::atomic<Duration::rep> offset_;  ///< of the wall clock over SinceBoot
  std::optional<Duration> jumped_at_;
  Duration jump_{};  ///< by so much, when it was seen
};

}  // namespace ebb::runtime
