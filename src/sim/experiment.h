#pragma once
// What one `ebb simulate` found, ready for reports: the comparison over all start dates, and from
// the first start date what was true, what was expected when the plan was made, and what every
// policy did with it. Values only.

#include <optional>
#include <string>
#include <vector>

#include "sim/comparison.h"
#include "sim/scenario.h"

namespace ebb::sim {

/// One site's grid from the first start date on.
struct Outlook {
  core::IntensitySeries truth;
  core::Forecast forecast;  ///< of the moment of planning
};

/// Stands beside a published figure; nothing where it cannot be told.
struct PublishedComparison {
  PublishedFigure figure;
  std::optional<double> ours;
};

struct Experiment {
  Scenario scenario;
  Comparison comparison;
  std::vector<Outlook> outlooks;        ///< as scenario.cluster.sites
  std::vector<Simulation> first_start;  ///< as comparison.policies
  std::vector<PublishedComparison> published;
  std::vector<std::string> notes;  ///< modelled signals, jobs left out: a report prints them all
};

}  // namespace ebb::sim
