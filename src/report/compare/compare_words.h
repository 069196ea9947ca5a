#pragma once
// The words of a comparison for people: figures with units, differences with their intervals, and
// the answer in sentences. A figure that got worse is called worse; "less" is never used for more.

#include <string>
#include <vector>

#include "report/compare/compare.h"

namespace ebb::report {

std::string MetricText(Metric metric, double value);             ///< "32.0 g", "10m 0s", "98.50 %"
std::string SignedMetricText(Metric metric, double difference);  ///< "+1.20 g", "−0.03 points"
/// "−60.0 % (−62.1 to −57.9)" in percent of `reference`; in the metric's unit if `reference` is 0
/// or percent would mislead (accuracy, wait).
std::string ChangeWithInterval(Metric metric, const Estimate& difference, double reference);
/// The effect of a group's schedule on its emissions, for a table: "none", "−60.0 % (−62.1 to
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

/// Up to this many groups have sentences and a table each. More groups share one table.
inline constexpr std::size_t kFewGroups = 3;
/// The metrics that a table over many groups shows.
std::vector<Metric> MainMetrics(const Comparison& comparison);

/// Up to four sentences per group that is not the reference; with many groups two.
std::vector<std::string> Headlines(const Comparison& comparison);

/// True if the group is compared with the reference: it is another group, and it has a finished
/// run.
bool IsCompared(const Comparison& comparison, std::size_t group);
/// The difference of `group` in `metric`, if both groups have the metric.
const Difference* FindDifference(const Comparison& comparison, std::size_t group, Metric metric);
const GroupMetric* FindMetric(const Group& group, Metric metric);

}  // namespace ebb::report
