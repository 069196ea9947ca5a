#pragma once
// The facts about one sweep in the store, and the ranked report of them that `ebb sweep report`
// prints.

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "report/run/epoch_losses.h"
#include "report/sweep/sweep_report.h"
#include "store/jobs/job_records.h"
#include "store/jobs/sweep_records.h"

namespace ebb::service {

/// All that is known about one sweep.
struct SweepFacts {
  store::SweepRecord sweep;
  std::vector<store::JobRecord> jobs;  ///< its experiments, in order
  std::map<core::JobId, store::AttemptSums>
      attempts;  ///< ReadSweepFacts gives times of the grid clock
  std::map<core::JobId, report::EpochLoss> losses;  ///< in the last epoch of each experiment
  std::map<core::JobId, std::vector<std::string>> notices;  ///< about the results of trainings
  std::map<core::JobId, std::int64_t> diverged;  ///< the step at which a training diverged
  std::map<core::JobId, core::Parameters> parameters;
  std::vector<store::RungLoss> rungs;
};

/// Reads all but what ReadLosses adds. Nothing: there is no such sweep.
Result<std::optional<SweepFacts>> ReadSweepFacts(store::Database& database, core::SweepId id,
                                                 Time now);
/// Adds losses, notices and divergence, from the files that experiments with an attempt wrote.
void ReadLosses(SweepFacts& facts,
                const std::function<std::filesystem::path(core::JobId)>& directory_of);

/// `facts.attempts` have wall times.
report::SweepReport SweepReportOf(const SweepFacts& facts);

/// Estimate of what experiments that were stopped early did not use.
struct SavedByHalving {
  int stopped = 0;
  Energy energy;
  Emissions emissions;
};
SavedByHalving SavedBy(const std::vector<store::RungLoss>& rungs);

}  // namespace ebb::service
