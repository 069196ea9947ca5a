// Compares the description of submissions with what is accepted: the two must be the same.

#include <gtest/gtest.h>

#include "web/api/schema_check_for_test.h"
#include "web/requests/object_schema.h"
#include "web/requests/submission_definition.h"
#include "web/requests/submission_json.h"

namespace ebb::web {
namespace {

using Json = nlohmann::json;

SchemaCheck Document() {
  Json schemas = Json::object();
  for (const Definition* definition : SubmissionDefinitions())
    schemas[definition->name] = Json::parse(SchemaOf(*definition));
  const Json document{{"components", {{"schemas", schemas}}}};
  return SchemaCheck(document);
}

Error ErrorOf(const Json& job) {
  SubmissionDefaults defaults;
  defaults.tiers = core::PublishedTiers();
  const auto read = SubmissionsFromJson(job.dump(), defaults);
  return read ? Error{} : read.error();
}
Error ErrorOfSweep(const Json& sweep) {
  const auto read = SweepFromJson(sweep.dump(), {});
  return read ? Error{} : read.error();
}

// Other keys that a key needs beside it.
const std::map<std::string, Json> kCompany{{"recurring", {{"name", "nightly"}}},
                                           {"budget", {{"checkpointable", true}}}};

Json JobWith(const std::string& key, const Json& value) {
  Json job{{"command", {"true"}}};
  if (const auto company = kCompany.find(key); company != kCompany.end())
    job.update(company->second);
  job[key] = value;
  return job;
}

// A job with one key of one of its parts; the rest of the part is its example.
Json JobWithPart(const Field& part, const std::string& key, const Json& value) {
  Json object = Json::parse(part.definition->example);
  object[key] = value;
  return JobWith(part.key, object);
}

// A field of a job or of its parts, with a function that puts a value into it.
struct Place {
  const Field* field;
  std::string where;
  std::function<Json(const Json&)> put;
};
std::vector<Place> PlacesOfJob() {
  std::vector<Place> places;
  for (const Field& field : JobDefinition().fields) {
    places.push_back(
        {&field, field.key, [&](const Json& value) { return JobWith(field.key, value); }});
    if (!field.definition) continue;
    for (const Field& inner : field.definition->fields)
      places.push_back({&inner, field.key + "." + inner.key,
                        [&](const Json& value) { return JobWithPart(field, inner.key, value); }});
  }
  return places;
}

TEST(SubmissionSchema, ExamplesAreValidAndAccepted) {
  const SchemaCheck check = Document();
  const Json job = Json::parse(JobDefinition().example);
  EXPECT_EQ(check.WrongAs(job, "NewJob"), "");
  EXPECT_EQ(ErrorOf(job).Message(), Error{}.Message());
  const Json sweep = Json::parse(SweepDefinition().example);
  EXPECT_EQ(check.WrongAs(sweep, "NewSweep"), "");
  EXPECT_EQ(ErrorOfSweep(sweep).Message(), Error{}.Message());
  for (const Place& place : PlacesOfJob()) {
    const std::string example =
        place.field->example.empty() ? place.field->definition->example : place.field->example;
    const Json with = place.put(Json::parse(example));
    EXPECT_EQ(check.WrongAs(with, "NewJob"), "") << with;
    EXPECT_EQ(ErrorOf(with).Message(), Error{}.Message()) << with;
  }
}

// A key that is described and never read would be accepted with any value.
TEST(SubmissionSchema, EveryKeyIsRead) {
  const SchemaCheck check = Document();
  for (const Place& place : PlacesOfJob()) {
    const Json with = place.put(nullptr);
    EXPECT_NE(check.WrongAs(with, "NewJob"), "") << with;
    EXPECT_EQ(ErrorOf(with).where, place.where) << with;
  }
  for (const Field& field : SweepDefinition().fields) {
    Json sweep = Json::parse(SweepDefinition().example);
    sweep[field.key] = nullptr;
    EXPECT_NE(check.WrongAs(sweep, "NewSweep"), "");
    EXPECT_EQ(ErrorOfSweep(sweep).where, field.key);
    if (field.shape != Shape::kObject) continue;
    for (const Field& inner : field.definition->fields) {
      sweep[field.key] = Json::parse(field.definition->example);
      sweep[field.key][inner.key] = "many";
      EXPECT_NE(check.WrongAs(sweep, "NewSweep"), "");
      EXPECT_EQ(ErrorOfSweep(sweep).where, field.key + "." + inner.key);
    }
  }
}

TEST(SubmissionSchema, ExperimentsAreAsTheyAreDescribed) {
  const SchemaCheck check = Document();
  const auto sweep_of = [](const Json& experiment) {
    return Json{{"name", "s"}, {"jobs", {experiment}}};
  };
  const Json example = Json::parse(ExperimentDefinition().example);
  EXPECT_EQ(check.WrongAs(example, "NewExperiment"), "");
  EXPECT_EQ(ErrorOfSweep(sweep_of(example)).Message(), Error{}.Message());
  for (const Field& field : ExperimentDefinition().fields) {
    Json with = example;
    with[field.key] = nullptr;
    EXPECT_NE(check.WrongAs(with, "NewExperiment"), "") << with;
    EXPECT_EQ(ErrorOfSweep(sweep_of(with)).where, "job 1: " + field.key);
    if (field.example.empty()) continue;
    with[field.key] = Json::parse(field.example);
    EXPECT_EQ(check.WrongAs(with, "NewExperiment"), "") << with;
    if (field.key == "tier") continue;  // needs a service that has tiers
    EXPECT_EQ(ErrorOfSweep(sweep_of(with)).Message(), Error{}.Message()) << with;
  }
}

// A hint about a key that is accepted would never be given.
TEST(SubmissionSchema, HintsAreAboutKeysThatAreRefused) {
  int hints = 0;
  for (const Definition* definition : SubmissionDefinitions()) {
    for (const core::KeyHint& hint : definition->hints) {
      EXPECT_EQ(definition->Find(hint.key), nullptr) << definition->name << ": " << hint.key;
      EXPECT_FALSE(hint.next.empty());
      ++hints;
    }
  }
  EXPECT_GE(hints, 2);
}

TEST(SubmissionSchema, NoOtherKeyIsAccepted) {
  const SchemaCheck check = Document();
  for (const Place& place : PlacesOfJob()) {
    if (!place.field->definition) continue;
    const Json with = JobWithPart(*place.field, "another", 1);
    EXPECT_EQ(ErrorOf(with).where, place.where + ".another");
  }
  EXPECT_EQ(ErrorOf(JobWith("another", 1)).where, "another");
  for (const Definition* definition : SubmissionDefinitions())
    EXPECT_EQ(Json::parse(SchemaOf(*definition)).at("additionalProperties"), false)
        << definition->name;
}

TEST(SubmissionSchema, LimitsAreTheSame) {
  const SchemaCheck check = Document();
  int limits = 0;
  for (const Place& place : PlacesOfJob()) {
    if (place.field->shape != Shape::kNumber && place.field->shape != Shape::kWhole) continue;
    const double step = place.field->shape == Shape::kWhole ? 1 : 1e-12;
    for (const double value : {place.field->low, place.field->high}) {
      const double beyond = value == place.field->low ? value - step : value * (1 + step) + step;
      EXPECT_EQ(ErrorOf(place.put(value)).Message(), Error{}.Message()) << place.where << value;
      EXPECT_EQ(check.WrongAs(place.put(value), "NewJob"), "") << place.where << value;
      EXPECT_EQ(ErrorOf(place.put(beyond)).where, place.where) << beyond;
      EXPECT_NE(check.WrongAs(place.put(beyond), "NewJob"), "") << place.where << beyond;
      ++limits;
    }
  }
  EXPECT_GE(limits, 16);
}

TEST(SubmissionSchema, RequiredKeysAreRequired) {
  for (const Definition* definition : SubmissionDefinitions())
    for (const Field& field : definition->fields) {
      const Json schema = Json::parse(SchemaOf(*definition));
      const Json required = schema.value("required", Json::array());
      EXPECT_EQ(std::count(required.begin(), required.end(), field.key), field.required ? 1 : 0);
    }
  EXPECT_EQ(ErrorOf(Json::object()).where, "command");
  EXPECT_EQ(ErrorOf(JobWith("tier", {{"name", "mine"}})).where, "tier.max_delay");
  EXPECT_EQ(ErrorOf(JobWith("recurring", Json::object())).where, "recurring.cron");
  EXPECT_EQ(ErrorOfSweep({{"name", "s"}}).where, "jobs");
}

}  // namespace
}  // namespace ebb::web
