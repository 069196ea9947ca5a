#pragma once
// The best schedule in hindsight: the fewest grams with which the jobs could have run if the whole
// future had been known and pausing had been free. It judges policies afterwards. No policy can use
// it, because it takes the truth as IntensitySeries, while a policy gets a SignalView.
//
// Time is cut wherever an intensity, a window or a pool changes. Within a piece of time everything
// is constant, and jobs of one device each can share m like devices in any amounts up to the
// piece's length per job and m times that in all (McNaughton 1959). So the optimum is a
// minimum-cost flow from jobs to pieces, in device-milliseconds: exact without a grid. LEMON's
// network simplex solves it. Conditions that the flow cannot express are relaxed, so that the
// result stays a bound: a gang may run on fewer of its devices at a time, and a pool of another
// speed has that much more capacity. An elastic job may have any mix of its widths at a time: each
// of its further devices is an arc of its own whose work costs what that device takes, but on the
// pools it takes no more devices than at its most efficient width. Very large instances get the
// Lagrangian bound (lower_bound.h) instead.

#include <optional>
#include <span>
#include <vector>

#include "core/devices/cluster.h"
#include "core/jobs/job.h"
#include "core/signal/intensity.h"
#include "plan/policy.h"

namespace ebb::plan {

struct HindsightOptions {
  /// All jobs end within this time of the first submission.
  std::optional<Duration> makespan_limit;
  /// Latest start after submission, for jobs without a deadline.
  Duration longest_delay{std::chrono::hours{96}};
  /// Instances with more job-pieces than this get the Lagrangian bound.
  std::size_t most_arcs = 400'000;
};

struct HindsightBound {
  Emissions emissions;
  /// True if a schedule with these emissions exists (pausing free); otherwise they are only a
  /// bound.
  bool exact = false;
  /// False if no schedule keeps every window. Then `emissions` is what the jobs would emit within
  /// their windows if there were devices for all of them.
  bool feasible = true;
  /// A schedule that reaches the bound, by job; filled if the bound is exact and all jobs share one
  /// pool.
  std::vector<std::vector<Segment>> segments;
};

/// A job runs from its submission to its latest start plus its run time, or to finish_by if that is
/// earlier. `truth` is by site and covers the windows; a missing value counts as on the last known
/// day (slot_prices.h). The jobs must have passed CheckJob.
HindsightBound BestInHindsight(std::span<const core::Job> jobs, const core::Cluster& cluster,
                               std::span<const core::IntensitySeries> truth,
                               const HindsightOptions& options);

}  // namespace ebb::plan
