// The sections of the comparison page on the differences between groups and on the factors behind
// them.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units_text.h"
#include "report/compare/compare_page_sections.h"
#include "report/compare/compare_tables.h"
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

// Plotted values are in percent of the reference.
double PercentOf(double value, double reference) { return 100 * value / std::fabs(reference); }

// A wait has no natural reference, since most runs do not wait.
bool HasMark(const ChangeRow& row) { return row.reference != 0 && row.metric != Metric::kWait; }

// The axis covers every value up to 150 %. An arrow stands for values beyond that.
double ForestLimit(const std::vector<ChangeRow>& rows) {
  double limit = 10;
  for (const ChangeRow& row : rows) {
    if (!HasMark(row)) continue;
    for (const double end : {row.change.low(), row.change.high()})
      limit = std::max(limit, std::fabs(PercentOf(end, row.reference)));
  }
  limit = std::min(limit, 150.0);
  for (const double round : {10.0, 20.0, 40.0, 60.0, 80.0, 100.0})
    if (limit <= round) return round;
  return 150;
}

std::string ForestCell(const ChangeRow& row, double limit) {
  if (!HasMark(row)) return "<td class=\"soft\">not in percent</td>";
  const IntervalMark mark{PercentOf(row.change.value, row.reference),
                          PercentOf(row.change.low(), row.reference),
                          PercentOf(row.change.high(), row.reference), VerdictClass(row.verdict),
                          row.cells.front() + " " + row.ChangeText()};
  return "<td>" + DrawInterval(mark, limit) + "</td>";
}

std::string ForestTable(const std::vector<std::string>& headers,
                        const std::vector<ChangeRow>& rows) {
  const double limit = ForestLimit(rows);
  const std::vector<std::string> others(headers.begin() + 1, headers.end());
  // The answer stands in the first columns, because a phone shows the rest only after scrolling.
  std::string html = "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>" +
                     Element("th", headers.front()) + Element("th", kChangeHeading) + "<th>" +
                     DrawIntervalAxis(limit) + "</th>" + Cells("th", others) +
                     "</tr></thead><tbody>";
  for (const ChangeRow& row : rows) {
    html += "<tr>" + Element("th", row.cells.front()) + "<td class=\"" + VerdictClass(row.verdict) +
            "\"><b>" + EscapeHtml(row.verdict_text) + "</b><small>" + EscapeHtml(row.ChangeText()) +
            "</small></td>" + ForestCell(row, limit) +
            Cells("td", {row.cells.begin() + 1, row.cells.end()}) + "</tr>";
  }
  return html + "</tbody></table></div>";
}

std::string DifferenceTable(const Comparison& comparison, std::size_t group) {
  const Group& reference = comparison.groups[comparison.reference];
  const Group& other = comparison.groups[group];
  return "<div class=\"card\">" +
         ForestTable({"", reference.name + ", " + CountText(comparison, reference),
                      other.name + ", " + CountText(comparison, other)},
                     DifferenceRows(comparison, group)) +
         "</div>";
}

std::string OverviewCell(const Difference* change) {
  if (!change) return "<td></td>";
  return "<td class=\"" + VerdictClass(change->verdict) + "\"><b>" +
         EscapeHtml(ChangeAlone(*change)) + "</b><small>" +
         EscapeHtml(MetricText(change->metric, change->group_mean)) + "</small><small>" +
         EscapeHtml(std::string(Name(change->verdict))) + "</small></td>";
}

std::string OverviewCard(const Comparison& comparison) {
  std::string rows;
  for (const OverviewRow& group : OverviewRows(comparison)) {
    rows += "<tr>" + Element("th", group.name);
    for (const Difference* change : group.changes) rows += OverviewCell(change);
    rows += "</tr>";
  }
  return TableCard(OverviewHeadings(comparison, ""), rows);
}

std::string SettingsCard(const Comparison& comparison) {
  TextTable table = SettingsTable(comparison);
  for (std::size_t i = 0; i < comparison.groups.size(); ++i) {
    const Group& group = comparison.groups[i];
    if (group.schedule_effect_percent && group.schedule_effect_g->value != 0)
      table.rows[i].back() +=
          ", " + SignedMetricText(Metric::kEmissions, group.schedule_effect_g->value) + " per run";
  }
  return TableCard(table);
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
  if (many) html += OverviewCard(comparison);
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
      SettingsCard(comparison);
  const std::vector<ChangeRow> rows = FactorRows(comparison);
  if (!rows.empty())
    html += "<h3>Each factor by itself</h3><div class=\"card\">" +
            ForestTable({"", "factor", "level"}, rows) + "</div>";
  for (const std::string& note : comparison.factors.notes)
    html += "<p class=\"soft\" style=\"margin-top:10px\">" + EscapeHtml(note) + "</p>";
  return html;
}

}  // namespace ebb::report
