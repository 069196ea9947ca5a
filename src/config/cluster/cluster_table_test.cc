#include "config/cluster/cluster_table.h"

#include <gtest/gtest.h>

#include "config/section_table_for_test.h"
#include "testing/golden.h"

namespace ebb::config {
namespace {

template <typename Visit>
void ForEachTable(Visit visit) {
  visit("node_groups", NodeGroupTable());
  visit("limits", PolicyLimitsTable());
  visit("budget", MonthlyBudgetTable());
}

TEST(ClusterTables, EachKeyIsDescribedOnceInItsSection) {
  ForEachTable(
      [](const std::string& section, const auto& table) { ExpectOwnNames(section, table); });
}

TEST(ClusterTables, AnExampleIsReadAndSetsItsMember) {
  int compared = 0;
  ForEachTable([&](const std::string& section, const auto& table) {
    compared += ExpectExamplesAreRead(section, table);
  });
  EXPECT_GE(compared, 20);
}

TEST(ClusterTables, ValuesOutsideOfTheRangeAreRefused) {
  int refused = 0;
  ForEachTable([&](const std::string& section, const auto& table) {
    refused += ExpectRangesHold(section, table);
  });
  EXPECT_GE(refused, 30);
}

TEST(ClusterTables, DefaultsAreThoseOfTheMembers) {
  int compared = 0;
  ForEachTable([&](const std::string& section, const auto& table) {
    compared += ExpectDefaultsAreTrue(section, table);
  });
  EXPECT_GE(compared, 7);
}

std::string Page() {
  return "# Keys of the files of a cluster\n\n"
         "What `ebb controller` does with them: [kubernetes](kubernetes.md). Durations are "
         "written\n"
         "`90s`, `15m`, `1h30m`, `2d`.\n\n"
         "<!-- Written by config_test (EBB_UPDATE_GOLDEN=1) from src/config/cluster. -->\n" +
         KeySection("`node_groups`",
                    "A list of the groups of nodes that an autoscaler adds: the file of "
                    "`--node-groups`, in the chart `nodeGroups`.",
                    NodeGroupTable()) +
         KeySection("`limits`",
                    "In the policy of a namespace: no object goes beyond them, whatever it says.",
                    PolicyLimitsTable()) +
         KeySection("`budget`",
                    "In the policy of a namespace: what all of its jobs may use in each month.",
                    MonthlyBudgetTable());
}

TEST(ClusterTables, DocsHaveThem) { ExpectGoldenFile("../docs/cluster-options.md", Page()); }

}  // namespace
}  // namespace ebb::config
