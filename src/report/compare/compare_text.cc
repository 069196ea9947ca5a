// A comparison as a terminal table and as Markdown.
#include <algorithm>

#include "base/columns.h"
#include "base/text.h"
#include "report/compare/compare_tables.h"
#include "report/compare/compare_words.h"
#include "report/markdown.h"

namespace ebb::report {
namespace {

// Fewest columns for a metric's name: enough to recognise "emissions, same energy at submission".
constexpr std::size_t kLeastName = 24;

using Row = std::vector<std::string>;

// Cuts the names of metrics, not the figures.
std::string LeftAligned(const TextTable& table, std::size_t columns) {
  std::vector<std::size_t> widths;
  const auto measure = [&](const Row& row) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], ColumnsOf(row[i]));
  };
  measure(table.headers);
  for (const Row& row : table.rows) measure(row);
  std::size_t sum = 2 * (widths.size() - 1);
  for (const std::size_t width : widths) sum += width;
  while (sum > columns && widths[0] > kLeastName) --sum, --widths[0];
  std::string text;
  const auto print = [&](const Row& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += (i ? "  " : "") + CutOrPad(row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  print(table.headers);
  for (const Row& row : table.rows) print(row);
  return text;
}

std::string MeanText(const Group& group, Metric metric) {
  const GroupMetric* item = FindMetric(group, metric);
  return item ? MetricText(metric, item->mean.value) : "";
}

std::string NameOf(const Comparison& comparison, const Group& group) {
  return group.name + " (" + CountText(comparison, group) + ")";
}

TextTable DifferenceTable(const Comparison& comparison, std::size_t group) {
  TextTable table;
  table.headers = {"", NameOf(comparison, comparison.groups[comparison.reference]),
                   NameOf(comparison, comparison.groups[group]), kChangeHeading, ""};
  for (const ChangeRow& row : DifferenceRows(comparison, group))
    table.rows.push_back(
        {row.cells[0], row.cells[1], row.cells[2], row.ChangeText(), row.verdict_text});
  return table;
}

// The table of a single group, which has no differences.
TextTable GroupTable(const Comparison& comparison, const Group& group) {
  TextTable table;
  table.headers = {"", NameOf(comparison, group)};
  for (const GroupMetric& item : group.metrics)
    table.rows.push_back({std::string(Info(item.metric).label), MeanText(group, item.metric)});
  return table;
}

TextTable FactorTable(const Comparison& comparison) {
  TextTable table;
  table.headers = {"factor", "metric", "own effect, 95 % interval", ""};
  for (const ChangeRow& row : FactorRows(comparison))
    table.rows.push_back(
        {row.cells[1] + ": " + row.cells[2], row.cells[0], row.ChangeText(), row.verdict_text});
  return table;
}

// One row per group: its changes and their verdict.
TextTable OverviewTable(const Comparison& comparison) {
  TextTable table;
  table.headers =
      OverviewHeadings(comparison, "against " + comparison.groups[comparison.reference].name);
  for (const OverviewRow& group : OverviewRows(comparison)) {
    Row& row = table.rows.emplace_back(Row{group.name});
    for (const Difference* change : group.changes)
      row.push_back(change ? ChangeAlone(*change) + " " + std::string(Name(change->verdict)) : "");
  }
  return table;
}

std::vector<TextTable> DifferenceTables(const Comparison& comparison) {
  std::vector<TextTable> tables;
  for (std::size_t group = 0; group < comparison.groups.size(); ++group)
    if (IsCompared(comparison, group)) tables.push_back(DifferenceTable(comparison, group));
  if (tables.empty())
    tables.push_back(GroupTable(comparison, comparison.groups[comparison.reference]));
  return tables;
}

std::vector<TextTable> TerminalTables(const Comparison& comparison) {
  if (comparison.groups.size() > kFewGroups)
    return {GroupTable(comparison, comparison.groups[comparison.reference]),
            OverviewTable(comparison)};
  return DifferenceTables(comparison);
}

}  // namespace

std::string ComparisonText(const Comparison& comparison, std::size_t columns) {
  std::string text;
  for (const std::string& headline : comparison.headlines) text += headline + "\n";
  for (const TextTable& table : TerminalTables(comparison))
    text += "\n" + LeftAligned(table, columns);
  text += "\n" + LeftAligned(SettingsTable(comparison), columns);
  if (!comparison.factors.effects.empty())
    text += "\n" + LeftAligned(FactorTable(comparison), columns);
  for (const std::string& note : comparison.factors.notes) text += "\n" + note + "\n";
  if (!comparison.notices.empty()) text += "\n";
  for (const std::string& notice : comparison.notices) text += "note: " + notice + "\n";
  return text;
}

std::string ComparisonMarkdown(const Comparison& comparison) {
  std::string text =
      "# Comparison with " + EscapeMarkdown(comparison.groups[comparison.reference].name) + "\n";
  for (const std::string& headline : comparison.headlines)
    text += "\n" + EscapeMarkdown(headline) + "\n";
  text += "\n## Differences\n";
  if (comparison.groups.size() > kFewGroups)
    text += "\n" + MarkdownTable(OverviewTable(comparison));
  for (const TextTable& table : DifferenceTables(comparison)) text += "\n" + MarkdownTable(table);
  text += "\n## Settings\n\n" + MarkdownTable(SettingsTable(comparison));
  if (!comparison.factors.effects.empty() || !comparison.factors.notes.empty())
    text += "\n## Factors\n";
  if (!comparison.factors.effects.empty()) text += "\n" + MarkdownTable(FactorTable(comparison));
  for (const std::string& note : comparison.factors.notes)
    text += "\n" + EscapeMarkdown(note) + "\n";
  if (!comparison.notices.empty()) text += "\n## Notes\n\n";
  for (const std::string& notice : comparison.notices) text += "- " + EscapeMarkdown(notice) + "\n";
  return text;
}

}  // namespace ebb::report
