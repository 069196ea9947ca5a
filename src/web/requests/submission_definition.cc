#include "web/requests/submission_definition.h"

#include "base/text.h"
#include "core/jobs/job_change.h"
#include "core/options/field_builders.h"
#include "core/options/job_options.h"

namespace ebb::web {
namespace {

using core::Field;
using core::FieldsIn;
using core::kLeastBudget;
using core::kLongestKey;
using core::Number;
using core::Part;
using core::Place;
using core::Required;
using core::Shape;
using core::UpTo;
using core::Whole;

constexpr double kMostEpochs = 1e9;
constexpr std::size_t kLongestParameter = 1000;

const Definition& HalvingDefinition() {
  static const Definition definition{
      "SuccessiveHalving",
      "At each rung of epochs only the best go on.",
      R"({"reduction":3,"minimum_epochs":1,"epochs":9})",
      {Whole("reduction", "one in so many goes on", "3", "3", 2, 1000),
       Whole("minimum_epochs", "the first rung", "1", "1", 1, kMostEpochs),
       Required(Whole("epochs", "the epochs of a whole run, above minimum_epochs", "", "9", 2,
                      kMostEpochs))}};
  return definition;
}

template <typename T>
std::vector<T> With(std::vector<T> list, T another) {
  list.push_back(std::move(another));
  return list;
}

}  // namespace

const Definition& JobDefinition() {
  static const Definition definition{
      "NewJob",
      "A job to submit.",
      R"({"command":["python","train.py"],"name":"train","duration":"90m","devices":2,)"
      R"("checkpointable":true,"finish_by":"36h","budget":{"emissions_g":500}})",
      With(FieldsIn(Place::kSubmission),
           Part("recurring", Shape::kObject, "needs a name, and no start_by, finish_by, after, key",
                core::RecurrenceDefinition())),
      {{"parameters", "they belong to the experiments of a sweep"}}};
  return definition;
}

const Definition& ExperimentDefinition() {
  static const Definition definition{
      "NewExperiment",
      "A job of a sweep to submit.",
      R"({"command":["train","--rate","0.1"],"parameters":{"rate":"0.1"}})",
      With(FieldsIn(Place::kSubmission),
           UpTo(kLongestParameter, {"parameters", Shape::kTextsByName,
                                    "what the sweep varies, with the values of this one", "",
                                    R"({"rate":"0.1","batch":"32"})"})),
      {{"recurring", "submit a recurring job by itself: it is not an experiment of a sweep"}}};
  return definition;
}

const Definition& JobChangeDefinition() {
  static const Definition definition{
      "JobChange", "What is to change of a job that waits or is paused. What is left out stays.",
      R"({"priority":2,"finish_by":"36h","without":["threshold"]})",
      With(FieldsIn(Place::kChange),
           {"without", Shape::kTexts,
            "what it is to have no more: " + Join(core::RemovableOptions(), ", "), "",
            R"(["threshold"])"})};
  return definition;
}

const Definition& RestartDefinition() {
  static const Definition definition{
      "Restart",
      "How a job that has ended is submitted again.",
      R"({"resume":true,"after":[12]})",
      {{"resume", Shape::kFlag,
        "it goes on from the checkpoint of the earlier job; needs checkpointable", "false", "true"},
       UpTo(kLongestKey, {"after", Shape::kJobs,
                          "what must succeed first, in place of what the earlier job named", "",
                          R"([12])", false, 1, 2e9}),
       UpTo(kLongestKey,
            {"key", Shape::kText, "a second submission with the same key returns the first job", "",
             R"("again-1")"})}};
  return definition;
}

const Definition& SweepBudgetDefinition() {
  static const Definition definition{
      "SweepBudget",
      "What all experiments of a sweep together may use: one limit or both. Once it is used up, "
      "those "
      "that run are paused, and nothing more is started.",
      R"({"energy_kwh":20,"emissions_g":5000})",
      {Number("energy_kwh", "energy, in kWh", "", "20", kLeastBudget, core::kMostBudgetKwh),
       Number("emissions_g", "emissions, in g CO2e", "", "5000", kLeastBudget,
              core::kMostBudgetG)}};
  return definition;
}

const Definition& SweepDefinition() {
  static const Definition definition{
      "NewSweep",
      "Experiments that belong together.",
      R"({"name":"digits","successive_halving":{"epochs":9},)"
      R"("jobs":[{"command":["train","--rate","0.1"],"parameters":{"rate":"0.1"}},)"
      R"({"command":["train","--rate","0.2"],"parameters":{"rate":"0.2"}}]})",
      {Required({"name", Shape::kText, "what it is called", "", R"("digits")"}),
       UpTo(kLongestKey,
            {"key", Shape::kText, "a second submission with the same key returns the first job", "",
             R"("digits-1")"}),
       Part("successive_halving", Shape::kObject, "stops what falls behind", HalvingDefinition()),
       Part("sweep_budget", Shape::kObject, "of all experiments together", SweepBudgetDefinition()),
       Required(Part("jobs", Shape::kObjects, "the experiments", ExperimentDefinition(),
                     R"([{"command":["train","--rate","0.1"],"parameters":{"rate":"0.1"}}])"))}};
  return definition;
}

std::vector<const Definition*> SubmissionDefinitions() {
  return {&JobDefinition(),
          &ExperimentDefinition(),
          &SweepDefinition(),
          &core::TierDefinition(),
          &core::BudgetDefinition(),
          &core::TrackersDefinition(),
          &core::RecurrenceDefinition(),
          &HalvingDefinition(),
          &SweepBudgetDefinition(),
          &JobChangeDefinition(),
          &RestartDefinition()};
}

}  // namespace ebb::web
