#include "train/options/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ebb::train {

double LearningRateSchedule::At(const Progress& progress) const {
  switch (kind) {
    case ScheduleKind::kConstant:
      break;
    case ScheduleKind::kCosine: {
      if (progress.step < warm_up_steps)
        return initial * static_cast<double>(progress.step) / static_cast<double>(warm_up_steps);
      const std::int64_t length = std::max<std::int64_t>(1, progress.total_steps - warm_up_steps);
      const double done =
          static_cast<double>(progress.step - warm_up_steps) / static_cast<double>(length);
      const double fall = 0.5 * (1 + std::cos(std::numbers::pi * done));
      return initial * (floor + (1 - floor) * fall);
    }
    case ScheduleKind::kStep: {
      const std::int64_t epoch = progress.step / progress.steps_per_epoch;
      return initial * std::pow(decay, static_cast<double>(epoch / decay_epochs));
    }
  }
  return initial;
}

}  // namespace ebb::train
