#include "web/requests/submission_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "core/jobs/cron.h"
#include "core/jobs/job_change.h"
#include "core/jobs/script.h"
#include "plan/make_policy.h"
#include "web/requests/object_reader.h"
#include "web/requests/submission_definition.h"

namespace ebb::web {
namespace {

using Json = nlohmann::ordered_json;

void ApplyTier(const core::Tier& tier, service::Submit& submit) {
  core::Job& job = submit.submission.job;
  job.tier = tier.name;
  job.threshold = tier.threshold;
  job.priority = tier.priority;
  submit.start_within = tier.max_delay;
}

// Reads a tier: the name of one of the service's tiers, or one that is written out.
void ReadTier(const ObjectReader& json, const SubmissionDefaults& defaults,
              service::Submit& submit) {
  if (!json.Has("tier")) return;
  core::Job& job = submit.submission.job;
  if (const auto own = json.Object("tier")) {
    job.tier = *own->Text("name");
    submit.start_within = *own->Span("max_delay");
    if (const auto threshold = own->Number("threshold")) job.threshold = Intensity{*threshold};
    job.priority = own->Whole("priority").value_or(job.priority);
    return;
  }
  if (!defaults.tiers) {
    job.tier = *json.Text("tier");
    return;
  }
  std::vector<std::string> names;
  for (const core::Tier& tier : *defaults.tiers) names.push_back(tier.name);
  const auto find = [&](const std::string& name) -> std::optional<core::Tier> {
    const core::Tier* tier = core::FindTier(*defaults.tiers, name);
    return tier ? std::optional(*tier) : std::nullopt;
  };
  ApplyTier(*json.Choice("tier", find, names), submit);
}

// Reads a deadline of the job, which overrides that of the tier.
void ReadDeadline(const ObjectReader& json, const char* key, std::optional<Time>& at,
                  std::optional<Duration>& within) {
  const auto moment = json.Moment(key);
  if (!moment) return;
  at.reset();
  within.reset();
  if (const auto* time = std::get_if<Time>(&*moment))
    at = *time;
  else
    within = std::get<Duration>(*moment);
}

void ReadLimits(const ObjectReader& json, const char* name, core::Budget& budget) {
  if (const auto kwh = json.Number("energy_kwh")) budget.energy = Energy::Joules(3.6e6 * *kwh);
  if (const auto grams = json.Number("emissions_g")) budget.emissions = Emissions{*grams};
  if (budget.empty()) Refuse(name, "limits nothing", "give energy_kwh or emissions_g");
}

void ReadBudget(const ObjectReader& json, bool checkpointable, core::Budget& budget) {
  ReadLimits(json, "budget", budget);
  budget.action = json.Choice("action", core::BudgetActionFromName).value_or(budget.action);
  if (budget.action == core::BudgetAction::kPause && !checkpointable)
    Refuse("budget.action", "pause is for jobs that write checkpoints",
           "add \"checkpointable\": true, or choose stop or log");
}

void ReadTrackers(const ObjectReader& json, core::Tracking& tracking) {
  tracking.tensorboard = json.Text("tensorboard").value_or("");
  if (const auto mlflow = json.Text("mlflow")) {
    tracking.mlflow = *mlflow;
    if (const auto target = core::CheckMlflowTarget(tracking.mlflow); !target)
      json.RefuseKey("mlflow", target.error().what, target.error().next);
    if (!core::IsMlflowServer(tracking.mlflow) && !tracking.mlflow.starts_with('/'))
      json.RefuseKey("mlflow", "must be an absolute path");
  }
  tracking.mlflow_experiment = json.Text("mlflow_experiment").value_or("");
  tracking.mlflow_token_file = json.Text("mlflow_token_file").value_or("");
  if (json.Has("mlflow_token_file") && !core::IsMlflowServer(tracking.mlflow))
    json.RefuseKey("mlflow_token_file", "is for an MLflow server", "name it: mlflow");
}

void ReadEnvironment(const ObjectReader& json, core::Submission& submission) {
  submission.environment = json.TextsByName("environment");
  for (const auto& [name, value] : submission.environment)
    if (name.empty() || name.find('=') != std::string::npos || name.find('\0') != std::string::npos)
      Refuse("environment", "\"" + name + "\" cannot be the name of a variable");
}

// Shortens a name to the longest length that is accepted, at the end of a whole character.
std::string ShortName(std::string name) {
  const std::size_t longest = core::LongestText(JobDefinition().Of("name"));
  if (name.size() <= longest) return name;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  name.resize(end);
  return name;
}

// Reads the options of a place that consist of their value only (core/options/job_options.h).
void ReadPlainOptions(const ObjectReader& json, core::Place place, core::Submission& submission) {
  for (const core::JobOption& option : core::JobOptions()) {
    if (!option.set || !option.StandsIn(place)) continue;
    const auto value = json.Value(option.field);
    if (!value) continue;
    if (const Status taken = option.set(*value, submission); !taken)
      json.RefuseKey(option.field.key, taken.error().what, taken.error().next);
  }
}

// Refuses a key that the policy does not heed. This does not concern a tier's threshold and
// priority; its longest wait is always heeded.
void CheckHeeded(const ObjectReader& json, const char* key, const std::string& policy,
                 std::span<const std::string> policies) {
  if (!json.Has(key) || policy.empty() || std::ranges::find(policies, policy) != policies.end())
    return;
  json.RefuseKey(key, "makes no difference under the policy " + policy + " of this service",
                 "leave it out, or start the service with --policy " + Join(policies, " or "));
}

void ReadJob(const ObjectReader& json, const SubmissionDefaults& defaults,
             service::Submit& submit) {
  core::Job& job = submit.submission.job;
  job.duration = defaults.duration;
  job.power = defaults.power;
  ReadTier(json, defaults, submit);
  ReadPlainOptions(json, core::Place::kSubmission, submit.submission);
  ReadDeadline(json, "start_by", job.start_by, submit.start_within);
  ReadDeadline(json, "finish_by", job.finish_by, submit.finish_within);
  CheckHeeded(json, "threshold", defaults.policy, plan::PoliciesByThreshold());
  CheckHeeded(json, "priority", defaults.policy, plan::PoliciesByPriority());
  if (job.freeze && job.checkpointable)
    Refuse("freeze", "is for programs that write no checkpoints", "leave out \"checkpointable\"");
}

void ReadRecurrence(const ObjectReader& json, const ObjectReader& job,
                    core::Recurrence& recurrence) {
  for (const char* key : {"start_by", "finish_by", "after", "key"})
    if (job.Has(key)) Refuse(key, "is not for recurring jobs", "flexibility says how long");
  if (!job.Has("name")) Refuse("name", "is missing", "a recurring job is known by its name");
  recurrence.cron = *json.Text("cron");
  if (const auto schedule = core::CronSchedule::Parse(recurrence.cron); !schedule)
    json.RefuseKey("cron", schedule.error().what, schedule.error().next);
  recurrence.flexibility = json.Span("flexibility").value_or(recurrence.flexibility);
  recurrence.overlap =
      json.Choice("overlap", core::OverlapRuleFromName).value_or(recurrence.overlap);
}

void ReadCommand(const ObjectReader& json, core::Submission& submission) {
  submission.command = *json.Texts("command");
  if (submission.command.empty() || submission.command.front().empty())
    Refuse("command", "is empty", "give the program and its arguments, each as a text");
  submission.job.name = ShortName(Printable(core::ScriptOf(submission.command).name));
  submission.working_directory = "/";
  ReadEnvironment(json, submission);
}

// Reads what jobs and experiments have in common.
service::Submit SubmissionFrom(const ObjectReader& json, const SubmissionDefaults& defaults) {
  service::Submit submit;
  core::Submission& submission = submit.submission;
  ReadCommand(json, submission);
  ReadJob(json, defaults, submit);
  submit.duration_given = json.Has("duration");
  submit.power_given = json.Has("power_w");
  json.Jobs(
      "after", [&](core::JobId id) { submission.after.push_back(id); },
      [&](std::string key) { submit.after_keys.push_back(std::move(key)); });
  if (const auto trackers = json.Object("trackers")) ReadTrackers(*trackers, submission.tracking);
  if (const auto budget = json.Object("budget"))
    ReadBudget(*budget, submission.job.checkpointable, submission.budget);
  submit.no_check = json.Flag("no_check").value_or(false);
  return submit;
}

service::Submit JobFrom(JsonNode object, const SubmissionDefaults& defaults) {
  const ObjectReader json(object, JobDefinition());
  service::Submit submit = SubmissionFrom(json, defaults);
  if (const auto recurring = json.Object("recurring"))
    ReadRecurrence(*recurring, json, submit.recurrence.emplace());
  return submit;
}

service::Submit ExperimentFrom(JsonNode object, const SubmissionDefaults& defaults) {
  const ObjectReader json(object, ExperimentDefinition());
  service::Submit submit = SubmissionFrom(json, defaults);
  submit.submission.parameters = json.TextsByName("parameters");
  return submit;
}

using ReadOne = service::Submit (*)(JsonNode, const SubmissionDefaults&);

std::vector<service::Submit> ListFrom(const std::vector<JsonNode>& list,
                                      const SubmissionDefaults& defaults, ReadOne read) {
  if (list.empty() || list.size() > core::kMostJobs)
    Refuse("", "must hold from 1 to " + std::to_string(core::kMostJobs) + " jobs");
  std::vector<service::Submit> submissions;
  for (std::size_t i = 0; i < list.size(); ++i) {
    try {
      submissions.push_back(read(list[i], defaults));
    } catch (Refused& refused) {
      refused.error.where = "job " + std::to_string(i + 1) + ": " + refused.error.where;
      throw;
    }
  }
  return submissions;
}

// Sweeps --------------------------------------------------------------------------------------

sweep::HalvingOptions HalvingFrom(const ObjectReader& json) {
  sweep::HalvingOptions halving;
  halving.reduction = json.Whole("reduction").value_or(halving.reduction);
  halving.minimum_epochs = json.Whole("minimum_epochs").value_or(halving.minimum_epochs);
  halving.epochs = *json.Whole("epochs");
  if (halving.epochs <= halving.minimum_epochs)
    json.RefuseKey("epochs", "must be above minimum_epochs");
  return halving;
}

// Gives each experiment a key, so that it is accepted only once, however often the sweep is
// submitted. The key is made from its name; if another experiment has the same name, also from its
// place.
void GiveKeys(const std::string& sweep_key, std::vector<service::Submit>& experiments) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    core::Submission& experiment = experiments[i].submission;
    const bool is_first = names.insert(experiment.job.name).second;
    if (!experiment.key.empty()) continue;
    experiment.key = sweep_key + "/" + experiment.job.name;
    if (!is_first) experiment.key += "#" + std::to_string(i + 1);
  }
}

