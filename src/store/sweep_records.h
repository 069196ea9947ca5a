#pragma once
// The sweeps that the service was given, and what their experiments told at the rungs of successive
// halving (sweep/successive_halving.h), in the order in which it was judged: judged again in that
// order it gives the same verdicts, so a service that starts again goes on where it was.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/budget.h"
#include "core/submission.h"
#include "store/database.h"
#include "store/write_group.h"
#include "sweep/successive_halving.h"

namespace ebb::store {

struct SweepRecord {
  core::SweepId id = 0;
  std::string name;
  std::string key;  ///< the client's own, taken once; empty: none
  Time submitted{};
  std::optional<sweep::HalvingOptions> halving;
  core::Budget budget{};  ///< of all experiments together; its action and grace are not used
  std::string user{};     ///< whose key it is; not read back
};

/// What one experiment told at a rung, and what that meant for it.
struct RungLoss {
  core::SweepId sweep = 0;
  std::int64_t number = 1;  ///< within its sweep, from 1
  core::JobId job = 0;
  Time at{};        ///< wall clock of its program
  int epoch = 0;    ///< that it had ended: the rung's, or a later one
  double loss = 0;  ///< may be no number
  sweep::Verdict verdict;
  /// It was stopped for it: a verdict about one that ended by itself meanwhile stops nothing.
  bool stopped = false;
  std::optional<Energy> saved_energy;  ///< estimated, when stopped
  std::optional<Emissions> saved;      ///< the same; nothing: the intensity is not known
};

void AddSweep(WriteGroup& group, const SweepRecord& sweep);
void AddRungLoss(WriteGroup& group, const RungLoss& loss);
/// In place of the one it had.
void SetSweepBudget(WriteGroup& group, core::SweepId sweep, const core::Budget& budget);
/// `number`: within its sweep, from 1.
void AddSweepBudgetEvent(WriteGroup& group, core::SweepId sweep, std::int64_t number,
                         const core::BudgetEvent& event);

struct SweepFilter {
  std::string name;  ///< empty: every name
  int limit = 100;
};

/// Newest first.
Result<std::vector<SweepRecord>> ListSweeps(Database& database, const SweepFilter& filter);
/// Nothing where there is no such sweep.
Result<std::optional<SweepRecord>> FindSweep(Database& database, core::SweepId id);
Result<std::optional<core::SweepId>> FindSweepByKey(Database& database, const std::string& key,
                                                    const std::string& user = "");
/// The attempts of one experiment, together.
struct AttemptSums {
  int attempts = 0;
  int paused = 0;  ///< ended with a checkpoint
  int open = 0;    ///< began, and have not ended
  /// Really running, by the grid's clock, up to now where one goes on. Nothing: not known when one
  /// of them began.
  std::optional<Duration> ran;
};
/// Of each of its experiments; those that had no attempt are not in it.
Result<std::map<core::JobId, AttemptSums>> AttemptSumsOf(Database& database, core::SweepId sweep,
                                                         Time now);
/// Of each of its experiments; those that were stored without any are not in it.
Result<std::map<core::JobId, core::Parameters>> ParametersOf(Database& database,
                                                             core::SweepId sweep);
/// In order.
Result<std::vector<core::BudgetEvent>> SweepBudgetEventsOf(Database& database, core::SweepId sweep);
/// By all of its experiments that are in the ledger.
Result<core::BudgetUse> UseOfSweep(Database& database, core::SweepId sweep);
/// In order.
Result<std::vector<RungLoss>> RungLossesOf(Database& database, core::SweepId sweep);

}  // namespace ebb::store
