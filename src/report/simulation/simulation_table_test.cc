#include "report/simulation/simulation_table.h"

#include <gtest/gtest.h>

#include <algorithm>

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

}  // namespace
}  // namespace ebb::report
