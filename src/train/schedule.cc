#include "train/schedule.h"

#include <cmath>
#include <numbers>

namespace ebb::train {

double LearningRateSchedule::At(const Progress& progress) const {
  switch (kind) {
    case ScheduleKind::kConstant:
      break;
    case ScheduleKind::kCosine: {
      const double done =
          static_cast<double>(progress.step) / static_cast<double>(progress.total_steps);
      return initial * 0.5 * (1 + std::cos(std::numbers::pi * done));
    }
    case ScheduleKind::kStep: {
      const std::int64_t epoch = progress.step / progress.steps_per_epoch;
      return initial * std::pow(decay, static_cast<double>(epoch / decay_epochs));
    }
  }
  return initial;
}

}  // namespace ebb::train
