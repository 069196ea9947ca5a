#include "runtime/grid_clock.h"

#include <algorithm>

#include "base/check.h"

namespace ebb::runtime {

GridClock::GridClock(Clock& wall, const core::GridClockSettings& settings)
    : wall_(wall), settings_(settings), wall_begin_(wall.Now()) {
  EBB_CHECK(settings_.speed > 0);
  grid_begin_ = settings_.replayed ? settings_.begin : wall_begin_;
}

Time GridClock::ToGrid(Time wall) const {
  if (!settings_.replayed) return wall;
  return grid_begin_.load() + DurationFromSeconds(Seconds(wall - wall_begin_) * settings_.speed);
}

Duration GridClock::ToGrid(Duration wall) const {
  return settings_.replayed ? DurationFromSeconds(Seconds(wall) * settings_.speed) : wall;
}

Duration GridClock::ToWall(Duration grid) const {
  return settings_.replayed ? DurationFromSeconds(Seconds(grid) / settings_.speed) : grid;
}

Wake GridClock::SleepUntil(Time time, Duration slice) {
  const Duration remaining = std::max(Duration{1}, ToWall(time - Now()));
  return wall_.SleepUntil(wall_.Now() + std::min(remaining, slice));
}

void GridClock::SkipTo(Time time) {
  EBB_CHECK(settings_.replayed);
  if (const Duration ahead = time - Now(); ahead > Duration{0})
    grid_begin_ = grid_begin_.load() + ahead;
}

}  // namespace ebb::runtime
