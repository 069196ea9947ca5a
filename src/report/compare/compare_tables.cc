#include "report/compare/compare_tables.h"

#include "report/compare/compare_words.h"

namespace ebb::report {

std::string ChangeRow::ChangeText() const { return ChangeWithInterval(metric, change, reference); }

std::vector<ChangeRow> DifferenceRows(const Comparison& comparison, std::size_t group) {
  std::vector<ChangeRow> rows;
  for (const MetricInfo& info : Metrics()) {
    const Difference* difference = FindDifference(comparison, group, info.metric);
    if (!difference) continue;
    rows.push_back({{std::string(info.label), MetricText(info.metric, difference->reference_mean),
                     MetricText(info.metric, difference->group_mean)},
                    info.metric,
                    difference->difference,
                    difference->reference_mean,
                    difference->verdict,
                    VerdictText(*difference)});
  }
  return rows;
}

std::vector<ChangeRow> FactorRows(const Comparison& comparison) {
  std::vector<ChangeRow> rows;
  for (const FactorEffect& effect : comparison.factors.effects) {
    const GroupMetric* mean = FindMetric(comparison.groups[comparison.reference], effect.metric);
    rows.push_back({{std::string(Info(effect.metric).label), std::string(Name(effect.factor)),
                     effect.level + " instead of " + effect.reference_level},
                    effect.metric,
                    effect.effect,
                    mean ? mean->mean.value : 0,
                    effect.verdict,
                    VerdictText(effect)});
  }
  return rows;
}

std::vector<OverviewRow> OverviewRows(const Comparison& comparison) {
  std::vector<OverviewRow> rows;
  for (std::size_t group = 0; group < comparison.groups.size(); ++group) {
    if (!IsCompared(comparison, group)) continue;
    OverviewRow& row = rows.emplace_back(comparison.groups[group].name);
    for (const Metric metric : MainMetrics(comparison))
      row.changes.push_back(FindDifference(comparison, group, metric));
  }
  return rows;
}

std::vector<std::string> OverviewHeadings(const Comparison& comparison, const std::string& corner) {
  std::vector<std::string> headings{corner};
  for (const Metric metric : MainMetrics(comparison)) headings.emplace_back(Info(metric).label);
  return headings;
}

TextTable SettingsTable(const Comparison& comparison) {
  TextTable table{{"group", "schedule", "batch x accumulation", "precision",
                   "the schedule's own effect on emissions"},
                  {},
                  false};
  for (const Group& group : comparison.groups)
    table.rows.push_back({group.name, group.schedule, group.accumulation, group.precision,
                          ScheduleEffectText(group)});
  return table;
}

}  // namespace ebb::report
