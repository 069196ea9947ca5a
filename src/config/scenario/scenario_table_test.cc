#include "config/scenario/scenario_table.h"

#include <gtest/gtest.h>

#include "config/section_table_for_test.h"
#include "testing/golden.h"

namespace ebb::config {
namespace {

SectionTable<sim::PolicyChoice> AllPolicyKeys() {
  SectionTable<sim::PolicyChoice> table;
  for (const PolicyKey& key : PolicyKeys()) table.push_back(key.key);
  return table;
}

// Calls `visit` with each section's name and table.
template <typename Visit>
void ForEachTable(Visit visit) {
  visit("the file", ScenarioTable());
  visit("sites", SiteTable());
  visit("devices", PoolTable());
  visit("jobs", JobTable());
  visit("jobs.overrides", OverrideTable());
  visit("jobs with csv", JobTraceTable());
  visit("jobs.rules", JobRuleTable());
  visit("start_dates", StartRuleTable());
  visit("forecast", ForecastTable());
  visit("policies", AllPolicyKeys());
  visit("bootstrap", BootstrapTable());
  visit("published", PublishedTable());
  visit("published.figures", FigureTable());
}

TEST(ScenarioTables, EachKeyIsDescribedOnceInItsSection) {
  ForEachTable(
      [](const std::string& section, const auto& table) { ExpectOwnNames(section, table); });
}

TEST(ScenarioTables, AnExampleIsReadAndSetsItsMember) {
  int compared = 0;
  ForEachTable([&](const std::string& section, const auto& table) {
    compared += ExpectExamplesAreRead(section, table);
  });
  EXPECT_GE(compared, 70);
}

TEST(ScenarioTables, ValuesOutsideOfTheRangeAreRefused) {
  int refused = 0;
  ForEachTable([&](const std::string& section, const auto& table) {
    refused += ExpectRangesHold(section, table);
  });
  EXPECT_GE(refused, 100);
}

TEST(ScenarioTables, DefaultsAreThoseOfTheMembers) {
  int compared = 0;
  ForEachTable([&](const std::string& section, const auto& table) {
    compared += ExpectDefaultsAreTrue(section, table);
  });
  EXPECT_GE(compared, 25);
}

TEST(ScenarioTables, APolicyHasOnlyKeysThatItUses) {
  const auto has = [](std::string_view policy, std::string_view key) {
    for (const auto& one : PolicyTable(policy))
      if (one.field.key == key) return true;
    return false;
  };
  EXPECT_TRUE(has("planner", "risk") && has("planner", "slot") && has("planner", "label"));
  EXPECT_TRUE(has("run-now", "policy") && has("lowest-slots", "slot"));
  EXPECT_FALSE(has("run-now", "slot") || has("lowest-window", "slot") || has("tiers", "risk"));
}

// docs/scenario-options.md ----------------------------------------------------------------------

std::string PolicySection() {
  std::string text =
      "\n## `policies`\n\n"
      "A policy is its name, or a section with the keys that it uses.\n\n" +
      std::string(kKeyColumns) + " policies |\n" + kKeyRule + "---|\n";
  for (const PolicyKey& key : PolicyKeys()) {
    const std::string users = key.policies.empty() ? "all" : "`" + Join(key.policies, "`, `") + "`";
    text += KeyRow(key.key) + " " + users + " |\n";
  }
  return text;
}

std::string Page() {
  return "# Keys of a scenario file\n\n"
         "What `ebb simulate` does with them, and which belong together: [simulate](simulate.md).\n"
         "`ebb plan` reads the same file; `sites` and `start_dates` may be missing there.\n"
         "Durations are written `90s`, `15m`, `1h30m`, `2d`; times `2023-05-01T17:00Z`, UTC if "
         "they\n"
         "have no offset. Paths begin at the file's directory. Older names are in parentheses.\n\n"
         "<!-- Written by config_test (EBB_UPDATE_GOLDEN=1) from src/config/scenario/*_table.cc. "
         "-->\n" +
         KeySection("The file",
                    "Required are `devices` and `jobs`, and for `ebb simulate` also `sites` and "
                    "`start_dates`.",
                    ScenarioTable()) +
         KeySection("`sites`", "A list. Each site is a grid that supplies devices.", SiteTable()) +
         KeySection("`devices`", "A list of pools of like devices.", PoolTable()) +
         KeySection(
             "`jobs`",
             "A list of jobs and groups. Beside these keys: the options of "
             "[a job](job-options.md) with C.\n`duration` and `power_w` have no default here.",
             JobTable()) +
         KeySection("`jobs`: `overrides`", "A list, for single device models.", OverrideTable()) +
         KeySection("`jobs` with `csv`",
                    "A file of jobs, and what it does not say. Beside these keys: the options of "
                    "[a job](job-options.md)\nwith T, for all of its jobs; `power_w` is 1000 by "
                    "default.",
                    JobTraceTable()) +
         KeySection("`jobs` with `csv`: `rules`", "A list; the first rule that fits a job counts.",
                    JobRuleTable()) +
         KeySection("`start_dates` by a rule", "One date after the other.", StartRuleTable()) +
         KeySection("`forecast`", "The name of a source, or a section.", ForecastTable()) +
         PolicySection() +
         KeySection("`bootstrap`", "Intervals by drawing start dates again and again.",
                    BootstrapTable()) +
         KeySection("`published`", "Figures of others beside ours.", PublishedTable()) +
         KeySection("`published`: `figures`", "A list.", FigureTable());
}

TEST(ScenarioTables, DocsHaveThem) { ExpectGoldenFile("../docs/scenario-options.md", Page()); }

}  // namespace
}  // namespace ebb::config
