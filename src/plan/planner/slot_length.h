#pragma once
// The length of the slots of a dynamic programme over time. Slots meet the edges of hours, half
// hours and quarters, at which prices change.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include "base/time.h"

namespace ebb::plan {

struct SlotNeeds {
  Duration length{};              ///< running time of the job
  int per_job = 10;               ///< about so many slots in that time; a short job has fewer
  Duration grid{1};               ///< slots are whole steps of this
  Duration span{};                ///< time that the slots cover
  std::int64_t most = INT64_MAX;  ///< most slots in the span
};

/// Slots of more than an hour ignore the limit of the span.
inline Duration SlotLength(const SlotNeeds& needs) {
  using std::chrono::minutes;
  struct Step {
    Duration slot, counts_as;  // slots of a third of an hour would miss the half hours
  };
  constexpr std::array<Step, 5> kSteps{{{minutes{5}, minutes{5}},
                                        {minutes{10}, minutes{10}},
                                        {minutes{15}, minutes{20}},
                                        {minutes{30}, minutes{30}},
                                        {minutes{60}, minutes{60}}}};
  for (const Step& step : kSteps)
    if (step.counts_as * needs.per_job >= needs.length &&
        step.slot % needs.grid == Duration::zero() && needs.span / step.slot <= needs.most)
      return step.slot;
  const Duration coarse = kSteps.back().slot;
  return coarse * (needs.length / (coarse * needs.per_job) + 1);
}

}  // namespace ebb::plan
