#pragma once
// A sweep of the queue as its store has it, and what that comes to: ranked, as `ebb sweep report`
// has it.

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "report/run/epoch_losses.h"
#include "report/sweep/sweep_report.h"
#include "store/job_records.h"
#include "store/sweep_records.h"

namespace ebb::service {

/// What is known of a sweep.
struct SweepFacts {
  store::SweepRecord sweep;
  std::vector<store::JobRecord> jobs;  ///< its experiments, in order
  std::map<core::JobId, store::AttemptSums>
      attempts;                                     ///< times of the grid clock, as they are read
  std::map<core::JobId, report::EpochLoss> losses;  ///< of the last epoch of each
  std::map<core::JobId, std::vector<std::string>> notices;  ///< of their results
  std::map<core::JobId, std::int64_t> diverged;             ///< at which step, of those that say so
  std::map<core::JobId, core::Parameters> parameters;
  std::vector<store::RungLoss> rungs;
};

/// All but the losses. Nothing where there is no such sweep.
Result<std::optional<SweepFacts>> ReadSweepFacts(store::Database& database, core::SweepId id,
                                                 Time now);
/// And at which step a training diverged. Of those that had an attempt, from what they wrote.
void ReadLosses(SweepFacts& facts,
                const std::function<std::filesystem::path(core::JobId)>& directory_of);

/// `facts`: attempts with wall times.
report::SweepReport SweepReportOf(const SweepFacts& facts);

/// What was stopped early did not use, by estimate.
struct SavedByHalving {
  int stopped = 0;
  Energy energy;
  Emissions emissions;
};
SavedByHalving SavedBy(const std::vector<store::RungLoss>& rungs);

}  // namespace ebb::service
