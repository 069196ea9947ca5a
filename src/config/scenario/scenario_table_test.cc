#include "config/scenario/scenario_table.h"

#include <gtest/gtest.h>

#include <set>

#include "testing/golden.h"
#include "testing/option_docs.h"

namespace ebb::config {
namespace {

using core::Field;
using core::Shape;

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

// Reads `text` as the value of a key; false if it is refused.
template <typename Object>
bool Reads(const SectionKey<Object>& key, const std::string& text, Object& object) {
  const auto root = ParseYaml("key: " + text, "test");
  EXPECT_TRUE(root && root->entries.size() == 1) << key.field.key << ": " << text;
  if (!root || root->entries.empty()) return false;
  Problems problems("test");
  const bool read = key.read(root->entries[0].value, object, problems);
  EXPECT_EQ(read, problems.empty()) << key.field.key << ": " << text;
  return read;
}

TEST(ScenarioTables, EachKeyIsDescribedOnceInItsSection) {
  ForEachTable([]<typename Object>(const std::string& section, const SectionTable<Object>& table) {
    std::set<std::string> names;
    for (const SectionKey<Object>& key : table) {
      for (const std::string& name : {key.field.key, key.field.formerly})
        EXPECT_TRUE(name.empty() || names.insert(name).second) << section << ": " << name;
      EXPECT_FALSE(key.field.meaning.empty()) << section << ": " << key.field.key;
    }
  });
}

TEST(ScenarioTables, AnExampleIsReadAndSetsItsMember) {
  int set = 0;
  ForEachTable([&]<typename Object>(const std::string& section, const SectionTable<Object>& table) {
    for (const SectionKey<Object>& key : table) {
      const std::string name = section + ": " + key.field.key;
      Object object{};
      EXPECT_TRUE(Reads(key, key.field.example, object)) << name;
      if (!key.get) continue;
      EXPECT_NE(key.get(object), key.get(Object{})) << name;
      // Checks that no other key has changed its member.
      for (const SectionKey<Object>& other : table)
        if (other.get && &other != &key)
          EXPECT_EQ(other.get(object), other.get(Object{})) << name << ", " << other.field.key;
      ++set;
    }
  });
  EXPECT_GE(set, 70);
}

TEST(ScenarioTables, ValuesOutsideOfTheRangeAreRefused) {
  int checked = 0;
  ForEachTable([&]<typename Object>(const std::string& section, const SectionTable<Object>& table) {
    for (const SectionKey<Object>& key : table) {
      const Field& field = key.field;
      std::vector<std::string> outside;
      if (field.shape == Shape::kNumber || field.shape == Shape::kWhole)
        outside = {core::LimitText(field.low - 1), core::LimitText(field.high + 1), "many"};
      if (field.shape == Shape::kDuration)
        outside = {field.low > 0 ? FormatExact(field.low / 2) + "s" : "-1s", "long"};
      if (field.shape == Shape::kChoice) outside = {"none-of-them"};
      for (const std::string& text : outside) {
        Object object{};
        EXPECT_FALSE(Reads(key, text, object)) << section << ": " << field.key << ": " << text;
        ++checked;
      }
    }
  });
  EXPECT_GE(checked, 100);
}

TEST(ScenarioTables, DefaultsAreThoseOfTheMembers) {
  int checked = 0;
  ForEachTable([&]<typename Object>(const std::string& section, const SectionTable<Object>& table) {
    for (const SectionKey<Object>& key : table) {
      const Shape shape = key.field.shape;
      if (shape == Shape::kText || shape == Shape::kTexts || !key.get) continue;
      const auto said = core::ParseOption(key.field, key.field.default_text);
      if (!said) continue;
      const auto value = key.get(Object{});
      if (!value) continue;
      EXPECT_EQ(*value, *said) << section << ": " << key.field.key;
      ++checked;
    }
  });
  EXPECT_GE(checked, 25);
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

template <typename Object>
std::string Row(const SectionKey<Object>& key) {
  const Field& field = key.field;
  std::string name = Code(field.key);
  if (!field.formerly.empty()) name += " (" + Code(field.formerly) + ")";
  return "| " + name + " | " + field.meaning + " | " +
         (key.type.empty() ? TypeText(field) : key.type) + " | " +
         (field.required ? "required" : field.default_text) + " | " + Code(field.example) + " |";
}

constexpr const char* kHead = "| key | meaning | type and range | default | example |";
constexpr const char* kRule = "|---|---|---|---|---|";

template <typename Object>
std::string Section(const std::string& title, const std::string& words,
                    const SectionTable<Object>& table) {
  std::string text = "\n## " + title + "\n\n" + words + "\n\n" + kHead + "\n" + kRule + "\n";
  for (const SectionKey<Object>& key : table) text += Row(key) + "\n";
  return text;
}

std::string PolicySection() {
  std::string text =
      "\n## `policies`\n\n"
      "A policy is its name, or a section with the keys that it uses.\n\n" +
      std::string(kHead) + " policies |\n" + kRule + "---|\n";
  for (const PolicyKey& key : PolicyKeys()) {
    const std::string users = key.policies.empty() ? "all" : "`" + Join(key.policies, "`, `") + "`";
    text += Row(key.key) + " " + users + " |\n";
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
         Section("The file",
                 "Required are `devices` and `jobs`, and for `ebb simulate` also `sites` and "
                 "`start_dates`.",
                 ScenarioTable()) +
         Section("`sites`", "A list. Each site is a grid that supplies devices.", SiteTable()) +
         Section("`devices`", "A list of pools of like devices.", PoolTable()) +
         Section("`jobs`",
                 "A list of jobs and groups. Beside these keys: the options of "
                 "[a job](job-options.md) with C.\n`duration` and `power_w` have no default here.",
                 JobTable()) +
         Section("`jobs`: `overrides`", "A list, for single device models.", OverrideTable()) +
         Section("`jobs` with `csv`",
                 "A file of jobs, and what it does not say. Beside these keys: the options of "
                 "[a job](job-options.md)\nwith T, for all of its jobs; `power_w` is 1000 by "
                 "default.",
                 JobTraceTable()) +
         Section("`jobs` with `csv`: `rules`", "A list; the first rule that fits a job counts.",
                 JobRuleTable()) +
         Section("`start_dates` by a rule", "One date after the other.", StartRuleTable()) +
         Section("`forecast`", "The name of a source, or a section.", ForecastTable()) +
         PolicySection() +
         Section("`bootstrap`", "Intervals by drawing start dates again and again.",
                 BootstrapTable()) +
         Section("`published`", "Figures of others beside ours.", PublishedTable()) +
         Section("`published`: `figures`", "A list.", FigureTable());
}

TEST(ScenarioTables, DocsHaveThem) { ExpectGoldenFile("../docs/scenario-options.md", Page()); }

}  // namespace
}  // namespace ebb::config
