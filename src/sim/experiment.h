#pragma once
// The results of one `ebb simulate`, ready for reports: the comparison over all start dates, and
// for the first start date the true intensity, the forecast at the time of planning, and the
// schedule of every policy. Values only.

#include <optional>
#include <string>
#include <vector>

#include "sim/comparison.h"
#include "sim/scenario.h"

namespace ebb::sim {

/// One site's grid from the first start date on.
struct Outlook {
  core::IntensitySeries truth;
  core::Forecast forecast;  ///< forecast at the moment of planning
};

/// Our figure beside a published figure; nothing if it cannot be computed.
struct PublishedComparison {
  PublishedFigure figure;
  std::optional<double> ours;
};

struct Experiment {
  Scenario scenario;
  Comparison comparison;
  std::vector<Outlook> outlooks;        ///< in the order of scenario.cluster.sites
  std::vector<Simulation> first_start;  ///< in the order of comparison.policies
  std::vector<PublishedComparison> published;
  std::vector<std::string> notes;  ///< modelled signals, jobs left out: a report prints them all
};

}  // namespace ebb::sim
