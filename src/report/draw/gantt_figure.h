#pragma once
// A Gantt chart as a figure of a page: colours by tier with their legend, a title on every bar, and
// a caption. Simulations and plans share it.

#include <string>
#include <vector>

#include "core/devices/cluster.h"
#include "core/jobs/job.h"
#include "core/signal/intensity.h"
#include "plan/policy.h"

namespace ebb::report {

/// Tiers in the order in which jobs name them; "" stands for jobs without a tier.
std::vector<std::string> TiersOf(const std::vector<core::Job>& jobs);
/// The legend of tier colours; empty if all jobs have one tier.
std::string TierLegend(const std::vector<core::Job>& jobs);

struct GanttFigure {
  std::string title;    ///< first part of the caption, in bold
  std::string caption;  ///< rest of the caption
  const core::Cluster* cluster = nullptr;
  const std::vector<core::Job>* jobs = nullptr;
  std::vector<std::vector<plan::Segment>> segments;  ///< by job; may be empty for some
  const core::IntensitySeries* truth = nullptr;
  const core::IntensitySeries* forecast = nullptr;
  Interval window;
};
std::string GanttFigureHtml(const GanttFigure& figure);

}  // namespace ebb::report
