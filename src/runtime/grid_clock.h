#pragma once
// The clock of the electricity grid. Live, it is the wall clock. Replayed, it begins anywhere in a
// trace, runs at wall speed or faster, and can jump over waits, while energy stays real: joules
// measured over a wall interval are accounted on the grid interval that it maps to.
//
// Thread contract: SkipTo and SleepUntil from one thread; the rest from any.

#include <atomic>

#include "core/run.h"
#include "runtime/clock.h"

namespace ebb::runtime {

class GridClock {
 public:
  /// `wall` must outlive the grid clock. Grid time begins at settings.begin now (replayed), or is
  /// the wall's.
  GridClock(Clock& wall, const core::GridClockSettings& settings);

  const core::GridClockSettings& settings() const { return settings_; }
  Time Now() const { return ToGrid(wall_.Now()); }
  const Clock& wall() const { return wall_; }
  /// How much the grid clock moves on in such a time.
  Duration ToGrid(Duration wall) const;
  Time ToGrid(Time wall) const;
  Interval ToGrid(Interval wall) const { return {ToGrid(wall.begin), ToGrid(wall.end)}; }
  /// How long a grid duration takes on the wall.
  Duration ToWall(Duration grid) const;

  /// Sleeps until the grid clock shows `time`, at most `slice` of wall time.
  Wake SleepUntil(Time time, Duration slice);
  /// Jumps forward to `time` (replayed clocks only; never backwards).
  void SkipTo(Time time);

 private:
  Clock& wall_;
  core::GridClockSettings settings_;
  Time wall_begin_{};
  std::atomic<Time> grid_begin_{};  ///< what it showed at wall_begin_, and what was skipped since
};

}  // namespace ebb::runtime
