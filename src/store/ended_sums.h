#pragma once
// Sums over ended jobs: what they used and emitted, and how that compares with their baselines. The
// sums of jobs that the readers' views have forgotten are stored: a job is counted once, when it is
// forgotten, and stays counted when its ledger is pruned.

#include <optional>
#include <vector>

#include "core/jobs/job.h"
#include "store/database/database.h"

namespace ebb::store {

class ServiceStore;

/// Emissions of a job under a baseline: the same energy at another time.
struct Baseline {
  std::optional<Emissions> emissions;  ///< nothing: unknown
  std::optional<double> half_width_g;  ///< of the difference, 95 %; nothing: unknown
};
struct Compared {
  std::int64_t jobs = 0;
  std::int64_t not_compared = 0;  ///< used energy, but one of the two emissions is unknown
  Emissions emitted, baseline;
  /// Half of the 95 % interval of baseline - emitted: the sum of the half widths of the jobs, as if
  /// all their errors were one. The interval of the sum is at most that wide.
  double half_width_g = 0;
  std::int64_t without_interval = 0;  ///< jobs that differ with unknown uncertainty

  void Add(Energy used, std::optional<Emissions> emissions, const Baseline& otherwise);
  Compared& operator+=(const Compared& other);
};

/// Sums over jobs that have ended.
struct EndedSums {
  Energy energy;
  Emissions emissions;
  Compared on_submission;  ///< baseline: each job alone, when it was submitted
  Compared on_first_come;

  void Add(Energy used, std::optional<Emissions> emitted, const Baseline& at_submission,
           const Baseline& first_come);
  EndedSums& operator+=(const EndedSums& other);
};

/// The newest `limit` jobs that are not counted, newest first.
Result<std::vector<core::JobId>> UncountedJobs(Database& database, std::size_t limit);
/// Counts all ended jobs except the newest `keep`, and returns the sums of all counted jobs.
/// Durable with the next commit.
Result<EndedSums> CountEnded(ServiceStore& store, std::size_t keep);
/// Marks the job as counted and stores the sums that include it. Durable with the next commit.
void PutCounted(ServiceStore& store, core::JobId job, const EndedSums& sums);

}  // namespace ebb::store
