#include "core/options/job_options.h"

#include <gtest/gtest.h>

#include <set>
#include <type_traits>

#include "base/text.h"
#include "core/jobs/job_change.h"
#include "testing/golden.h"
#include "testing/option_docs.h"

namespace ebb::core {
namespace {

TEST(JobOptions, EachKeyFlagAndAnnotationBelongsToOneOption) {
  std::set<std::string> names;
  for (const JobOption& option : JobOptions()) {
    for (const std::string& name :
         {option.field.key, option.field.formerly,
          option.field.flag.name.empty() ? "" : "--" + option.field.flag.name,
          option.field.flag.also.empty() ? "" : "--" + option.field.flag.also,
          option.annotation.empty() ? "" : "ebb/" + option.annotation})
      EXPECT_TRUE(name.empty() || names.insert(name).second) << name;
    EXPECT_EQ(option.StandsIn(Place::kAnnotation), !option.annotation.empty()) << option.field.key;
    EXPECT_EQ(static_cast<bool>(option.set), static_cast<bool>(option.get)) << option.field.key;
  }
}

// Text of a value other than the default, by the field's shape.
std::string AnotherValue(const Field& field) {
  if (field.key == "speedup") return "2=1.9,4=3.3";
  switch (field.shape) {
    case Shape::kFlag:
      return "true";
    case Shape::kNumber:
    case Shape::kWhole:
      return "7";
    case Shape::kDuration:
      return "7m";
    case Shape::kChoice:
      return field.choices.back();
    case Shape::kTextOrNumber:
      return "70%";
    default:
      return "other";
  }
}

TEST(JobOptions, WhatIsSetIsWhatIsRead) {
  int plain = 0;
  for (const JobOption& option : JobOptions()) {
    if (!option.set) continue;
    const auto value = ParseOption(option.field, AnotherValue(option.field));
    ASSERT_TRUE(value) << option.field.key;
    Submission submission;
    ASSERT_TRUE(option.IsDefault(submission)) << option.field.key;
    ASSERT_TRUE(option.set(*value, submission)) << option.field.key;
    EXPECT_FALSE(option.IsDefault(submission)) << option.field.key;
    EXPECT_EQ(option.get(submission), *value) << option.field.key;
    // Checks that no other option has changed.
    for (const JobOption& other : JobOptions()) {
      if (!other.get || &other == &option) continue;
      EXPECT_TRUE(other.IsDefault(submission)) << option.field.key << other.field.key;
    }
    ++plain;
  }
  EXPECT_GE(plain, 15);
}

template <typename T>
T Seven() {
  if constexpr (std::is_same_v<T, std::string>)
    return "7";
  else if constexpr (std::is_same_v<T, Time>)
    return Time{Duration{7}};
  else
    return T{7};
}

TEST(JobOptions, ChangesSetWhatTheTableSaysAndNothingElse) {
  std::set<std::string> in_table, in_changes;
  for (const Field& field : FieldsIn(Place::kChange)) in_table.insert(field.key);
  JobChange change;
  VisitOptions(change, [&](const char* key, auto member, auto& value, bool* drop) {
    in_changes.insert(key);
    change = JobChange();
    value = Seven<typename std::remove_reference_t<decltype(value)>::value_type>();
    const Job changed = Changed(Job(), change);
    EXPECT_TRUE(changed.*member == *value) << key;
    EXPECT_EQ(Difference(Job(), changed), change) << key;
    if (!drop) return;
    change = JobChange();
    *drop = true;
    EXPECT_EQ(Changed(changed, change), Job()) << key;
    EXPECT_EQ(Difference(changed, Job()), change) << key;
  });
  EXPECT_EQ(in_changes, in_table);
}

TEST(JobOptions, TextsOutsideOfTheRangeAreRefused) {
  const auto error_of = [](const char* key, const char* text) {
    const auto value = ParseOption(JobOptionOf(key).field, text);
    return value ? std::string() : value.error().what;
  };
  EXPECT_EQ(error_of("threshold", "10001"), "a number from 0 to 10000");
  EXPECT_EQ(error_of("threshold", "nan"), "a number from 0 to 10000");
  EXPECT_EQ(error_of("devices", "1.5"), "a whole number from 1 to 1000000");
  EXPECT_EQ(error_of("devices", "0"), "a whole number from 1 to 1000000");
  EXPECT_EQ(error_of("duration", "0s"), "a duration like 90m or 12h");
  EXPECT_EQ(error_of("on_outage", "panic"), "one of wait, run, stop");
  EXPECT_EQ(error_of("checkpointable", "yes"), "\"true\" or \"false\"");
  EXPECT_EQ(error_of("threshold", "10000"), "");
  EXPECT_EQ(error_of("devices", "1000000"), "");
}

TEST(JobOptions, TheLargestBudgetIsAnEnergy) {
  const Field& field = BudgetDefinition().Of("energy_kwh");
  EXPECT_DOUBLE_EQ(Energy::Joules(3.6e6 * field.high).kwh(), field.high);
}

// docs/job-options.md ---------------------------------------------------------------------------

std::string TypeOf(const Field& field) {
  return field.shape == Shape::kDuration ? "duration" : TypeText(field);
}

std::string PlacesOf(const JobOption& option) {
  std::string places;
  for (const auto& [place, letter] :
       {std::pair{Place::kSubmission, 'J'}, std::pair{Place::kChange, 'E'},
        std::pair{Place::kSweep, 'S'}, std::pair{Place::kScenario, 'C'},
        std::pair{Place::kJobTrace, 'T'}})
    if (option.StandsIn(place)) places += letter;
  return places;
}

std::string Row(const Field& field, const std::string& key, const std::string& places,
                const std::string& annotation) {
  const std::string flag = field.flag.name.empty() ? "" : "--" + field.flag.name;
  return "| " + Code(key) + " | " + field.meaning + " | " + TypeOf(field) + " | " +
         field.default_text + " | " + Code(flag) + " | " + places + " | " + Code(annotation) +
         " | " + Code(field.formerly) + " |\n";
}

std::string Page() {
  std::string page =
      "# Options of a job\n\n"
      "An option has one name, one range and one default wherever it stands: in the API and files\n"
      "of jobs (J), in changes of a job that waits (E: `ebb edit`), at the top of a sweep's file\n"
      "(S), in a job of a scenario (C) or for all jobs of a trace (T), as a flag of `ebb submit`,\n"
      "and as an annotation of a Kubernetes object. Durations are written `90m`, `12h`, `2d`; the\n"
      "API also takes seconds. The older name of a key is accepted, too.\n\n"
      "<!-- Written by job_options_test (EBB_UPDATE_GOLDEN=1) from src/core/options. -->\n\n"
      "| key | meaning | type and range | default | flag | places | annotation | older name |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const JobOption& option : JobOptions()) {
    const Field& field = option.field;
    page += Row(field, field.key, PlacesOf(option),
                option.annotation.empty() ? "" : "ebb/" + option.annotation);
    if (!field.definition) continue;
    for (const Field& inner : field.definition->fields)
      page += Row(inner, field.key + "." + inner.key, PlacesOf(option), "");
  }
  for (const Field& inner : RecurrenceDefinition().fields)
    page += Row(inner, "recurring." + inner.key, "J", "");
  return page;
}

TEST(JobOptions, DocsHaveThisTable) { ExpectGoldenFile("../docs/job-options.md", Page()); }

}  // namespace
}  // namespace ebb::core
