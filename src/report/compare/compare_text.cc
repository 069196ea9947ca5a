// A comparison as a terminal table and as Markdown.
#include <algorithm>

#include "base/columns.h"
#include "base/text.h"
#include "report/compare/compare.h"
#include "report/compare/compare_words.h"

namespace ebb::report {
namespace {

// Fewest columns for a metric's name: enough to recognise "emissions, same energy at submission".
constexpr std::size_t kLeastName = 24;

using Row = std::vector<std::string>;

struct Table {
  Row header;
  std::vector<Row> rows;
};

// Cuts the names of metrics, not the figures.
std::string LeftAligned(const Table& table, std::size_t columns) {
  std::vector<std::size_t> widths;
  const auto measure = [&](const Row& row) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], ColumnsOf(row[i]));
  };
  measure(table.header);
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
  print(table.header);
  for (const Row& row : table.rows) print(row);
  return text;
}

std::string MarkdownCell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '<' || c == '`' || c == '*' || c == '_' || c == '[')
      cell += '\\';
    cell += c == '\n' || c == '\r' ? ' ' : c;
  }
  return cell;
}

std::string MarkdownTable(const Table& table) {
  std::string text;
  const auto print = [&](const Row& row) {
    text += "|";
    for (const std::string& cell : row) text += " " + MarkdownCell(cell) + " |";
    text += "\n";
  };
  print(table.header);
  text += "|";
  for (std::size_t i = 0; i < table.header.size(); ++i) text += "---|";
  text += "\n";
  for (const Row& row : table.rows) print(row);
  return text;
}

std::string MeanText(const Group& group, Metric metric) {
  const GroupMetric* item = FindMetric(group, metric);
  return item ? MetricText(metric, item->mean.value) : "";
}

Table DifferenceTable(const Comparison& comparison, std::size_t group) {
  const Group& reference = comparison.groups[comparison.reference];
  const Group& other = comparison.groups[group];
  Table table{{"", reference.name + " (" + CountText(comparison, reference) + ")",
               other.name + " (" + CountText(comparison, other) + ")", "change, 95 % interval", ""},
              {}};
  for (const MetricInfo& info : Metrics()) {
    const Difference* difference = FindDifference(comparison, group, info.metric);
    if (!difference) continue;
    table.rows.push_back(
        {std::string(info.label), MetricText(info.metric, difference->reference_mean),
         MetricText(info.metric, difference->group_mean),
         ChangeWithInterval(info.metric, difference->difference, difference->reference_mean),
         VerdictText(*difference)});
  }
  return table;
}

// The table of a single group, which has no differences.
Table GroupTable(const Comparison& comparison, const Group& group) {
  Table table{{"", group.name + " (" + CountText(comparison, group) + ")"}, {}};
  for (const GroupMetric& item : group.metrics)
    table.rows.push_back({std::string(Info(item.metric).label), MeanText(group, item.metric)});
  return table;
}

Table SettingsTable(const Comparison& comparison) {
  Table table{{"group", "schedule", "batch x accumulation", "precision",
               "the schedule's own effect on emissions"},
              {}};
  for (const Group& group : comparison.groups)
    table.rows.push_back({group.name, group.schedule, group.accumulation, group.precision,
                          ScheduleEffectText(group)});
  return table;
}

Table FactorTable(const Comparison& comparison) {
  Table table{{"factor", "metric", "own effect, 95 % interval", ""}, {}};
  const Group& reference = comparison.groups[comparison.reference];
  for (const FactorEffect& effect : comparison.factors.effects) {
    const GroupMetric* mean = FindMetric(reference, effect.metric);
    table.rows.push_back(
        {std::string(Name(effect.factor)) + ": " + effect.level + " instead of " +
             effect.reference_level,
         std::string(Info(effect.metric).label),
         ChangeWithInterval(effect.metric, effect.effect, mean ? mean->mean.value : 0),
         VerdictText(effect)});
  }
  return table;
}

// One row per group: its changes and their verdict.
Table OverviewTable(const Comparison& comparison) {
  const std::vector<Metric> metrics = MainMetrics(comparison);
  Table table{{"against " + comparison.groups[comparison.reference].name}, {}};
  for (const Metric metric : metrics) table.header.emplace_back(Info(metric).label);
  for (std::size_t group = 0; group < comparison.groups.size(); ++group) {
    if (!IsCompared(comparison, group)) continue;
    Row row{comparison.groups[group].name};
    for (const Metric metric : metrics) {
      const Difference* difference = FindDifference(comparison, group, metric);
      row.push_back(difference
                        ? ChangeAlone(*difference) + " " + std::string(Name(difference->verdict))
                        : "");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<Table> DifferenceTables(const Comparison& comparison) {
  std::vector<Table> tables;
  for (std::size_t group = 0; group < comparison.groups.size(); ++group)
    if (IsCompared(comparison, group)) tables.push_back(DifferenceTable(comparison, group));
  if (tables.empty())
    tables.push_back(GroupTable(comparison, comparison.groups[comparison.reference]));
  return tables;
}

std::vector<Table> TerminalTables(const Comparison& comparison) {
  if (comparison.groups.size() > kFewGroups)
    return {GroupTable(comparison, comparison.groups[comparison.reference]),
            OverviewTable(comparison)};
  return DifferenceTables(comparison);
}

}  // namespace

std::string ComparisonText(const Comparison& comparison, std::size_t columns) {
  std::string text;
  for (const std::string& headline : comparison.headlines) text += headline + "\n";
  for (const Table& table : TerminalTables(comparison)) text += "\n" + LeftAligned(table, columns);
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
      "# Comparison with " + MarkdownCell(comparison.groups[comparison.reference].name) + "\n";
  for (const std::string& headline : comparison.headlines)
    text += "\n" + MarkdownCell(headline) + "\n";
  text += "\n## Differences\n";
  if (comparison.groups.size() > kFewGroups)
    text += "\n" + MarkdownTable(OverviewTable(comparison));
  for (const Table& table : DifferenceTables(comparison)) text += "\n" + MarkdownTable(table);
  text += "\n## Settings\n\n" + MarkdownTable(SettingsTable(comparison));
  if (!comparison.factors.effects.empty() || !comparison.factors.notes.empty())
    text += "\n## Factors\n";
  if (!comparison.factors.effects.empty()) text += "\n" + MarkdownTable(FactorTable(comparison));
  for (const std::string& note : comparison.factors.notes) text += "\n" + MarkdownCell(note) + "\n";
  if (!comparison.notices.empty()) text += "\n## Notes\n\n";
  for (const std::string& notice : comparison.notices) text += "- " + MarkdownCell(notice) + "\n";
  return text;
}

}  // namespace ebb::report
