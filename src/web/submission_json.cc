#include "web/submission_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "core/cron.h"

namespace ebb::web {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostJobs = 10'000;
constexpr std::size_t kMostWords = 4096;
constexpr int kWidestJob = 4096;

const std::vector<std::string> kKeys{
    "name",           "command", "working_directory", "environment",     "devices",   "duration",
    "power_w",        "tier",    "start_by",          "finish_by",       "threshold", "priority",
    "checkpointable", "freeze",  "pause_cost",        "minimum_segment", "models",    "after",
    "time_limit",     "budget",  "on_outage",         "power_cap",       "recurring", "key",
    "trackers"};
const std::vector<std::string> kRecurringKeys{"cron", "flexibility", "overlap"};
const std::vector<std::string> kTierKeys{"name", "threshold", "max_delay", "priority"};
const std::vector<std::string> kSweepKeys{"name", "key", "successive_halving", "jobs"};
const std::vector<std::string> kHalvingKeys{"reduction", "minimum_epochs", "epochs"};
const std::vector<std::string> kBudgetKeys{"energy_kwh", "emissions_g", "action"};
const std::vector<std::string> kTrackerKeys{"tensorboard", "mlflow", "mlflow_experiment",
                                            "mlflow_token_file"};

// Thrown and caught in this file only.
struct Refused {
  Error error;
};

[[noreturn]] void Refuse(const std::string& key, std::string what, std::string next = "") {
  throw Refused{{ExitCode::kUsage, std::move(what), key, std::move(next)}};
}

std::string TextOf(const Json& json, const std::string& key) {
  if (!json.is_string()) Refuse(key, "must be a text");
  std::string text = json;
  if (text.find('\0') != std::string::npos) Refuse(key, "holds a zero byte");
  return text;
}

double NumberOf(const Json& json, const std::string& key, double low, double high) {
  if (!json.is_number()) Refuse(key, "must be a number");
  const double number = json;
  if (!(number >= low && number <= high))
    Refuse(key, "must be from " + FormatSignificant(low, 3) + " to " + FormatSignificant(high, 6));
  return number;
}

int CountOf(const Json& json, const std::string& key, int low, int high) {
  const double number = NumberOf(json, key, low, high);
  if (number != std::floor(number)) Refuse(key, "must be a whole number");
  return static_cast<int>(number);
}

bool FlagOf(const Json& json, const std::string& key) {
  if (!json.is_boolean()) Refuse(key, "must be true or false");
  return json;
}

Duration DurationOf(const Json& json, const std::string& key) {
  if (json.is_number()) return DurationFromSeconds(NumberOf(json, key, 0, 1e9));
  const auto duration = ParseDuration(TextOf(json, key));
  if (!duration) Refuse(key, duration.error().what, duration.error().next);
  if (*duration < Duration::zero()) Refuse(key, "must not be negative");
  return *duration;
}

// "2026-05-01T12:00Z", or "6h" from now.
Time MomentOf(const Json& json, const std::string& key, Time now) {
  if (json.is_string()) {
    if (const auto duration = ParseDuration(TextOf(json, key))) return now + *duration;
    if (const auto time = ParseTime(TextOf(json, key))) return *time;
  }
  Refuse(key, "is neither a time nor a duration", "write 6h, or 2026-05-01T12:00Z");
}

std::vector<std::string> TextsOf(const Json& json, const std::string& key) {
  if (!json.is_array() || json.size() > kMostWords) Refuse(key, "must be a list of texts");
  std::vector<std::string> texts;
  for (const Json& entry : json) texts.push_back(TextOf(entry, key));
  return texts;
}

void CheckKeys(const Json& json, const std::vector<std::string>& known,
               const std::string& section = "") {
  for (const auto& [key, value] : json.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      Refuse(section.empty() ? key : section + "." + key,
             "is not known" + SuggestionText(key, known));
  }
}

// One of the names that `from_name` knows.
template <typename FromName>
auto NamedOf(const Json& json, const std::string& key, FromName from_name,
             const std::vector<std::string>& names) {
  const std::string name = TextOf(json, key);
  const auto value = from_name(name);
  if (!value)
    Refuse(key, "\"" + name + "\" is not known" + SuggestionText(name, names),
           "choose one of " + Join(names, ", "));
  return *value;
}

void ApplyTier(const plan::Tier& tier, Time now, core::Job& job) {
  job.tier = tier.name;
  job.threshold = tier.threshold;
  job.priority = tier.priority;
  job.start_by = now + tier.max_delay;
}

int PriorityOf(const Json& json, const std::string& key) { return CountOf(json, key, -1000, 1000); }

// One of the service's by its name, or one that is spelt out.
void ReadTier(const Json& json, const SubmissionDefaults& defaults, core::Job& job) {
  if (json.is_object()) {
    CheckKeys(json, kTierKeys, "tier");
    if (!json.contains("name") || !json.contains("max_delay"))
      Refuse("tier", "needs a name and a max_delay");
    job.tier = TextOf(json["name"], "tier.name");
    job.start_by = defaults.now + DurationOf(json["max_delay"], "tier.max_delay");
    if (json.contains("threshold"))
      job.threshold = Intensity{NumberOf(json["threshold"], "tier.threshold", 0, 5000)};
    if (json.contains("priority")) job.priority = PriorityOf(json["priority"], "tier.priority");
    return;
  }
  std::vector<std::string> names;
  for (const plan::Tier& tier : defaults.tiers) names.push_back(tier.name);
  const auto find = [&](const std::string& name) -> std::optional<plan::Tier> {
    for (const plan::Tier& tier : defaults.tiers)
      if (tier.name == name) return tier;
    return std::nullopt;
  };
  ApplyTier(NamedOf(json, "tier", find, names), defaults.now, job);
}

void ReadBudget(const Json& json, core::Budget& budget) {
  if (!json.is_object()) Refuse("budget", "must be an object");
  CheckKeys(json, kBudgetKeys, "budget");
  constexpr double kLeast = 1e-9;
  if (json.contains("energy_kwh"))
    budget.energy =
        Energy::Joules(3.6e6 * NumberOf(json["energy_kwh"], "budget.energy_kwh", kLeast, 1e6));
  if (json.contains("emissions_g"))
    budget.emissions = Emissions{NumberOf(json["emissions_g"], "budget.emissions_g", kLeast, 1e12)};
  if (budget.empty()) Refuse("budget", "limits nothing", "give energy_kwh or emissions_g");
  if (json.contains("action"))
    budget.action = NamedOf(json["action"], "budget.action", core::BudgetActionFromName,
                            {"log", "stop", "pause"});
}

std::string AbsolutePathOf(const Json& json, const std::string& key) {
  std::string path = TextOf(json, key);
  if (!path.starts_with('/')) Refuse(key, "must be an absolute path");
  return path;
}

void ReadTrackers(const Json& json, core::Tracking& tracking) {
  if (!json.is_object()) Refuse("trackers", "must be an object");
  CheckKeys(json, kTrackerKeys, "trackers");
  if (json.contains("tensorboard"))
    tracking.tensorboard = AbsolutePathOf(json["tensorboard"], "trackers.tensorboard");
  if (json.contains("mlflow")) {
    tracking.mlflow = TextOf(json["mlflow"], "trackers.mlflow");
    if (const auto target = core::CheckMlflowTarget(tracking.mlflow); !target)
      Refuse("trackers.mlflow", target.error().what, target.error().next);
    if (tracking.mlflow.find("://") == std::string::npos)
      tracking.mlflow = AbsolutePathOf(json["mlflow"], "trackers.mlflow");
  }
  if (json.contains("mlflow_experiment"))
    tracking.mlflow_experiment = TextOf(json["mlflow_experiment"], "trackers.mlflow_experiment");
  if (json.contains("mlflow_token_file")) {
    if (!core::IsMlflowServer(tracking.mlflow))
      Refuse("trackers.mlflow_token_file", "is for an MLflow server", "name it: mlflow");
    tracking.mlflow_token_file =
        AbsolutePathOf(json["mlflow_token_file"], "trackers.mlflow_token_file");
  }
}

// Numbers of jobs, and keys of earlier submissions.
void ReadAfter(const Json& json, service::Submit& submit) {
  if (!json.is_array() || json.size() > kMostWords)
    Refuse("after", "must be a list of job numbers, or of keys of earlier submissions");
  for (const Json& entry : json) {
    if (entry.is_string())
      submit.after_keys.push_back(TextOf(entry, "after"));
    else
      submit.submission.after.push_back(CountOf(entry, "after", 1, 2'000'000'000));
  }
}

void ReadEnvironment(const Json& json, core::Submission& submission) {
  if (!json.is_object() || json.size() > kMostWords)
    Refuse("environment", "must be an object of texts");
  for (const auto& [name, value] : json.items()) {
    if (name.empty() || name.find('=') != std::string::npos || name.find('\0') != std::string::npos)
      Refuse("environment", "\"" + name + "\" cannot be the name of a variable");
    submission.environment.emplace_back(name, TextOf(value, "environment"));
  }
}

void ReadJob(const Json& json, const SubmissionDefaults& defaults, core::Job& job) {
  job.run_time =
      json.contains("duration") ? DurationOf(json["duration"], "duration") : defaults.run_time;
  if (job.run_time <= Duration::zero()) Refuse("duration", "must be longer than nothing");
  job.power = json.contains("power_w") ? Power{NumberOf(json["power_w"], "power_w", 0, 1e7)}
                                       : defaults.power;
  if (json.contains("devices")) job.devices = CountOf(json["devices"], "devices", 1, kWidestJob);
  if (json.contains("tier")) ReadTier(json["tier"], defaults, job);
  if (json.contains("start_by"))
    job.start_by = MomentOf(json["start_by"], "start_by", defaults.now);
  if (json.contains("finish_by"))
    job.finish_by = MomentOf(json["finish_by"], "finish_by", defaults.now);
  if (json.contains("threshold"))
    job.threshold = Intensity{NumberOf(json["threshold"], "threshold", 0, 5000)};
  if (json.contains("priority")) job.priority = PriorityOf(json["priority"], "priority");
  if (json.contains("checkpointable"))
    job.pausable = FlagOf(json["checkpointable"], "checkpointable");
  if (json.contains("freeze")) job.freeze = FlagOf(json["freeze"], "freeze");
  if (job.freeze && job.pausable)
    Refuse("freeze", "is for programs that write no checkpoints", "leave out \"checkpointable\"");
  if (json.contains("pause_cost"))
    job.pause_overhead = DurationOf(json["pause_cost"], "pause_cost");
  if (json.contains("minimum_segment"))
    job.minimum_segment = DurationOf(json["minimum_segment"], "minimum_segment");
  if (json.contains("on_outage"))
    job.on_outage =
        NamedOf(json["on_outage"], "on_outage", core::OnOutageFromName, core::OnOutageNames());
  if (json.contains("models")) job.models = TextsOf(json["models"], "models");
}

void ReadRecurrence(const Json& json, const Json& job, core::Recurrence& recurrence) {
  if (!json.is_object() || !json.contains("cron"))
    Refuse("recurring", "must be an object with cron");
  CheckKeys(json, kRecurringKeys, "recurring");
  for (const char* key : {"start_by", "finish_by", "after", "key"})
    if (job.contains(key)) Refuse(key, "is not for recurring jobs", "flexibility says how long");
  if (!job.contains("name")) Refuse("name", "is missing", "a recurring job is known by its name");
  recurrence.cron = TextOf(json["cron"], "recurring.cron");
  if (const auto schedule = core::CronSchedule::Parse(recurrence.cron); !schedule)
    Refuse("recurring.cron", schedule.error().what, schedule.error().next);
  if (json.contains("flexibility"))
    recurrence.flexibility = DurationOf(json["flexibility"], "recurring.flexibility");
  if (recurrence.flexibility < std::chrono::minutes{1})
    Refuse("recurring.flexibility", "must be a minute or more");
  if (json.contains("overlap"))
    recurrence.overlap = NamedOf(json["overlap"], "recurring.overlap", core::OverlapRuleFromName,
                                 core::OverlapRuleNames());
}

service::Submit SubmissionFrom(const Json& json, const SubmissionDefaults& defaults) {
  if (!json.is_object()) Refuse("", "must be an object");
  CheckKeys(json, kKeys);
  service::Submit submit;
  core::Submission& submission = submit.submission;
  if (!json.contains("command")) Refuse("command", "is missing");
  submission.command = TextsOf(json["command"], "command");
  if (submission.command.empty() || submission.command.front().empty())
    Refuse("command", "is empty", "give the program and its arguments, each as a text");
  submission.job.name =
      json.contains("name")
          ? TextOf(json["name"], "name")
          : submission.command.front().substr(submission.command.front().rfind('/') + 1);
  submission.working_directory = "/";
  if (json.contains("working_directory"))
    submission.working_directory = TextOf(json["working_directory"], "working_directory");
  if (!submission.working_directory.starts_with('/'))
    Refuse("working_directory", "must be an absolute path");
  if (json.contains("environment")) ReadEnvironment(json["environment"], submission);
  ReadJob(json, defaults, submission.job);
  submit.run_time_given = json.contains("duration");
  submit.power_given = json.contains("power_w");
  if (json.contains("after")) ReadAfter(json["after"], submit);
  if (json.contains("budget")) ReadBudget(json["budget"], submission.budget);
  if (json.contains("trackers")) ReadTrackers(json["trackers"], submission.tracking);
  if (submission.budget.action == core::BudgetAction::kPause && !submission.job.pausable)
    Refuse("budget.action", "pause is for jobs that write checkpoints",
           "add \"checkpointable\": true, or choose stop or log");
  if (json.contains("power_cap")) {
    const Json& cap = json["power_cap"];
    const auto parsed =
        core::ParsePowerCap(cap.is_number() ? cap.dump() : TextOf(cap, "power_cap"));
    if (!parsed) Refuse("power_cap", parsed.error().what, parsed.error().next);
    submission.power_cap = *parsed;
  }
  if (json.contains("time_limit")) {
    submission.run_limit = DurationOf(json["time_limit"], "time_limit");
    if (*submission.run_limit <= Duration::zero())
      Refuse("time_limit", "must be longer than nothing");
  }
  if (json.contains("recurring"))
    ReadRecurrence(json["recurring"], json, submit.recurrence.emplace());
  if (json.contains("key")) submission.key = TextOf(json["key"], "key");
  return submit;
}

std::vector<service::Submit> ListFrom(const Json& list, const SubmissionDefaults& defaults) {
  if (list.empty() || list.size() > kMostJobs) Refuse("", "must hold from 1 to 10000 jobs");
  std::vector<service::Submit> submissions;
  for (std::size_t i = 0; i < list.size(); ++i) {
    try {
      submissions.push_back(SubmissionFrom(list[i], defaults));
    } catch (Refused& refused) {
      refused.error.where = "job " + std::to_string(i + 1) + ": " + refused.error.where;
      throw;
    }
  }
  return submissions;
}

// Sweeps --------------------------------------------------------------------------------------

constexpr int kMostEpochs = 1'000'000'000;

sweep::HalvingOptions HalvingFrom(const Json& json) {
  if (!json.is_object()) Refuse("successive_halving", "must be an object");
  CheckKeys(json, kHalvingKeys, "successive_halving");
  if (!json.contains("epochs"))
    Refuse("successive_halving.epochs", "is missing", "give the epochs of a whole run");
  sweep::HalvingOptions halving;
  const auto whole = [&](const char* key, int otherwise, int low, int high) {
    const std::string where = std::string("successive_halving.") + key;
    return json.contains(key) ? CountOf(json[key], where, low, high) : otherwise;
  };
  halving.reduction = whole("reduction", halving.reduction, 2, 1000);
  halving.minimum_epochs = whole("minimum_epochs", halving.minimum_epochs, 1, kMostEpochs);
  halving.epochs = whole("epochs", 0, 2, kMostEpochs);
  if (halving.epochs <= halving.minimum_epochs)
    Refuse("successive_halving.epochs", "must be above minimum_epochs");
  return halving;
}

std::vector<service::Submit> SweepFrom(const Json& json, const SubmissionDefaults& defaults) {
  if (!json.is_object()) Refuse("", "must be an object");
  CheckKeys(json, kSweepKeys);
  if (!json.contains("name")) Refuse("name", "is missing");
  if (!json.contains("jobs") || !json["jobs"].is_array())
    Refuse("jobs", "must be the list of experiments");
  auto sweep = std::make_shared<service::NewSweep>();
  sweep->name = TextOf(json["name"], "name");
  if (sweep->name.empty()) Refuse("name", "is empty");
  if (json.contains("key")) sweep->key = TextOf(json["key"], "key");
  if (json.contains("successive_halving")) sweep->halving = HalvingFrom(json["successive_halving"]);
  std::vector<service::Submit> jobs = ListFrom(json["jobs"], defaults);
  for (service::Submit& job : jobs) {
    if (job.recurrence) Refuse("recurring", "is not for experiments of a sweep");
    job.sweep = sweep;
  }
  return jobs;
}

using Read = std::vector<service::Submit> (*)(const Json&, const SubmissionDefaults&);

Result<std::vector<service::Submit>> Parsed(std::string_view text,
                                            const SubmissionDefaults& defaults, Read read) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Fail({ExitCode::kUsage, "is not JSON", "the submission", ""});
  try {
    return read(json, defaults);
  } catch (Refused& refused) {
    if (refused.error.where.empty()) refused.error.where = "the submission";
    return Fail(std::move(refused.error));
  }
}

}  // namespace

Result<std::vector<service::Submit>> SubmissionsFromJson(std::string_view text,
                                                         const SubmissionDefaults& defaults) {
  return Parsed(text, defaults, [](const Json& json, const SubmissionDefaults& given) {
    if (json.is_array()) return ListFrom(json, given);
    return std::vector<service::Submit>{SubmissionFrom(json, given)};
  });
}

Result<std::vector<service::Submit>> SweepFromJson(std::string_view text,
                                                   const SubmissionDefaults& defaults) {
  return Parsed(text, defaults, SweepFrom);
}

}  // namespace ebb::web
