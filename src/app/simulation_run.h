#pragma once
// Runs a scenario: every policy and the bound from every start date, on several threads. Results do
// not depend on the number of threads, because each piece of work is pure and has a place of its
// own for its result.

#include <functional>

#include "base/result.h"
#include "config/scenario/scenario_config.h"
#include "sim/experiment.h"

namespace ebb::app {

struct ExperimentOptions {
  int threads = 1;
  std::function<void(std::size_t done, std::size_t total)> progress;  ///< called from any thread
  std::function<bool()> stopped = [] { return false; };  ///< called often, from any thread
};

Result<sim::Experiment> RunExperiment(const config::ScenarioFile& file,
                                      const ExperimentOptions& options);

/// The feeds of a scenario's sites, with the forecast that it asks for.
Result<sim::Feeds> MakeFeeds(const config::ScenarioFile& file);

}  // namespace ebb::app
