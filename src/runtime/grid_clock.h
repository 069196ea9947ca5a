#pragma once
// The clock of the electricity grid. A live clock is the wall clock. A replayed clock begins
// anywhere in a trace, runs at wall speed or faster, and can jump over waits, while energy stays
// real: joules measured over a wall interval are accounted on the grid interval that it maps to.
//
// Thread contract: SkipTo and SleepUntil are called from one thread; the other functions from any.

#include <atomic>

#include "core/run/run.h"
#include "runtime/clock.h"

namespace ebb::runtime {

class GridClock {
 public:
  /// `wall` must outlive the grid clock. The grid time is settings.begin now (replayed), or the
  /// wall time.
  GridClock(Clock& wall, const core::GridClockSettings& settings);

  const core::GridClockSettings& settings() const { return settings_; }
  Time Now() const { return ToGrid(wall_.Now()); }
  const Clock& wall() const { return wall_; }
  /// The grid time that passes in this wall time.
  Duration ToGrid(Duration wall) const;
  Time ToGrid(Time wall) const;
  Interval ToGrid(Interval wall) const { return {ToGrid(wall.begin), ToGrid(wall.end)}; }
  /// The wall time that a grid duration takes.
  Duration ToWall(Duration grid) const;

  /// Sleeps until the grid clock shows `time`, for at most `slice` of wall time.
  Wake SleepUntil(Time time, Duration slice);
  /// Jumps forward to `time` (replayed clocks only; never backwards).
  void SkipTo(Time time);

 private:
  Clock& wall_;
  core::GridClockSettings settings_;
  Time wall_begin_{};
  std::atomic<Time> grid_begin_{};  ///< grid time at wall_begin_, plus the skipped waits
};

}  // namespace ebb::runtime
