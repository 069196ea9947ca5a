#pragma once
// The sweeps of the service, and the losses that their experiments reported at the rungs of
// successive halving (sweep/successive_halving.h), in the order of judgement. Judging them again in
// that order gives the same verdicts, so a restarted service goes on where it was.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/jobs/submission.h"
#include "core/ledger/budget.h"
#include "store/database/database.h"
#include "store/database/write_group.h"
#include "sweep/successive_halving.h"

namespace ebb::store {

struct SweepRecord {
  core::SweepId id = 0;
  std::string name;
  std::string key;  ///< the client's own, used once; empty: none
  Time submitted{};
  std::optional<sweep::HalvingOptions> halving;
  core::Budget budget{};  ///< for all experiments together; its action and grace are not used
  std::string user{};     ///< owner of the key; not read back
};

/// The loss that one experiment reported at a rung, and its consequence.
struct RungLoss {
  core::SweepId sweep = 0;
  std::int64_t number = 1;  ///< within its sweep, from 1
  core::JobId job = 0;
  Time at{};        ///< wall clock of its program
  int epoch = 0;    ///< the epoch that had ended: the rung's, or a later one
  double loss = 0;  ///< may be NaN
  sweep::Verdict verdict;
  /// The experiment was stopped for it. A verdict about an experiment that ended by itself
  /// meanwhile stops nothing.
  bool stopped = false;
  std::optional<Energy> saved_energy;  ///< estimated, when stopped
  std::optional<Emissions> saved;  ///< estimated, when stopped; nothing: the intensity is unknown
};

void AddSweep(WriteGroup& group, const SweepRecord& sweep);
void AddRungLoss(WriteGroup& group, const RungLoss& loss);
/// Replaces the sweep's budget.
void SetSweepBudget(WriteGroup& group, core::SweepId sweep, const core::Budget& budget);
/// `number`: within its sweep, from 1.
void AddSweepBudgetEvent(WriteGroup& group, core::SweepId sweep, std::int64_t number,
                         const core::BudgetEvent& event);

struct SweepFilter {
  std::string name;  ///< empty: every name
  int limit = 100;
};

/// Lists sweeps, newest first.
Result<std::vector<SweepRecord>> ListSweeps(Database& database, const SweepFilter& filter);
/// Returns nothing if there is no such sweep.
Result<std::optional<SweepRecord>> FindSweep(Database& database, core::SweepId id);
Result<std::optional<core::SweepId>> FindSweepByKey(Database& database, const std::string& key,
                                                    const std::string& user = "");
/// Sums over the attempts of one experiment.
struct AttemptSums {
  int attempts = 0;
  int paused = 0;  ///< number of attempts that ended with a checkpoint
  int open = 0;    ///< number of attempts that began and have not ended
  /// Actual run time by the grid's clock, up to now if an attempt still runs. Nothing: the begin of
  /// one is unknown.
  std::optional<Duration> ran;
};
/// Sums for each experiment of the sweep; experiments without an attempt are missing.
Result<std::map<core::JobId, AttemptSums>> AttemptSumsOf(Database& database, core::SweepId sweep,
                                                         Time now);
/// Parameters of each experiment of the sweep; experiments stored without any are missing.
Result<std::map<core::JobId, core::Parameters>> ParametersOf(Database& database,
                                                             core::SweepId sweep);
/// Budget events of the sweep, in order.
Result<std::vector<core::BudgetEvent>> SweepBudgetEventsOf(Database& database, core::SweepId sweep);
/// Energy and emissions of all experiments of the sweep that are in the ledger.
Result<core::BudgetUse> UseOfSweep(Database& database, core::SweepId sweep);
/// Losses at the rungs, in order.
Result<std::vector<RungLoss>> RungLossesOf(Database& database, core::SweepId sweep);

}  // namespace ebb::store
