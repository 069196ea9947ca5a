#include "local/process/plan_clock.h"

#include <cmath>

namespace ebb::local {

runtime::GridClock ClockOf(const AttemptPlan& plan, runtime::Clock& wall) {
  core::GridClockSettings settings = plan.clock;
  const Duration since = plan.since_boot > Duration::zero() ? wall.SinceBoot() - plan.since_boot
                                                            : wall.Now() - plan.since_wall;
  const auto since_ms = static_cast<double>(since.count());
  settings.begin = plan.since + Duration{std::llround(settings.speed * since_ms)};
  return {wall, settings};
}

}  // namespace ebb::local
