// The sections of the comparison page on the differences between groups and on the factors behind
// them.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units_text.h"
#include "report/compare/compare_page_sections.h"
#include "report/compare/compare_words.h"
#include "report/draw/page_parts.h"
#include "report/draw/svg_plot.h"

namespace ebb::report {
namespace {

std::string VerdictClass(Verdict verdict) {
  switch (verdict) {
    case Verdict::kBetter:
      return "better";
    case Verdict::kWorse:
      return "worse";
    case Verdict::kNoClearDifference:
    case Verdict::kNone:
      return "unclear";
  }
  return "";
}

// A row of the forest plot. Plotted values are in percent of the reference.
struct ForestRow {
  std::vector<std::string> cells;
  Metric metric;
  Estimate estimate;
  double reference = 0;
  Verdict verdict;
  std::string verdict_text;
};

double PercentOf(double value, double reference) { return 100 * value / std::fabs(reference); }

// A wait has no natural reference, since most runs do not wait.
bool HasMark(const ForestRow& row) { return row.reference != 0 && row.metric != Metric::kWait; }

// The axis covers every value up to 150 %. An arrow stands for values beyond that.
double ForestLimit(const std::vector<ForestRow>& rows) {
  double limit = 10;
  for (const ForestRow& row : rows) {
    if (!HasMark(row)) continue;
    for (const double end : {row.estimate.low(), row.estimate.high()})
      limit = std::max(limit, std::fabs(PercentOf(end, row.reference)));
  }
  limit = std::min(limit, 150.0);
  for (const double round : {10.0, 20.0, 40.0, 60.0, 80.0, 100.0})
    if (limit <= round) return round;
  return 150;
}

std::string ForestCell(const ForestRow& row, double limit) {
  if (!HasMark(row)) return "<td class=\"soft\">not in percent</td>";
  const IntervalMark mark{
      PercentOf(row.estimate.value, row.reference), PercentOf(row.estimate.low(), row.reference),
      PercentOf(row.estimate.high(), row.reference), VerdictClass(row.verdict),
      row.cells.front() + " " + ChangeWithInterval(row.metric, row.estimate, row.reference)};
  return "<td>" + DrawInterval(mark, limit) + "</td>";
}

std::string ForestTable(const std::vector<std::string>& headers,
                        const std::vector<ForestRow>& rows) {
  const double limit = ForestLimit(rows);
  const std::vector<std::string> others(headers.begin() + 1, headers.end());
  // The answer stands in the first columns, because a phone shows the rest only after scrolling.
  std::string html = "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>" +
                     Element("th", headers.front()) + "<th>change, 95 % interval</th><th>" +
                     DrawIntervalAxis(limit) + "</th>" + Cells("th", others) +
                     "</tr></thead><tbody>";
  for (const ForestRow& row : rows) {
    html += "<tr>" + Element("th", row.cells.front()) + "<td class=\"" + VerdictClass(row.verdict) +
            "\"><b>" + EscapeHtml(row.verdict_text) + "</b><small>" +
            EscapeHtml(ChangeWithInterval(row.metric, row.estimate, row.reference)) +
            "</small></td>" + ForestCell(row, limit) +
            Cells("td", {row.cells.begin() + 1, row.cells.end()}) + "</tr>";
  }
  return html + "</tbody></table></div>";
}

std::string DifferenceTable(const Comparison& comparison, std::size_t group) {
  std::vector<ForestRow> rows;
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
  const Group& reference = comparison.groups[comparison.reference];
  const Group& other = comparison.groups[group];
  return "<div class=\"card\">" +
         ForestTable({"", reference.name + ", " + CountText(comparison, reference),
                      other.name + ", " + CountText(comparison, other)},
                     rows) +
         "</div>";
}

std::string OverviewRow(const Comparison& comparison, std::size_t group) {
  std::string html = "<tr>" + Element("th", comparison.groups[group].name);
  for (const Metric metric : MainMetrics(comparison)) {
    const Difference* difference = FindDifference(comparison, group, metric);
    html += difference
                ? "<td class=\"" + VerdictClass(difference->verdict) + "\"><b>" +
                      EscapeHtml(ChangeAlone(*difference)) + "</b><small>" +
                      EscapeHtml(MetricText(metric, difference->group_mean)) + "</small><small>" +
                      EscapeHtml(std::string(Name(difference->verdict))) + "</small></td>"
                : "<td></td>";
  }
  return html + "</tr>";
}

std::string OverviewTable(const Comparison& comparison) {
  std::vector<std::string> headers{""};
  for (const Metric metric : MainMetrics(comparison)) headers.emplace_back(Info(metric).label);
  std::string html = "<div class=\"card scroll\" tabindex=\"0\"><table><thead><tr>" +
                     Cells("th", headers) + "</tr></thead><tbody>";
  for (std::size_t group = 0; group < comparison.groups.size(); ++group)
    if (IsCompared(comparison, group)) html += OverviewRow(comparison, group);
  return html + "</tbody></table></div>";
}

std::string ScheduleTable(const Comparison& comparison) {
  std::string html = "<div class=\"card scroll\" tabindex=\"0\"><table><thead><tr>" +
                     Cells("th", {"group", "schedule", "batch x accumulation", "precision",
                                  "the schedule's own effect on emissions"}) +
                     "</tr></thead><tbody>";
  for (const Group& group : comparison.groups) {
    std::string effect = ScheduleEffectText(group);
    if (group.schedule_effect_percent && group.schedule_effect_g->value != 0)
      effect +=
          ", " + SignedMetricText(Metric::kEmissions, group.schedule_effect_g->value) + " per run";
    html += "<tr>" + Element("th", group.name) +
            Cells("td", {group.schedule, group.accumulation, group.precision, effect}) + "</tr>";
  }
  return html + "</tbody></table></div>";
}

}  // namespace

std::string DifferencesSection(const Comparison& comparison) {
  if (comparison.groups.size() < 2) return "";
  const bool many = comparison.groups.size() > kFewGroups;
  std::string html =
      "<h2>What changed</h2><p class=\"soft\">Change against " +
      EscapeHtml(comparison.groups[comparison.reference].name) +
      ". The line is the 95 % confidence interval, from three seeds on; where it "
      "crosses zero there is no clear difference. With fewer seeds there is no verdict.</p>";
  if (many) html += OverviewTable(comparison);
  for (std::size_t group = 0; group < comparison.groups.size(); ++group) {
    if (!IsCompared(comparison, group)) continue;
    const std::string name = comparison.groups[group].name;
    if (many)
      html += "<details><summary>" + EscapeHtml(name) + " with intervals</summary>" +
              DifferenceTable(comparison, group) + "</details>";
    else
      html += (comparison.groups.size() > 2 ? Element("h3", name) : "") +
              DifferenceTable(comparison, group);
  }
  return html;
}

std::string FactorsSection(const Comparison& comparison) {
  std::string html =
      "<h2>What did it</h2><p class=\"soft\">The schedule's own effect compares each run with the "
      "same measured energy, run at submission; it needs no second run.</p>" +
      ScheduleTable(comparison);
  std::vector<ForestRow> rows;
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
  if (!rows.empty())
    html += "<h3>Each factor by itself</h3><div class=\"card\">" +
            ForestTable({"", "factor", "level"}, rows) + "</div>";
  for (const std::string& note : comparison.factors.notes)
    html += "<p class=\"soft\" style=\"margin-top:10px\">" + EscapeHtml(note) + "</p>";
  return html;
}

}  // namespace ebb::report
