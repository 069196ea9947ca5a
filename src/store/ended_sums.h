#pragma once
// What the jobs that have ended used and emitted in all, and against its baselines. The sums of
// those that readers' views have forgotten are kept: a job is counted once, when it is forgotten,
// and stays counted when its ledger is pruned.

#include <optional>
#include <vector>

#include "core/job.h"
#include "store/database.h"

namespace ebb::store {

class ServiceStore;

/// What jobs that have ended emitted, against a baseline of the same energy.
/// What a job would have emitted otherwise.
struct Baseline {
  std::optional<Emissions> emissions;  ///< nothing: not known
  std::optional<double> half_width_g;  ///< of the difference, 95 %; nothing: not known
};
struct Compared {
  std::int64_t jobs = 0;
  std::int64_t not_compared = 0;  ///< used energy, and one of the two emissions is not known
  Emissions emitted, baseline;
  /// Of baseline - emitted, 95 %: the sum of the jobs' own, as if all their errors were one. The
  /// interval of the sum is that at most.
  double half_width_g = 0;
  std::int64_t without_interval = 0;  ///< of `jobs`: differ, and how surely is not known

  void Add(Energy used, std::optional<Emissions> emissions, const Baseline& otherwise);
  Compared& operator+=(const Compared& other);
};

/// Of jobs that have ended.
struct EndedSums {
  Energy energy;
  Emissions emissions;
  Compared on_submission;  ///< each alone, when it was submitted
  Compared on_first_come;

  void Add(Energy used, std::optional<Emissions> emitted, const Baseline& at_submission,
           const Baseline& first_come);
  EndedSums& operator+=(const EndedSums& other);
};

/// The newest `limit` of those that are not counted, newest first.
Result<std::vector<core::JobId>> UncountedJobs(Database& database, std::size_t limit);
/// Counts those beyond the newest `keep`, and returns the sums of all that are counted. Durable
/// with the next commit.
Result<EndedSums> CountEnded(ServiceStore& store, std::size_t keep);
/// This job is counted now, and these are the sums with it. Durable with the next commit.
void PutCounted(ServiceStore& store, core::JobId job, const EndedSums& sums);

}  // namespace ebb::store
