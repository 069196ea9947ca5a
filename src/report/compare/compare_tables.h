#pragma once
// The tables of a comparison, described once for the terminal, Markdown and the page: changes
// against the reference, the overview of many groups, and the settings of the groups.

#include <string>
#include <vector>

#include "report/compare/compare.h"

namespace ebb::report {

/// A change in one metric, with its interval and verdict.
struct ChangeRow {
  std::vector<std::string> cells;  ///< the first one is the name of the row
  Metric metric = Metric::kEmissions;
  Estimate change;
  double reference = 0;  ///< mean of the reference group
  Verdict verdict = Verdict::kNone;
  std::string verdict_text;
  std::string ChangeText() const;  ///< with its interval
};
inline constexpr const char* kChangeHeading = "change, 95 % interval";

/// The changes of a group against the reference group. Cells: metric, mean of the reference group,
/// mean of the group.
std::vector<ChangeRow> DifferenceRows(const Comparison& comparison, std::size_t group);
/// The effects of single factors. Cells: metric, factor, "level instead of reference level".
std::vector<ChangeRow> FactorRows(const Comparison& comparison);

/// The changes of a group in each of MainMetrics; nullptr if the metric is not known.
struct OverviewRow {
  std::string name;
  std::vector<const Difference*> changes;
};
std::vector<OverviewRow> OverviewRows(const Comparison& comparison);
/// `corner`, and the label of each of MainMetrics.
std::vector<std::string> OverviewHeadings(const Comparison& comparison, const std::string& corner);

/// The settings of each group, and the effect of its schedule in the last column.
TextTable SettingsTable(const Comparison& comparison);

}  // namespace ebb::report
