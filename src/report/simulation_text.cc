#include "report/simulation_text.h"

#include <algorithm>

namespace ebb::report {
namespace {

// Characters, not bytes.
std::size_t Width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool IsEmptyColumn(const TextTable& table, std::size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return row[column].empty() || row[column] == "-"; });
}

std::string Line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                 bool ends_in_text) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (widths[i] == 0) continue;
    const bool left = i == 0 || (ends_in_text && i + 1 == cells.size());
    const std::string pad(widths[i] - Width(cells[i]), ' ');
    line += (line.empty() ? "  " : "   ") + (left ? cells[i] + pad : pad + cells[i]);
  }
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

}  // namespace

std::string AlignedTable(const TextTable& table) {
  std::vector<std::size_t> widths(table.headers.size(), 0);
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (i > 0 && IsEmptyColumn(table, i)) continue;
    widths[i] = Width(table.headers[i]);
    for (const auto& row : table.rows) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string text = Line(table.headers, widths, table.ends_in_text);
  for (const auto& row : table.rows) text += Line(row, widths, table.ends_in_text);
  return text;
}

std::string SimulationText(const sim::Experiment& experiment) {
  std::string text = experiment.scenario.name;
  if (!experiment.scenario.description.empty()) text += ": " + experiment.scenario.description;
  text += "\n" + ExperimentSentence(experiment) + "\n";
  for (const std::string& sentence : SignalSentences(experiment)) text += sentence + "\n";
  for (const std::string& remark : Remarks(experiment)) text += remark + "\n";
  text += "\n" + AlignedTable(PolicyTable(experiment)) + "\n";
  if (!experiment.comparison.bound_g.empty())
    text +=
        "captured: share of the hindsight saving, (run-now - policy) / (run-now - best), in grams "
        "summed over start dates; best: " +
        experiment.comparison.bound_method + "\n";
  text +=
      "saved: against run-now; worse: start dates that emit more than run-now; in brackets 95 % "
      "intervals, bootstrap over start dates\n";
  if (experiment.published.empty()) return text;
  return text + "\n" + experiment.scenario.published->source + "\n" +
         AlignedTable(PublishedTable(experiment));
}

}  // namespace ebb::report
