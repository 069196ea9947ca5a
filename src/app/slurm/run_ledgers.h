#pragma once
// Takes the energy that `ebb slurm run` has measured of a job into the accounts of the service:
// once for each attempt, when the attempt is over and its files are complete. A device that two
// tasks read counts once (core/run/ledger_union.h).
//
// Files of other nodes come over a shared file system and may be late, so an attempt is read some
// time after its end. Attempts that were counted are remembered together with their rows, so that a
// service that is killed counts none twice.
//
// Thread contract: the loop's thread.

#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "service/accounting/outside_metering.h"

namespace ebb::app {

class RunLedgers {
 public:
  /// `metering` must outlive this object.
  RunLedgers(service::OutsideMetering& metering, Duration files_late_by);

  /// The runs of this job lie below `folder`.
  void Follow(core::JobId job, std::filesystem::path folder);
  /// An attempt is over. `now`: since boot.
  void AttemptEnded(core::JobId job, int attempt, Duration now);
  /// The job has ended: its account is complete once its last attempt is counted.
  void JobEnded(core::JobId job);
  /// Counts attempts that are due. True if there were any.
  bool Tick(Duration now);
  /// When Tick has something to do; nullopt: nothing is due.
  std::optional<Duration> NextDue() const;

 private:
  void Count(core::JobId job, int attempt);
  void Remember();
  void Complete(core::JobId job);

  using Attempt = std::pair<core::JobId, int>;
  service::OutsideMetering& metering_;
  Duration files_late_by_;
  std::map<core::JobId, std::filesystem::path> folders_;
  std::map<Attempt, Duration> due_;
  std::set<Attempt> counted_;
  std::set<core::JobId> ended_;
};

}  // namespace ebb::app
