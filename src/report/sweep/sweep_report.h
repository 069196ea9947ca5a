#pragma once
// The result of a sweep: its experiments ranked by validation loss (or by energy or emissions per
// unit of work) with the emissions of each, and
// the Pareto front of loss and grams: complete experiments that no other beats in both. Experiments
// that failed, were stopped early or have not run are listed as such and never ranked.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/units.h"
#include "core/jobs/submission.h"
#include "core/ledger/work.h"
#include "report/described_json.h"
#include "report/text_table.h"

namespace ebb::report {

/// Outcomes of experiments. Unranked experiments are listed in this order.
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
/// True if the experiment will not run any more.
bool IsOver(SweepOutcome outcome);
std::string_view Name(SweepOutcome outcome);

struct SweepRow {
  std::optional<std::int64_t> job;  ///< number of its job, if it belongs to the queue service
  std::string name, tier;
  core::Parameters parameters;
  SweepOutcome outcome = SweepOutcome::kNotRun;
  std::optional<double> loss;  ///< loss of the last epoch: validation, or training if there is none
  bool loss_is_validation = true;
  int epochs = 0;
  Energy energy;
  std::optional<Emissions> emissions;  ///< absent: nothing ran, or some energy has no intensity
  core::Work work;                     ///< as the program reported it
  Duration waited{};                   ///< grid clock
  std::optional<Duration> ran;         ///< wall clock
  int attempts = 0;
  std::string note;
  bool on_front = false;
  std::vector<core::UnitUse> per_unit() const { return core::UsePerUnit(work, energy, emissions); }
};

/// The figure by which experiments are ranked, the least first. Energy and emissions are those per
/// unit of work: the finest unit that every experiment reports that is done.
enum class RankBy { kLoss, kEnergy, kEmissions };
std::string_view Name(RankBy by);
/// `where`: the flag or key that has the text, for the Error.
Result<RankBy> ParseRankBy(const std::string& where, const std::string& text);

/// The machine's use while experiments ran, except that of the experiments themselves. Emissions
/// are absent if some of the energy has no intensity.
struct SweepMachine {
  Energy idle, unattributed;
  std::optional<Emissions> idle_emissions, unattributed_emissions;
  void Describe(DescribedJson& json) const;
};

struct SweepReport {
  std::optional<std::int64_t> number;  ///< number of the sweep in the queue service
  std::string name;
  RankBy ranked_by = RankBy::kLoss;
  std::vector<SweepRow> rows;  ///< ranked: complete ones first
  std::vector<std::string> notices;
  Energy energy;
  Emissions emissions;
  std::optional<SweepMachine> machine;  ///< absent if unknown
  int stopped_early = 0;
  Energy saved_energy;        ///< estimate for experiments that were stopped early
  Emissions saved_emissions;  ///< the same in emissions
  void Describe(DescribedJson& json) const;
};

/// Notes that the training diverged at that step, in place of an exit code. A running experiment
/// may go on.
void SayDiverged(SweepRow& row, std::int64_t step);

/// Adds the training's notices on its data or its end, if the row has no other note.
void SayNotices(SweepRow& row, const std::vector<std::string>& notices);

/// Orders the rows by `report.ranked_by` and marks the front.
void Rank(SweepReport& report);
/// The first row of a report whose rows are in order; nullptr if none is ranked.
const SweepRow* BestOf(const SweepReport& report);

/// Names of the parameters in which the experiments differ, in the order of the first experiment.
/// Values differ by the rules of a sweep (sweep/condition.h). A parameter that an experiment lacks
/// differs.
std::vector<std::string> VariedParameters(const SweepReport& report);

/// The report as text. Its table fits into `columns`: names and outcomes are cut, figures are not.
std::string SweepText(const SweepReport& report, std::size_t columns = kAnyWidth);
/// JSON in the schema "ebb.sweep-report/1".
std::string SweepJson(const SweepReport& report);

}  // namespace ebb::report
