#pragma once
// The summary of one run in figures: its wait, energy and emissions, and the emissions of the same
// measured energy at submission and at the best start in hindsight (core/counterfactual). Written
// as summary.json (schema "ebb.summary/1", docs/run-directory.md), as NEO's summary_<run>.json, and
// as text for a terminal.
//
// A saving is always the difference to a stated baseline on the same energy; a negative one is kept
// negative here and called "worse" wherever it is printed. Energy whose intensity is unknown is
// stated and never counted as 0 g.

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/ledger/counterfactual.h"
#include "core/run/run.h"
#include "core/run/uncertainty.h"
#include "report/run/cost_summary.h"
#include "report/run/had_it_waited.h"

namespace ebb::report {

/// Energy and emissions of one epoch, attributed by time.
struct EpochSummary {
  core::Epoch epoch;
  core::LedgerTotals totals;
};

/// The emissions of the same measured energy at another start.
struct Alternative {
  core::Counterfactual run;
  /// Alternative minus actual; negative if the actual run was worse. Absent if any energy of either
  /// has no intensity: grams of unlike amounts of energy are not compared.
  std::optional<Emissions> saving;
  std::optional<double> saving_percent;  ///< of the alternative; absent if that emits nothing
  /// Half of the saving's 95 % interval, in grams (core/run/uncertainty.h); absent if not computed.
  std::optional<double> half_width_g;
  /// True if 0 lies outside of that interval. A saving of exactly 0 has no error.
  bool IsClear() const {
    return !saving || !half_width_g || saving->grams == 0 ||
           std::abs(saving->grams) > *half_width_g;
  }
};

/// The same energy on a second signal of the other kind; never added to the first.
struct OtherTotals {
  core::SignalKind kind = core::SignalKind::kMarginal;
  core::LedgerTotals totals;
  core::Uncertainty uncertainty;
};

struct Summary {
  core::LedgerTotals totals;
  core::Uncertainty uncertainty;
  std::optional<OtherTotals> other;
  std::optional<double> water_l;      ///< IT energy x WUE; absent without a WUE
  std::optional<Emissions> embodied;  ///< the run's share; in no total
  std::optional<Intensity> intensity_at_submission;
  core::SampleStatus intensity_at_submission_status = core::SampleStatus::kMeasured;
  std::optional<Time> started;  ///< grid time
  Time ended{};                 ///< grid time of the last attempt's end; submission if none began
  Duration waited{};            ///< grid clock, submission to first start
  Duration running_time{};      ///< wall clock, pauses excluded
  int attempts = 0;
  core::AttemptOutcome outcome = core::AttemptOutcome::kNotStarted;
  std::vector<EpochSummary> epochs;
  /// Energy and emissions of one unit of the reported work, the finest unit first; empty if none is
  /// reported. They have the uncertainty of the energy and of the emissions: counts are exact.
  std::vector<core::UnitUse> per_unit;
  std::optional<Alternative> at_submission;  ///< (a); absent when nothing was measured
  /// (b) best start in hindsight between submission and the latest start; its `saving` is what the
  /// actual run could still have saved, so it is normally <= 0. Absent when no start has a known
  /// intensity throughout.
  std::optional<Alternative> best_in_hindsight;
  /// Saving against (a) as a share of the largest saving possible; absent when there was none to
  /// make.
  std::optional<double> share_of_possible_saving;
  /// Estimate for a run that was not to wait; absent if no later hours are known.
  std::optional<HadItWaited> had_it_waited;
  std::optional<CostSummary> cost;  ///< cost of the electricity; absent without prices
};

Summary Summarise(const core::RunRecord& run);
/// The emissions of all of the energy; nothing if they are unknown for any part of it.
std::optional<Emissions> EmissionsOfAll(const core::LedgerTotals& totals);

/// The grid time at which the rows of the ledger would have begun if the gate had not waited. If
/// the gate never said wait, the run began at submission, however many milliseconds its start took.
/// The ledger must not be empty.
Time StartAtSubmission(const core::RunRecord& run);

/// "The grid clock was replayed ..."; one sentence each, empty for a live run that slept its waits.
std::vector<std::string> ReplayNotices(const core::RunRecord& run);

/// JSON in the schema "ebb.summary/1".
std::string SummaryJson(const core::RunRecord& run, const Summary& summary);
/// NEO's summary: the field names of its code and those of its article side by side.
std::string NeoSummaryJson(const core::RunRecord& run, const Summary& summary,
                           const std::string& output_dir);
/// A few aligned lines for the end of a run, each ending in a newline; no colour codes.
std::string SummaryText(const core::RunRecord& run, const Summary& summary);

/// Writes summary.json and summary_<run name>.json into `run_directory`.
Status WriteSummaries(const std::filesystem::path& run_directory, const core::RunRecord& run,
                      const Summary& summary);

}  // namespace ebb::report
