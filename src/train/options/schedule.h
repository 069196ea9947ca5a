#pragma once
// The learning rate as a pure function of progress, so that a resumed run needs no schedule state
// beyond its step.

#include <cstdint>

namespace ebb::train {

enum class ScheduleKind { kConstant, kCosine, kStep };

struct LearningRateSchedule {
  ScheduleKind kind = ScheduleKind::kConstant;
  double initial = 1e-3;
  double decay = 0.7;             ///< kStep: factor per `decay_epochs`
  std::int64_t decay_epochs = 1;  ///< kStep
  std::int64_t warm_up_steps =
      0;             ///< kCosine: steps of a linear rise from 0, before the cosine begins
  double floor = 0;  ///< kCosine: share of `initial` at the end of the fall

  struct Progress {
    std::int64_t step = 0;  ///< 0-based over the whole run
    std::int64_t steps_per_epoch = 1;
    std::int64_t total_steps = 1;
  };
  double At(const Progress& progress) const;
};

}  // namespace ebb::train
