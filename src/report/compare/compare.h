#pragma once
// Compares runs: groups of repeats (report/compare/group_names.h), each group against a reference
// group, metric by metric, with a 95 % confidence interval from three seeds on. Also separates the
// factors behind a difference (schedule, accumulation, precision).
//
// Method. Differences: Student's t on the per-seed differences (paired), or Welch's t with its
// degrees of freedom rounded down if seeds do not match. Factors: runs of one seed that differ in
// one factor alone, averaged over such pairs and then over seeds; if a factor has no such pair,
// ordinary least squares over all runs with one effect per level and one block per seed. Quantities
// that factors multiply (emissions, energy, time, memory) are fitted by their logarithm, the others
// as they are; no interactions. A factor whose effect cannot be told from another's is reported as
// confounded with it, never split. The schedule's own effect on emissions needs no second run: it
// is each run's emissions minus those of the same measured energy at submission.
//
// Formats (schema "ebb.comparison/1", NEO's comparison_report.json): docs/compare.md.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/run/run.h"
#include "report/compare/statistics.h"
#include "report/run/summary.h"
#include "report/text_table.h"

namespace ebb::report {

enum class Metric {
  kEnergyPerToken,         ///< J
  kEmissionsPerToken,      ///< g
  kEnergyPerSample,        ///< J
  kEmissionsPerSample,     ///< g
  kEnergyPerStep,          ///< J, if the program reports neither samples nor tokens
  kEmissionsPerStep,       ///< g, likewise
  kEmissions,              ///< g
  kEmissionsAtSubmission,  ///< g, for the same measured energy at submission
  kEnergy,                 ///< J, IT energy
  kRunningTime,            ///< s
  kWait,                   ///< s, grid clock
  kPeakMemory,             ///< bytes of tensors
  kTestAccuracy,           ///< percent
  kTestLoss,
};
inline constexpr int kMetricCount = 14;

/// A metric's stable name in files ("emissions_g"), and its label and unit for people.
struct MetricInfo {
  Metric metric;
  std::string_view key;
  std::string_view label;
  std::string_view unit;
  bool lower_is_better = true;
};
std::span<const MetricInfo> Metrics();
const MetricInfo& Info(Metric metric);

/// kNone: there are too few repeats for an interval, so the verdict is unknown.
enum class Verdict { kBetter, kWorse, kNoClearDifference, kNone };
/// "better", "worse", "no clear difference", "no verdict".
std::string_view Name(Verdict verdict);

/// One run with the figures that a comparison needs.
struct ComparedRun {
  core::RunRecord record;
  Summary summary;
  std::optional<double> Value(Metric metric) const;
};

struct GroupMetric {
  Metric metric;
  Estimate mean;  ///< mean over the group's runs that have the metric
};

struct Group {
  std::string name;
  std::vector<std::size_t> runs;        ///< finished runs, as indices into Comparison::runs
  std::vector<std::size_t> unfinished;  ///< unfinished runs; nothing below counts them
  std::string schedule, accumulation, precision;  ///< factor levels; "mixed" when runs disagree
  std::vector<GroupMetric> metrics;
  /// Emissions minus emissions at submission, which is the effect of the schedule; negative is a
  /// saving.
  std::optional<Estimate> schedule_effect_g;
  std::optional<double> schedule_effect_percent;  ///< percent of the emissions at submission
};

/// A group against the reference group.
struct Difference {
  std::size_t group = 0;
  Metric metric = Metric::kEmissions;
  double reference_mean = 0;
  double group_mean = 0;
  std::size_t most_repeats = 0;   ///< repeats of the larger group
  Estimate difference;            ///< group minus reference
  std::optional<double> percent;  ///< of the reference mean; absent if that is 0, and for waits
  bool paired = false;
  Verdict verdict = Verdict::kNone;
};

enum class Factor { kSchedule, kAccumulation, kPrecision };
std::string_view Name(Factor factor);

/// The effect of one factor level against the reference level, the other factors held fixed.
struct FactorEffect {
  Factor factor = Factor::kSchedule;
  std::string level, reference_level;
  Metric metric = Metric::kEmissions;
  Estimate effect;
  std::optional<double> percent;  ///< percent of the reference group's mean
  Verdict verdict = Verdict::kNone;
};

struct FactorReport {
  std::vector<Factor> varied;
  std::vector<FactorEffect> effects;
  /// Sets of factors that never vary apart. `notes` has one sentence per set.
  std::vector<std::vector<Factor>> confounded;
  std::vector<std::string> notes;
};

struct Comparison {
  std::vector<ComparedRun> runs;
  std::vector<Group> groups;  ///< in the order given; groups[reference] is the reference
  std::size_t reference = 0;
  std::vector<Difference> differences;
  FactorReport factors;
  std::vector<std::string> notices;  ///< on replayed clocks, skipped waits, missing comparisons
  /// The answer in sentences: emissions, energy, time, memory and accuracy of each group.
  std::vector<std::string> headlines;
};

struct CompareOptions {
  std::string baseline;                ///< group to compare with; empty: the first run's group
  std::vector<std::string> notices{};  ///< the caller's notices, which come first in the comparison
  bool unlike_programs = false;        ///< compare groups of several programs, not only of one
};

/// Fails if there is no run, if no two groups are of one program (report/compare/one_program.h), if
/// the baseline names no group (with a suggestion), or if average and marginal intensities would be
/// compared with each other.
Result<Comparison> Compare(std::vector<core::RunRecord> runs, const CompareOptions& options = {});

/// JSON in the schema "ebb.comparison/1".
std::string ComparisonJson(const Comparison& comparison);
/// NEO's comparison_report.json, with means over seeds: the reference group is "baseline", and the
/// first other group is "optimized" (the reference itself if it is the only group).
std::string NeoComparisonJson(const Comparison& comparison, Time generated_at);
std::string ComparisonMarkdown(const Comparison& comparison);
/// The comparison for a terminal of `columns`, aligned and without colour codes. Names are cut,
/// figures are not.
std::string ComparisonText(const Comparison& comparison, std::size_t columns = kAnyWidth);

}  // namespace ebb::report
