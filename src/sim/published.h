#pragma once
// Named figures of one simulation that stand beside figures that others published. "Mean" is over
// jobs where the name says execution, start or submission (as the published tables have it), and
// over energy otherwise. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sim/simulation.h"

namespace ebb::sim {

/// Names with one line each, for the documentation and for messages. A name may take a site after a
/// colon: "jobs_at_site:norway".
struct MetricInfo {
  std::string_view name;
  std::string_view meaning;
  bool takes_site = false;
};
std::span<const MetricInfo> PublishedMetrics();

/// What is wrong with a metric's name, if anything: misspelt, or a site that does not exist.
Status CheckMetric(const std::string& metric, const core::Cluster& cluster);

/// The figure of one simulation; `run_now` is the same jobs, first come, first served. Nothing
/// where the truth is unknown.
std::optional<double> MetricValue(const std::string& metric, const core::Cluster& cluster,
                                  const Simulation& simulation, const Simulation& run_now,
                                  Truth truth);

}  // namespace ebb::sim
