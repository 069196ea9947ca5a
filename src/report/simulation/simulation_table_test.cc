#include "report/simulation/simulation_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "report/simulation/simulation_text.h"

namespace ebb::report {
namespace {

std::string CellOf(const TextTable& table, const std::string& header) {
  const auto at = std::find(table.headers.begin(), table.headers.end(), header);
  return table.rows.front().at(static_cast<std::size_t>(at - table.headers.begin()));
}

TEST(SimulationTable, FiguresAreInTheUnitThatFits) {
  sim::Experiment experiment;
  sim::PolicyFigures policy;
  policy.use.emissions = {4.95e-7};
  policy.mean_wait_h = 0.01;
  policy.mean_makespan_h = 51;
  policy.share_captured_percent = sim::Estimate{-74, {}, {}};
  experiment.comparison.policies.push_back(policy);
  const TextTable table = PolicyTable(experiment);
  EXPECT_EQ(CellOf(table, "emitted"), "495 ng");
  EXPECT_EQ(CellOf(table, "energy"), "0 J");
  EXPECT_EQ(CellOf(table, "wait"), "36.0s");
  EXPECT_EQ(CellOf(table, "makespan"), "2d 3h");
  EXPECT_EQ(CellOf(table, "captured"), "none") << "of a saving there is no negative part";
}

TEST(SimulationText, BreaksItsLinesAtWords) {
  sim::Experiment experiment;
  experiment.scenario.name = "a name";
  experiment.scenario.description = "a description that takes more than the columns of a terminal";
  experiment.comparison.starts = {Time{}};
  experiment.comparison.known_starts = {0};
  std::string text = SimulationText(experiment, 40);
  text = text.substr(0, text.find("\npolicy"));
  std::size_t longest = 0;
  for (const std::string_view line : Split(text, '\n')) longest = std::max(longest, line.size());
  EXPECT_LE(longest, 40U) << text;
  EXPECT_NE(text.find("description that"), std::string::npos);
}

}  // namespace
}  // namespace ebb::report
