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

/// Returns an Error if a metric's name is misspelt or names a site that does not exist. A name may
/// have a site after a colon: "jobs_at_site:norway".
Status CheckMetric(const std::string& metric, const core::Cluster& cluster);

/// The figure of one simulation. `run_now` is the simulation of the same jobs under first come,
/// first served. Returns nothing if the truth is unknown.
std::optional<double> MetricValue(const std::string& metric, const core::Cluster& cluster,
                                  const Simulation& simulation, const Simulation& run_now,
                                  Truth truth);

}  // namespace ebb::sim
