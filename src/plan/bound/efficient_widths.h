#pragma once
// The widths of an elastic job that matter to a bound: those that no mix of other widths, or of
// running and waiting, beats. With these, every further device costs at least as much for a unit of
// work as the one before. The cost of a device-hour is the same at every width, so they are the
// same at every price.

#include <vector>

#include "core/jobs/job.h"

namespace ebb::plan {

/// `widths` by number of devices, ascending; faster ones are wider.
inline std::vector<core::WidthSpeed> EfficientWidths(const std::vector<core::WidthSpeed>& widths) {
  std::vector<core::WidthSpeed> efficient;
  core::WidthSpeed last{0, 0};
  for (auto from = widths.begin(); from != widths.end();) {
    auto best = from;
    const auto per_speed = [&](const core::WidthSpeed& width) {
      return (width.devices - last.devices) / (width.speed - last.speed);
    };
    for (auto width = from; width != widths.end(); ++width)
      if (per_speed(*width) <= per_speed(*best)) best = width;
    last = *best;
    efficient.push_back(last);
    from = best + 1;
  }
  return efficient;
}

}  // namespace ebb::plan
