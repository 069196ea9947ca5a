#pragma once
// Reads the jobs that have ended from the service's API, part by part.

#include <optional>
#include <string>
#include <vector>

#include "app/jobs/service_client.h"
#include "app/options/when.h"
#include "base/units.h"
#include "core/ledger/work.h"

namespace ebb::app {

struct HistoryFilter {
  std::string stages;  ///< separated by commas; empty for all
  std::string name, user;
  std::optional<When> since, until;  ///< limits on the time of the end
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
  std::vector<core::UnitUse> per_unit;  ///< uses per unit of reported work, the finest unit first

  /// The saving against a start at submission; negative if the job emitted more. Nullopt if
  /// unknown.
  std::optional<Emissions> saved() const;
};

struct JobHistory {
  std::vector<PastJob> jobs;  ///< highest number first
  bool more = false;          ///< there are more jobs than the limit
  bool replayed = false;      ///< all times are those of a replayed grid clock
  std::string json;           ///< the service's answers, joined
};

/// Moments are by the person's clock; distances are counted back from the service's clock.
Result<JobHistory> ReadHistory(const ServiceClient& client, const HistoryFilter& filter);

}  // namespace ebb::app
