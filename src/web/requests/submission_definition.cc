#include "web/requests/submission_definition.h"

#include "core/job.h"
#include "core/recurring.h"

namespace ebb::web {
namespace {

constexpr double kLeastBudget = 1e-9;
constexpr double kMostEpochs = 1e9;
constexpr double kMostIntensity = 5000;
constexpr double kMostPriority = 1000;
constexpr double kWidestJob = 4096;
constexpr std::size_t kLongestAddress = 2000;
constexpr std::size_t kLongestKey = 500;
constexpr std::size_t kLongestParameter = 1000;

// Units stand in the names or the words of the numbers.
Field Number(std::string key, std::string words, std::string example, double low, double high) {
  return {std::move(key), Shape::kNumber, std::move(words), std::move(example), false, low, high};
}
Field Whole(std::string key, std::string words, std::string example, double low, double high) {
  return {std::move(key), Shape::kWhole, std::move(words), std::move(example), false, low, high};
}
Field Choice(std::string key, std::string words, std::string example,
             std::vector<std::string> choices) {
  Field field{std::move(key), Shape::kChoice, std::move(words), std::move(example)};
  field.choices = std::move(choices);
  return field;
}
Field Part(std::string key, Shape shape, std::string words, const Definition& definition,
           std::string example = "") {
  Field field{std::move(key), shape, std::move(words), std::move(example)};
  field.definition = &definition;
  return field;
}
Field UpTo(std::size_t longest, Field field) {
  field.longest = longest;
  return field;
}
Field Required(Field field) {
  field.required = true;
  return field;
}
Field Formerly(std::string name, Field field) {
  field.formerly = std::move(name);
  return field;
}
Field Threshold() {
  return Number("threshold", "start at or below this intensity, in g CO2e per kWh", "200", 0,
                kMostIntensity);
}
Field Priority() {
  return Whole("priority", "higher goes first (0)", "2", -kMostPriority, kMostPriority);
}

const Definition& TierDefinition() {
  static const Definition definition{
      "OwnTier",
      "A tier that is spelt out.",
      R"({"name":"mine","threshold":200,"max_delay":"12h","priority":2})",
      {Required({"name", Shape::kText, "what it is called", R"("mine")"}),
       Required({"max_delay", Shape::kDuration, "the longest wait", R"("12h")"}), Threshold(),
       Priority()}};
  return definition;
}

const Definition& TrackersDefinition() {
  static const Definition definition{
      "Trackers",
      "Where the figures of a run go while it lasts.",
      R"({"tensorboard":"/home/me/tb","mlflow":"http://localhost:5000","mlflow_experiment":"digits"})",
      {{"tensorboard", Shape::kAbsolutePath, "directory of event files", R"("/home/me/tb")"},
       UpTo(kLongestAddress,
            {"mlflow", Shape::kText, "address of a server, or absolute path of a file store",
             R"("http://localhost:5000")"}),
       {"mlflow_experiment", Shape::kText, "experiment in MLflow", R"("digits")"},
       {"mlflow_token_file", Shape::kAbsolutePath,
        "file that holds the token of the server named in mlflow", R"("/home/me/.mlflow-token")"}}};
  return definition;
}

const Definition& RecurrenceDefinition() {
  static const Definition definition{
      "Recurrence",
      "Not a job now, but one whenever it is due.",
      R"({"cron":"0 2 * * *","flexibility":"6h","overlap":"forbid"})",
      {Required({"cron", Shape::kText,
                 "five fields of cron in the local time of the service, or @daily "
                 "and the like",
                 R"("0 2 * * *")"}),
       {"flexibility", Shape::kDuration, "how long it may wait once it is due; a minute or more",
        R"("6h")"},
       Choice("overlap", "what if the last one has not ended", R"("forbid")",
              core::OverlapRuleNames())}};
  return definition;
}

const Definition& HalvingDefinition() {
  static const Definition definition{
      "SuccessiveHalving",
      "At each rung of epochs only the best go on.",
      R"({"reduction":3,"minimum_epochs":1,"epochs":9})",
      {Whole("reduction", "one in so many goes on (3)", "3", 2, 1000),
       Whole("minimum_epochs", "the first rung (1)", "1", 1, kMostEpochs),
       Required(Whole("epochs", "the epochs of a whole run, above minimum_epochs", "9", 2,
                      kMostEpochs))}};
  return definition;
}

std::vector<Field> WhatAndWhere() {
  return {Required({"command", Shape::kTexts,
                    "the program and its arguments, each as a text; no shell "
                    "reads them",
                    R"(["python","train.py"])"}),
          {"name", Shape::kText,
           "what it is called (the name of its script, or else of the program)", R"("train")"},
          {"working_directory", Shape::kAbsolutePath, "where it runs (/)", R"("/home/me")"},
          {"environment", Shape::kTextsByName, "variables, on top of the service's own",
           R"({"OMP_NUM_THREADS":"4"})"},
          Whole("devices", "GPUs or slots at once (1)", "2", 1, kWidestJob),
          {"models", Shape::kTexts, "device models that it can run on (any)", R"(["a100"])"},
          {"power_cap", Shape::kTextOrNumber, "of each GPU, in watts or per cent, where permitted",
           R"("250W")"}};
}

std::vector<Field> WhenAndHowLong() {
  return {
      Formerly("run_time",
               {"duration", Shape::kDuration, "how long it runs, by estimate (1h)", R"("90m")"}),
      Number("power_w", "what each device draws, by estimate, in watts (100)", "250", 0, 1e7),
      Part("tier", Shape::kTextOrObject,
           "threshold, longest wait and priority, by the name of a tier of the service or spelt "
           "out; keys beside it win",
           TierDefinition(), R"("1")"),
      {"start_by", Shape::kMoment, "it must have begun by then", R"("6h")"},
      {"finish_by", Shape::kMoment, "it must have ended by then", R"("2030-01-01T00:00Z")"},
      Threshold(),
      Priority(),
      Formerly(
          "pausable",
          {"checkpointable", Shape::kFlag,
           "it can write a checkpoint and go on from it, so it may be paused (false)", "true"}),
      {"freeze", Shape::kFlag, "it may be stopped where it is instead (false)", "true"},
      Formerly("pause_overhead", {"pause_cost", Shape::kDuration,
                                  "extra running time of one pause and resume (0)", R"("30s")"}),
      {"minimum_segment", Shape::kDuration, "it runs at least so long at a time", R"("5m")"},
      UpTo(kLongestKey, {"after", Shape::kJobs,
                         "what must succeed first: numbers of jobs, or keys of earlier "
                         "submissions, also of this list",
                         R"(["prepare"])", false, 1, 2e9}),
      Formerly("run_limit",
               {"time_limit", Shape::kDuration, "a job that runs longer has failed", R"("3h")"})};
}

std::vector<Field> FieldsOfJob() {
  std::vector<Field> fields = WhatAndWhere();
  for (Field& field : WhenAndHowLong()) fields.push_back(std::move(field));
  fields.push_back(
      Part("budget", Shape::kObject, "limits of energy and emissions", BudgetDefinition()));
  fields.push_back(
      Choice("on_outage", "while the grid is unknown (wait)", R"("run")", core::OnOutageNames()));
  fields.push_back(Part("trackers", Shape::kObject, "experiment trackers", TrackersDefinition()));
  fields.push_back({"no_check", Shape::kFlag,
                    "its program, or its directory, may appear later: it is not looked up before "
                    "the job starts (false)",
                    "true"});
  fields.push_back(
      UpTo(kLongestKey, {"key", Shape::kText,
                         "a second submission with the same key returns the first job; a key is "
                         "its user's own (EBB_USER), and for another content it is refused",
                         R"("monday/train")"}));
  return fields;
}

template <typename T>
std::vector<T> With(std::vector<T> list, T another) {
  list.push_back(std::move(another));
  return list;
}

std::vector<Hint> HintsOfJob() {
  const std::string next = "write devices: how many GPUs or slots it has at once";
  return {{"gpus", next}, {"slots", next}};
}

}  // namespace

const Definition& JobDefinition() {
  static const Definition definition{
      "NewJob", "A job to submit.",
      R"({"command":["python","train.py"],"name":"train","duration":"90m","devices":2,)"
      R"("checkpointable":true,"finish_by":"36h","budget":{"emissions_g":500}})",
      With(FieldsOfJob(),
           Part("recurring", Shape::kObject, "needs a name, and no start_by, finish_by, after, key",
                RecurrenceDefinition())),
      With(HintsOfJob(), {"parameters", "they belong to the experiments of a sweep"})};
  return definition;
}

const Definition& ExperimentDefinition() {
  static const Definition definition{
      "NewExperiment", "A job of a sweep to submit.",
      R"({"command":["train","--rate","0.1"],"parameters":{"rate":"0.1"}})",
      With(FieldsOfJob(),
           UpTo(kLongestParameter, {"parameters", Shape::kTextsByName,
                                    "what the sweep varies, with the values of this one",
                                    R"({"rate":"0.1","batch":"32"})"})),
      With(HintsOfJob(),
           {"recurring", "submit a recurring job by itself: it is not an experiment of a sweep"})};
  return definition;
}

const Definition& JobChangeDefinition() {
  static const Definition definition{
      "JobChange",
      "What is to change of a job that waits or is paused. What is left out stays.",
      R"({"priority":2,"finish_by":"36h","without":["threshold"]})",
      {{"name", Shape::kText, "what it is called", R"("train")"},
       Part("tier", Shape::kTextOrObject,
            "threshold, longest wait from now and priority, by the name of a tier of the service "
            "or spelt out; keys beside it win",
            TierDefinition(), R"("1")"),
       Threshold(),
       Priority(),
       {"start_by", Shape::kMoment, "it must have begun by then", R"("6h")"},
       {"finish_by", Shape::kMoment, "it must have ended by then", R"("2030-01-01T00:00Z")"},
       {"duration", Shape::kDuration, "how long it runs, by estimate; not of one that has run",
        R"("90m")"},
       {"without", Shape::kTexts, "what it is to have no more: threshold, start_by, finish_by",
        R"(["threshold"])"}}};
  return definition;
}

const Definition& RestartDefinition() {
  static const Definition definition{
      "Restart",
      "How a job that has ended is submitted again.",
      R"({"resume":true,"after":[12]})",
      {{"resume", Shape::kFlag,
        "it goes on from the checkpoint of the earlier job; needs checkpointable (false)", "true"},
       UpTo(kLongestKey, {"after", Shape::kJobs,
                          "what must succeed first, in place of what the earlier job named",
                          R"([12])", false, 1, 2e9}),
       UpTo(kLongestKey,
            {"key", Shape::kText, "a second submission with the same key returns the first job",
             R"("again-1")"})}};
  return definition;
}

const Definition& BudgetDefinition() {
  static const Definition definition{
      "Budget",
      "What all attempts together may use: one limit or both.",
      R"({"energy_kwh":2,"emissions_g":500,"action":"stop"})",
      {Number("energy_kwh", "energy, in kWh", "2", kLeastBudget, 1e6),
       Number("emissions_g", "emissions, in g CO2e", "500", kLeastBudget, 1e12),
       Choice("action", "what is done once a limit is reached (stop); pause needs checkpointable",
              R"("stop")", {"log", "stop", "pause"})}};
  return definition;
}

const Definition& SweepBudgetDefinition() {
  static const Definition definition{
      "SweepBudget",
      "What all experiments of a sweep together may use: one limit or both. Once it is used up, "
      "those "
      "that run are paused, and nothing more is started.",
      R"({"energy_kwh":20,"emissions_g":5000})",
      {Number("energy_kwh", "energy, in kWh", "20", kLeastBudget, 1e6),
       Number("emissions_g", "emissions, in g CO2e", "5000", kLeastBudget, 1e12)}};
  return definition;
}

const Definition& SweepDefinition() {
  static const Definition definition{
      "NewSweep",
      "Experiments that belong together.",
      R"({"name":"digits","successive_halving":{"epochs":9},)"
      R"("jobs":[{"command":["train","--rate","0.1"],"parameters":{"rate":"0.1"}},)"
      R"({"command":["train","--rate","0.2"],"parameters":{"rate":"0.2"}}]})",
      {Required({"name", Shape::kText, "what it is called", R"("digits")"}),
       UpTo(kLongestKey,
            {"key", Shape::kText, "a second submission with the same key returns the first job",
             R"("digits-1")"}),
       Part("successive_halving", Shape::kObject, "stops what falls behind (nothing is stopped)",
            HalvingDefinition()),
       Part("sweep_budget", Shape::kObject, "of all experiments together (no limit)",
            SweepBudgetDefinition()),
       Required(Part("jobs", Shape::kObjects, "the experiments", ExperimentDefinition(),
                     R"([{"command":["train","--rate","0.1"],"parameters":{"rate":"0.1"}}])"))}};
  return definition;
}

std::vector<const Definition*> SubmissionDefinitions() {
  return {&JobDefinition(),        &ExperimentDefinition(), &SweepDefinition(),
          &TierDefinition(),       &BudgetDefinition(),     &TrackersDefinition(),
          &RecurrenceDefinition(), &HalvingDefinition(),    &SweepBudgetDefinition(),
          &JobChangeDefinition(),  &RestartDefinition()};
}

}  // namespace ebb::web
