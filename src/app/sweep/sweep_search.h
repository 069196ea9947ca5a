#pragma once
// `ebb sweep search`: a Bayesian search as a client of the queue service. The service stores the
// whole search: each trial is an experiment of one sweep with its parameters and losses. So the
// same file continues the search, whoever stopped it.

#include <functional>
#include <optional>
#include <string>

#include "app/jobs/service_client.h"
#include "core/jobs/submission.h"

namespace ebb::app {

struct SweepSearchRequest {
  ServicePlace service;
  std::string file;
  /// Receives what happens, one line each.
  std::function<void(const std::string&)> say;
  /// Waits; true if somebody asked to stop meanwhile.
  std::function<bool(Duration)> pause;
};

struct SweepSearchEnd {
  core::SweepId sweep = 0;
  std::size_t trials = 0;
  bool over = false;  ///< all trials have ended
  std::optional<long long> best_job;
  std::string best_name;
  double best_loss = 0;
};

Result<SweepSearchEnd> RunSweepSearch(const SweepSearchRequest& request);

}  // namespace ebb::app