std::vector<service::Submit> SweepFrom(JsonNode object, const SubmissionDefaults& defaults) {
  const ObjectReader json(object, SweepDefinition());
  auto sweep = std::make_shared<service::NewSweep>();
  sweep->name = *json.Text("name");
  if (sweep->name.empty()) Refuse("name", "is empty");
  sweep->key = json.Text("key").value_or("");
  if (const auto halving = json.Object("successive_halving"))
    sweep->halving = HalvingFrom(*halving);
  if (const auto budget = json.Object("sweep_budget"))
    ReadLimits(*budget, "sweep_budget", sweep->budget);
  std::vector<service::Submit> jobs = ListFrom(json.Objects("jobs"), defaults, ExperimentFrom);
  if (!sweep->key.empty()) GiveKeys(sweep->key, jobs);
  for (service::Submit& job : jobs) job.sweep = sweep;
  return jobs;
}

template <typename Read>
auto Parsed(std::string_view text, const Read& read) -> Result<decltype(read(JsonNode()))> {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Fail({ExitCode::kUsage, "is not JSON", "the submission", ""});
  try {
    return read(&json);
  } catch (Refused& refused) {
    if (refused.error.where.empty()) refused.error.where = "the submission";
    return Fail(std::move(refused.error));
  }
}

core::Budget SweepBudgetFrom(JsonNode object) {
  core::Budget budget;
  ReadLimits(ObjectReader(object, SweepBudgetDefinition()), "", budget);
  return budget;
}

