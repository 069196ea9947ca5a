#pragma once
// Metrics of the service for Prometheus (docs/metrics.md). A job has series of its own only while
// it runs and for a while after, and only a fixed number of jobs have them at a time, so that the
// number of series is bounded.

#include <string>

#include "service/views/view.h"
#include "web/metrics/health.h"
#include "web/notify/webhook.h"

namespace ebb::web {

struct MetricsOptions {
  std::string version;
  /// The time on the grid clock for which a job keeps its series after its end.
  Duration retention{std::chrono::minutes{15}};
  std::size_t most_jobs = 200;  ///< most jobs with series of their own
};

/// A job with series of its own.
struct MeteredJob {
  const service::JobCard* card = nullptr;
  const local::SupervisedFigures* running = nullptr;  ///< nullptr if the job has ended
};
struct MeteredJobs {
  std::vector<MeteredJob> jobs;  ///< running jobs by id, then the latest ended ones
  std::size_t left_out = 0;      ///< jobs beyond the limit
};
/// The jobs with series of their own. Points into `view`.
MeteredJobs MeteredJobsOf(const service::View& view, Time now, const MetricsOptions& options);

/// The metrics whose names begin with ebb_. `now`: on the grid clock.
std::string MetricsText(const service::View& view, const Health& health, Time now,
                        const MetricsOptions& options, const WebhookCounts& notifications);
/// The same facts under the names and labels of Compute Gardener's scheduler, for its dashboards.
std::string CompatibleMetricsText(const service::View& view, const Health& health, Time now,
                                  const MetricsOptions& options);

}  // namespace ebb::web
