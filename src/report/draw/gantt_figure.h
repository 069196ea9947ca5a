#pragma once
// A Gantt chart as a figure of a page: colours by tier with their legend, what every bar says when
// pointed at, and a caption. Shared by simulations and plans.

#include <string>
#include <vector>

#include "core/cluster.h"
#include "core/intensity.h"
#include "core/job.h"
#include "plan/policy.h"

namespace ebb::report {

/// Tiers in the order in which jobs name them; "" is a job without one.
std::vector<std::string> TiersOf(const std::vector<core::Job>& jobs);
/// Empty where all jobs are of one tier.
std::string TierLegend(const std::vector<core::Job>& jobs);

struct GanttFigure {
  std::string title;    ///< in bold
  std::string caption;  ///< after it
  const core::Cluster* cluster = nullptr;
  const std::vector<core::Job>* jobs = nullptr;
  std::vector<std::vector<plan::Segment>> segments;  ///< by job; may be empty for some
  const core::IntensitySeries* truth = nullptr;
  const core::IntensitySeries* forecast = nullptr;
  Interval window;
};
std::string GanttFigureHtml(const GanttFigure& figure);

}  // namespace ebb::report