// The tier's options apply unless another key overrides them, as in a submission.
void ReadTierInto(const ObjectReader& json, const SubmissionDefaults& defaults,
                  service::ChangeJob& change) {
  if (!json.Has("tier")) return;
  service::Submit of_tier;
  ReadTier(json, defaults, of_tier);
  const core::Job& job = of_tier.submission.job;
  change.change.tier = job.tier;
  change.change.priority = job.priority;
  change.change.threshold = job.threshold;
  change.change.drop_threshold = !job.threshold;
  change.start_within = of_tier.start_within;
}

// Takes over the options that consist of their value only.
void ReadPlainInto(const ObjectReader& json, core::JobChange& change) {
  core::Submission given;
  ReadPlainOptions(json, core::Place::kChange, given);
  core::VisitOptions(change, [&](const char* key, auto member, auto& value, bool* drop) {
    if (!core::JobOptionOf(key).set || !json.Has(key)) return;
    value = given.job.*member;
    if (drop) *drop = false;
  });
}

void Remove(const std::string& name, service::ChangeJob& change) {
  core::VisitOptions(change.change, [&](std::string_view key, auto, auto& value, bool* drop) {
    if (key != name || !drop) return;
    *drop = true;
    value.reset();
  });
  if (name == "start_by") change.start_within.reset();  // removes the tier's deadline
}

