#pragma once
// The service as Prometheus sees it (docs/metrics.md). Jobs have series of their own only while
// they run and for a while after, and no more than a fixed number of them at a time: whatever is
// submitted, the number of series has a bound.

#include <string>

#include "service/views/view.h"
#include "web/metrics/health.h"
#include "web/notify/webhook.h"

namespace ebb::web {

struct MetricsOptions {
  std::string version;
  /// On the grid clock: how long the series of a job stay after its end.
  Duration retention{std::chrono::minutes{15}};
  std::size_t most_jobs = 200;  ///< that have series of their own
};

/// A job with series of its own.
struct MeteredJob {
  const service::JobCard* card = nullptr;
  const local::SupervisedFigures* running = nullptr;  ///< nullptr: it has ended
};
struct MeteredJobs {
  std::vector<MeteredJob> jobs;  ///< those that run by id, then those that ended last
  std::size_t left_out = 0;      ///< beyond the limit
};
/// Points into `view`.
MeteredJobs MeteredJobsOf(const service::View& view, Time now, const MetricsOptions& options);

/// Names that begin with ebb_. `now`: on the grid clock.
std::string MetricsText(const service::View& view, const Health& health, Time now,
                        const MetricsOptions& options, const WebhookCounts& notifications);
/// The same facts under the names and labels of Compute Gardener's scheduler, for its dashboards.
std::string CompatibleMetricsText(const service::View& view, const Health& health, Time now,
                                  const MetricsOptions& options);

}  // namespace ebb::web
