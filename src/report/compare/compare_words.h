#pragma once
// How a comparison speaks to people: figures with units, differences with their intervals, and the
// answer in sentences. What got worse is called worse; "less" is never said of more.

#include <string>
#include <vector>

#include "report/compare/compare.h"

namespace ebb::report {

std::string MetricText(Metric metric, double value);             ///< "32.0 g", "10m 0s", "98.50 %"
std::string SignedMetricText(Metric metric, double difference);  ///< "+1.20 g", "−0.03 points"
/// "−60.0 % (−62.1 to −57.9)", in percent of `reference`; in the metric's unit where that is 0 or
/// percent would mislead (accuracy, wait).
std::string ChangeWithInterval(Metric metric, const Estimate& difference, double reference);
/// What the schedule of a group did to its emissions, for a table: "none", "−60.0 % (−62.1 to
/// −57.9)", "unknown: no run finished".
std::string ScheduleEffectText(const Group& group);
/// "better", "one run each: no verdict".
std::string VerdictText(const Difference& difference);
/// "better", "one seed: no verdict".
std::string VerdictText(const FactorEffect& effect);
/// The change alone: "−60.0 %", "−0.03 points".
std::string ChangeAlone(const Difference& difference);
/// "3 seeds", "1 run".
std::string CountText(const Comparison& comparison, const Group& group);

/// Up to this many groups each get sentences and a table of their own; more are told in one table.
inline constexpr std::size_t kFewGroups = 3;
/// What a table over many groups shows.
inline constexpr Metric kMainMetrics[] = {Metric::kEmissions, Metric::kEnergy, Metric::kRunningTime,
                                          Metric::kPeakMemory, Metric::kTestAccuracy};

/// Up to three sentences per group that is not the reference; with many groups one.
std::vector<std::string> Headlines(const Comparison& comparison);

/// Whether the group is held against the reference: another one, of which a run finished.
bool IsCompared(const Comparison& comparison, std::size_t group);
/// The difference of `group` in `metric`, if both groups have the metric.
const Difference* FindDifference(const Comparison& comparison, std::size_t group, Metric metric);
const GroupMetric* FindMetric(const Group& group, Metric metric);

}  // namespace ebb::report
