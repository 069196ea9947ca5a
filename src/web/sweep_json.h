#pragma once
// The sweeps of the queue as JSON (docs/api.md).

#include <map>
#include <string>
#include <vector>

#include "report/epoch_losses.h"
#include "report/sweep_report.h"
#include "store/job_records.h"
#include "store/sweep_records.h"

namespace ebb::web {

/// What is known of a sweep.
struct SweepFacts {
  store::SweepRecord sweep;
  std::vector<store::JobRecord> jobs;                  ///< its experiments, in order
  std::map<core::JobId, store::AttemptSums> attempts;  ///< with wall times
  std::map<core::JobId, report::EpochLoss> losses;     ///< of the last epoch of each
  std::map<core::JobId, core::Parameters> parameters;
  std::vector<store::RungLoss> rungs;
};
/// Ranked, as `ebb sweep report` has it.
report::SweepReport SweepReportOf(const SweepFacts& facts);

/// One line of a list of sweeps.
struct SweepLine {
  store::SweepRecord sweep;
  std::vector<store::StageCount> jobs;
  std::vector<store::RungLoss> rungs;
};
std::string SweepsToJson(const std::vector<SweepLine>& sweeps);

}  // namespace ebb::web
