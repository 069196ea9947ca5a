#include "config/options/run_option.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/text.h"
#include "testing/golden.h"
#include "testing/option_docs.h"

namespace ebb::config {
namespace {

using core::Field;
using core::Shape;

TEST(RunOptionTable, EachNameBelongsToOneOption) {
  std::set<std::string> names;
  for (const RunOption& option : RunOptionTable()) {
    const Field& field = option.field;
    const auto named = [](const std::string& front, const std::string& name) {
      return name.empty() ? "" : front + name;
    };
    const std::string section = option.section.empty() ? "" : option.section + ": ";
    for (const std::string& name :
         {named("--", field.flag.name), named("--", field.flag.also),
          section.empty() ? "" : section + field.key,
          section.empty() ? "" : named(section, field.formerly),
          named("setting ", option.setting.key), named("codecarbon ", option.codecarbon.key)})
      EXPECT_TRUE(name.empty() || names.insert(name).second) << name;
    EXPECT_TRUE(option.member.set && option.member.get) << field.key;
    EXPECT_FALSE(field.meaning.empty()) << field.key;
  }
}

// The text of a value other than the default.
std::string AnotherValue(const RunOption& option) {
  const std::map<std::string, std::string> texts{{"publication_lag", "2h"},
                                                 {"signal", "constant"},
                                                 {"grid_start", "2023-05-01T17:00Z"},
                                                 {"power_cap", "250W"},
                                                 {"slower_by", "7%"},
                                                 {"neo_time_zone", "UTC+05:30"},
                                                 {"mlflow", "http://a:1"},
                                                 {"prometheus_url", "http://a:1"}};
  if (const auto text = texts.find(option.field.key); text != texts.end()) return text->second;
  switch (option.field.shape) {
    case Shape::kFlag:
      return "true";
    case Shape::kNumber:
      return FormatExact(option.field.low + 0.5 * std::min(1.0, option.field.high));
    case Shape::kWhole:
      return "7";
    case Shape::kDuration:
      return option.field.high > 0 ? "59m" : "7h";
    case Shape::kChoice:
      return option.field.choices.back();
    default:
      return "/other";
  }
}

core::OptionValue ValueOf(const RunOption& option) {
  if (option.field.shape == Shape::kMoment) return Duration{std::chrono::minutes{59}};
  const auto value = core::ParseOption(option.field, AnotherValue(option));
  EXPECT_TRUE(value) << option.field.key;
  return value.value_or(core::OptionValue());
}

// Options without which another one is not stored.
RunOptions WithCompany(const RunOption& option) {
  RunOptions options;
  if (option.selects) options.scheduler.signal.source = *option.selects;
  if (option.field.key == "neo_time_zone") options.scheduler.signal.zone = signals::kNeoProfile;
  if (option.field.key.starts_with("embodied_")) options.metering.embodied.total.grams = 1000;
  if (option.field.key == "on_budget" || option.field.key == "budget_grace")
    options.metering.budget.emissions = Emissions{7};
  return options;
}

TEST(RunOptionTable, WhatIsStoredIsReadAsTheSame) {
  int stored = 0;
  for (const RunOption& option : RunOptionTable()) {
    if (option.stored == Stored::kNever || option.field.key == "device_profiles") continue;
    RunOptions options = WithCompany(option);
    ASSERT_TRUE(option.member.set(ValueOf(option), options)) << option.field.key;
    const auto text = StoredText(option, options);
    ASSERT_TRUE(text) << option.field.key;
    RunOptions again = WithCompany(option);
    const core::OptionValue value = option.field.shape == Shape::kMoment
                                        ? core::OptionValue(*ParseDuration(*text))
                                        : *core::ParseOption(option.field, *text);
    ASSERT_TRUE(option.member.set(value, again)) << option.field.key;
    EXPECT_EQ(StoredText(option, again), text) << option.field.key;
    EXPECT_NE(StoredText(option, WithCompany(option)), text) << option.field.key;
    ++stored;
  }
  EXPECT_GE(stored, 60);
}

TEST(RunOptionTable, DefaultsAreThoseOfTheMembers) {
  int checked = 0;
  for (const RunOption& option : RunOptionTable()) {
    const Shape shape = option.field.shape;
    if (shape == Shape::kText || option.full_name) continue;
    const auto said = core::ParseOption(option.field, option.DefaultText());
    const auto value = option.member.get(RunOptions());
    if (!said || !value || shape == Shape::kMoment) continue;
    EXPECT_EQ(*value, *said) << option.field.key;
    ++checked;
  }
  EXPECT_GE(checked, 15);
}

// The fields of jobs that have a flag, those of their budgets and trackers included.
std::map<std::string, Field> FieldsOfJobs() {
  std::map<std::string, Field> fields;
  const auto take = [&](const Field& field) {
    if (!field.flag.name.empty()) fields.emplace(field.flag.name, field);
  };
  for (const core::JobOption& option : core::JobOptions()) {
    take(option.field);
    if (!option.field.definition) continue;
    for (const Field& inner : option.field.definition->fields) take(inner);
  }
  return fields;
}

TEST(RunOptionTable, AFlagMeansTheSameForAJob) {
  const std::map<std::string, Field> of_jobs = FieldsOfJobs();
  int shared = 0;
  for (const RunOption& option : RunOptionTable()) {
    const Field& field = option.field;
    const auto found = of_jobs.find(field.flag.name);
    if (found == of_jobs.end()) continue;
    const Field& other = found->second;
    // Words that only one of them has stand at the end.
    EXPECT_EQ(field.meaning.substr(0, 20), other.meaning.substr(0, 20)) << field.key;
    EXPECT_EQ(field.low, other.low) << field.key;
    EXPECT_EQ(field.high, other.high) << field.key;
    EXPECT_EQ(field.choices, other.choices) << field.key;
    EXPECT_EQ(field.example, other.example) << field.key;
    EXPECT_EQ(field.unit, other.unit) << field.key;
    EXPECT_EQ(field.flag.value_name, other.flag.value_name) << field.key;
    EXPECT_EQ(field.flag.also, other.flag.also) << field.key;
    ++shared;
  }
  EXPECT_EQ(shared, 14);
}

// docs/run-options.md ---------------------------------------------------------------------------

std::string TypeOf(const RunOption& option) {
  if (option.is_time) return "time";
  return option.field.shape == Shape::kMoment ? "duration; as a flag also a time"
                                              : TypeText(option.field);
}

std::string Row(const RunOption& option) {
  const Field& field = option.field;
  std::string key = option.section.empty() ? "" : Code(option.section + "." + field.key);
  if (!field.formerly.empty()) key += " (" + Code(field.formerly) + ")";
  std::string setting = Code(option.setting.key);
  if (!option.setting.variable.empty()) setting += ", " + Code(option.setting.variable);
  const std::string flag = field.flag.name.empty() ? "" : "--" + field.flag.name;
  return "| " + Code(flag) + " | " + field.meaning + " | " + TypeOf(option) + " | " +
         option.DefaultText() + " | " + key + " | " + setting + " | " +
         Code(option.codecarbon.key) + " |\n";
}

std::string Page() {
  std::string page =
      "# Options of a run\n\n"
      "An option has one range and one default wherever it stands: as a flag of `ebb run`,\n"
      "`track`, `train`, `resume` and others, as a key of a configuration of `ebb train` (older\n"
      "names in parentheses), in the settings of a user with the environment variable that goes\n"
      "before it ([config](config.md)), and by CodeCarbon's name ([codecarbon](codecarbon.md),\n"
      "which has those that are no option of Ebb). Durations are written `90s`, `15m`, `6h`.\n\n"
      "<!-- Written by config_test (EBB_UPDATE_GOLDEN=1) from src/config/options. -->\n\n"
      "| flag | meaning | type and range | default | configuration | setting | CodeCarbon |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const RunOption& option : RunOptionTable()) page += Row(option);
  return page;
}

TEST(RunOptionTable, DocsHaveThisTable) { ExpectGoldenFile("../docs/run-options.md", Page()); }

}  // namespace
}  // namespace ebb::config
