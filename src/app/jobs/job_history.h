#pragma once
// What has ended in the service, read part by part from its API.

#include <optional>
#include <string>
#include <vector>

#include "app/jobs/service_client.h"
#include "app/options/when.h"
#include "base/units.h"

namespace ebb::app {

struct HistoryFilter {
  std::string stages;  ///< with commas between; empty: all
  std::string name, user;
  std::optional<When> since, until;  ///< of the end
  long long limit = 1000;
};

struct PastJob {
  long long id = 0, sweep = 0;
  std::string name, stage, user, tier, recurring, detail;
  std::optional<Time> submitted, started, ended;
  long long devices = 1, attempts = 0, pauses = 0;
  Duration ran{};
  std::optional<long long> exit_code;
  std::optional<Energy> energy;
  std::optional<Emissions> emissions, at_submission;
  std::optional<double> saving_half_width_g;

  /// Against its submission; below 0: it emitted more. Nothing: not known.
  std::optional<Emissions> saved() const;
};

struct JobHistory {
  std::vector<PastJob> jobs;  ///< the newest number first
  bool more = false;          ///< than the limit
  bool replayed = false;      ///< all times are those of a replayed grid clock
  std::string json;           ///< the service's answers as one
};

/// Times are those of the person's clock; the service counts distances from its own now.
Result<JobHistory> ReadHistory(const ServiceClient& client, const HistoryFilter& filter);

}  // namespace ebb::app
