#pragma once
// What came of a sweep: its experiments ranked by validation loss with what each emitted, and the
// loss-grams Pareto front: the complete experiments that no other beats in both. Experiments that
// failed, were stopped early or have not run are listed as such and never ranked.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/units.h"
#include "core/submission.h"
#include "report/described_json.h"
#include "report/text_table.h"

namespace ebb::report {

/// Those that are not ranked are listed in this order.
enum class SweepOutcome {
  kDone,
  kRunning,
  kStoppedEarly,
  kPaused,
  kWaiting,
  kFailed,
  kCancelled,
  kNotRun
};
/// It will not run any more.
bool IsOver(SweepOutcome outcome);
std::string_view Name(SweepOutcome outcome);

struct SweepRow {
  std::optional<std::int64_t> job;  ///< its number, where it belongs to the queue service
  std::string name, tier;
  core::Parameters parameters;
  SweepOutcome outcome = SweepOutcome::kNotRun;
  std::optional<double> loss;  ///< of the last epoch: validation, or training where there is none
  bool loss_is_validation = true;
  int epochs = 0;
  Energy energy;
  std::optional<Emissions> emissions;  ///< absent: nothing ran, or some energy has no intensity
  Duration waited{};                   ///< grid clock
  std::optional<Duration> ran;         ///< wall clock
  int attempts = 0;
  std::string note;
  bool on_front = false;
};

/// What the machine used while experiments ran and none of them did. Emissions are absent where
/// some of the energy has no intensity.
struct SweepMachine {
  Energy idle, unattributed;
  std::optional<Emissions> idle_emissions, unattributed_emissions;
  void Describe(DescribedJson& json) const;
};

struct SweepReport {
  std::optional<std::int64_t> number;  ///< of a sweep of the queue service
  std::string name;
  std::vector<SweepRow> rows;  ///< ranked: complete ones by loss, then the others
  std::vector<std::string> notices;
  Energy energy;
  Emissions emissions;
  std::optional<SweepMachine> machine;  ///< absent: not known
  int stopped_early = 0;
  Energy saved_energy;        ///< estimated, of what was stopped early
  Emissions saved_emissions;  ///< the same
  void Describe(DescribedJson& json) const;
};

/// That its training diverged at that step, in place of an exit code. What still runs may go on.
void SayDiverged(SweepRow& row, std::int64_t step);

/// What its training says of its data or its end, if nothing else is noted of it.
void SayNotices(SweepRow& row, const std::vector<std::string>& notices);

/// Orders the rows and marks the front.
void Rank(SweepReport& report);
/// The first of a report whose rows are in order; nullptr: none is complete.
const SweepRow* BestOf(const SweepReport& report);

/// Names of the parameters in which its experiments differ, in the order of the first. Values
/// differ as the rules of a sweep compare them (sweep/condition.h); one that an experiment lacks
/// differs.
std::vector<std::string> VariedParameters(const SweepReport& report);

/// Its table in so many columns: names and outcomes are cut, figures are not.
std::string SweepText(const SweepReport& report, std::size_t columns = kAnyWidth);
/// schema "ebb.sweep-report/1".
std::string SweepJson(const SweepReport& report);

}  // namespace ebb::report
