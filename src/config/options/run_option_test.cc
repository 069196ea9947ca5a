#include "config/options/run_option.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/text.h"

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

}  // namespace
}  // namespace ebb::config
