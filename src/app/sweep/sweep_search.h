#pragma once
// ebb sweep search: a Bayesian search as a client of the queue service. The service keeps all of
// it, each trial as an experiment of one sweep with its parameters and losses, so the same file
// goes on where it was, whoever stopped it.

#include <functional>
#include <optional>
#include <string>

#include "app/jobs/service_client.h"
#include "core/submission.h"

namespace ebb::app {

struct SweepSearchRequest {
  ServicePlace service;
  std::string file;
  /// What happens, a line each.
  std::function<void(const std::string&)> say;
  /// True: somebody asked to stop meanwhile.
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