void ReadWithout(const ObjectReader& json, service::ChangeJob& change) {
  const std::vector<std::string> names = core::RemovableOptions();
  for (const std::string& name : json.Texts("without").value_or(std::vector<std::string>())) {
    if (std::ranges::find(names, name) == names.end())
      json.RefuseKey("without",
                     "\"" + name + "\" cannot be left away" + SuggestionText(name, names),
                     "choose from " + Join(names, ", "));
    if (json.Has(name))
      json.RefuseKey("without", name + " is given as well", "leave out one of them");
    Remove(name, change);
  }
}

std::vector<std::string> KeysOf(const core::Definition& definition) {
  std::vector<std::string> keys;
  for (const core::Field& field : definition.fields) keys.push_back(field.key);
  return keys;
}

service::ChangeJob ChangeFrom(JsonNode object, const SubmissionDefaults& defaults) {
  const ObjectReader json(object, JobChangeDefinition());
  service::ChangeJob change;
  core::JobChange& values = change.change;
  if (json.Text("name") == std::string()) Refuse("name", "is empty");
  ReadTierInto(json, defaults, change);
  CheckHeeded(json, "threshold", defaults.policy, plan::PoliciesByThreshold());
  CheckHeeded(json, "priority", defaults.policy, plan::PoliciesByPriority());
  ReadPlainInto(json, values);
  ReadDeadline(json, "start_by", values.start_by, change.start_within);
  ReadDeadline(json, "finish_by", values.finish_by, change.finish_within);
  ReadWithout(json, change);
  if (values == core::JobChange() && !change.start_within && !change.finish_within)
    Refuse("", "changes nothing", "give one of " + Join(KeysOf(JobChangeDefinition()), ", "));
  return change;
}

Restart RestartFrom(JsonNode object) {
  const ObjectReader json(object, RestartDefinition());
  Restart restart;
  restart.resume = json.Flag("resume").value_or(false);
  if (json.Has("after")) restart.after.emplace();
  json.Jobs(
      "after", [&](core::JobId id) { restart.after->push_back(id); },
      [&](std::string key) { restart.after_keys.push_back(std::move(key)); });
  restart.key = json.Text("key").value_or("");
  return restart;
}

core::Budget BudgetFrom(JsonNode object, bool checkpointable) {
  core::Budget budget;
  ReadBudget(ObjectReader(object, core::BudgetDefinition()), checkpointable, budget);
  return budget;
}

}  // namespace

Result<core::Budget> BudgetFromJson(std::string_view text, bool checkpointable) {
  return Parsed(text, [&](JsonNode node) { return BudgetFrom(node, checkpointable); });
}

Result<service::ChangeJob> JobChangeFromJson(std::string_view text,
                                             const SubmissionDefaults& defaults) {
  return Parsed(text, [&](JsonNode node) { return ChangeFrom(node, defaults); });
}

Result<Restart> RestartFromJson(std::string_view text) {
  return Parsed(text.empty() ? "{}" : text, [](JsonNode node) { return RestartFrom(node); });
}

Result<core::Budget> SweepBudgetFromJson(std::string_view text) {
  return Parsed(text, [](JsonNode node) { return SweepBudgetFrom(node); });
}

Result<ReadSubmissions> SubmissionsFromJson(std::string_view text,
                                            const SubmissionDefaults& defaults) {
  return Parsed(text, [&](JsonNode node) {
    const Json& json = *static_cast<const Json*>(node);
    if (!json.is_array()) return ReadSubmissions{{JobFrom(node, defaults)}, false};
    std::vector<JsonNode> list;
    for (const Json& entry : json) list.push_back(&entry);
    return ReadSubmissions{ListFrom(list, defaults, JobFrom), true};
  });
}

Result<std::vector<service::Submit>> SweepFromJson(std::string_view text,
                                                   const SubmissionDefaults& defaults) {
  return Parsed(text, [&](JsonNode node) { return SweepFrom(node, defaults); });
}

}  // namespace ebb::web
