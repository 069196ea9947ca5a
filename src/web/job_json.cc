#include "web/job_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace ebb::web {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostJobs = 10'000;
constexpr std::size_t kMostWords = 4096;
constexpr int kWidestJob = 4096;

const std::vector<std::string> kKeys{"name",
                                     "command",
                                     "working_directory",
                                     "environment",
                                     "devices",
                                     "duration",
                                     "power_w",
                                     "tier",
                                     "start_by",
                                     "finish_by",
                                     "threshold",
                                     "priority",
                                     "checkpointable",
                                     "pause_cost",
                                     "minimum_segment",
                                     "models",
                                     "after",
                                     "time_limit",
                                     "key"};

// Thrown and caught in this file only.
struct Refused {
  Error error;
};

[[noreturn]] void Refuse(const std::string& key, std::string what, std::string next = "") {
  throw Refused{{ExitCode::kUsage, std::move(what), key, std::move(next)}};
}

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void Put(Json& json, const char* key, const std::optional<Time>& time) {
  if (time) json[key] = FormatTime(*time);
}
void Put(Json& json, const char* key, const std::optional<Intensity>& intensity) {
  if (intensity) json[key] = intensity->g_per_kwh;
}
void Put(Json& json, const char* key, const std::optional<Emissions>& emissions) {
  if (emissions) json[key] = emissions->grams;
}

// Reading ------------------------------------------------------------------------------------

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

void CheckKeys(const Json& json) {
  for (const auto& [key, value] : json.items()) {
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end())
      Refuse(key, "is not known" + SuggestionText(key, kKeys));
  }
}

void ApplyTier(const std::string& name, const SubmissionDefaults& defaults, core::Job& job) {
  job.tier = name;
  std::vector<std::string> names;
  for (const plan::Tier& tier : defaults.tiers) {
    names.push_back(tier.name);
    if (tier.name != name) continue;
    job.threshold = tier.threshold;
    job.priority = tier.priority;
    job.start_by = defaults.now + tier.max_delay;
    return;
  }
  Refuse("tier", "\"" + name + "\" is not known" + SuggestionText(name, names),
         "the tiers are " + Join(names, ", "));
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
  if (json.contains("tier")) ApplyTier(TextOf(json["tier"], "tier"), defaults, job);
  if (json.contains("start_by"))
    job.start_by = MomentOf(json["start_by"], "start_by", defaults.now);
  if (json.contains("finish_by"))
    job.finish_by = MomentOf(json["finish_by"], "finish_by", defaults.now);
  if (json.contains("threshold"))
    job.threshold = Intensity{NumberOf(json["threshold"], "threshold", 0, 5000)};
  if (json.contains("priority")) job.priority = CountOf(json["priority"], "priority", -1000, 1000);
  if (json.contains("checkpointable"))
    job.pausable = FlagOf(json["checkpointable"], "checkpointable");
  if (json.contains("pause_cost"))
    job.pause_overhead = DurationOf(json["pause_cost"], "pause_cost");
  if (json.contains("minimum_segment"))
    job.minimum_segment = DurationOf(json["minimum_segment"], "minimum_segment");
  if (json.contains("models")) job.models = TextsOf(json["models"], "models");
}

core::Submission SubmissionFrom(const Json& json, const SubmissionDefaults& defaults) {
  if (!json.is_object()) Refuse("", "must be an object");
  CheckKeys(json);
  core::Submission submission;
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
  if (json.contains("after")) {
    if (!json["after"].is_array()) Refuse("after", "must be a list of job numbers");
    for (const Json& id : json["after"])
      submission.after.push_back(CountOf(id, "after", 1, 2'000'000'000));
  }
  if (json.contains("time_limit")) {
    submission.run_limit = DurationOf(json["time_limit"], "time_limit");
    if (*submission.run_limit <= Duration::zero())
      Refuse("time_limit", "must be longer than nothing");
  }
  if (json.contains("key")) submission.key = TextOf(json["key"], "key");
  return submission;
}

// Writing ------------------------------------------------------------------------------------

Json StretchesJson(const std::vector<Interval>& stretches) {
  Json json = Json::array();
  for (const Interval& stretch : stretches) {
    Json times = Json::array({stretch.begin.time_since_epoch().count()});
    if (stretch.end != Time::max()) times.push_back(stretch.end.time_since_epoch().count());
    json.push_back(std::move(times));
  }
  return json;
}

Json CardJson(const service::JobCard& card, bool whole) {
  const engine::Explanation& explanation = card.explanation;
  const core::Submission& submission = *card.submission;
  const core::Job& job = submission.job;
  Json json{{"id", job.id},
            {"name", job.name},
            {"stage", engine::Name(explanation.stage)},
            {"reason", engine::Sentence(explanation)},
            {"rule", core::Name(explanation.rule)},
            {"submitted", FormatTime(job.submitted)}};
  if (!job.tier.empty()) json["tier"] = job.tier;
  Put(json, "expected_start", explanation.expected_start);
  Put(json, "expected_end", explanation.expected_end);
  Put(json, "start_by", explanation.start_by);
  Put(json, "intensity_now", explanation.current);
  Put(json, "intensity_expected", explanation.expected);
  Put(json, "started", card.first_start);
  Put(json, "ended", card.ended);
  json["devices"] = job.devices;
  if (explanation.pool >= 0) json["pool"] = explanation.pool;
  json["attempt"] = card.attempt;
  json["pauses"] = card.pauses;
  if (engine::HasEnded(explanation.stage)) json["exit_code"] = card.exit_code;
  if (!card.detail.empty()) json["detail"] = card.detail;
  if (!card.waits_for.empty()) json["waits_for"] = card.waits_for;
  // [begin, end] in milliseconds since 1970; the last one may go on: [begin].
  if (!card.stretches.empty()) json["ran_ms"] = StretchesJson(card.stretches);
  json["energy_kwh"] = card.energy.kwh();
  Put(json, "emissions_g", card.emissions);
  Put(json, "emissions_at_submission_g", card.emissions_at_submission);
  if (!whole) return json;
  json["command"] = submission.command;
  json["working_directory"] = submission.working_directory;
  json["duration_s"] = Seconds(job.run_time);
  json["power_w"] = job.power.watts;
  json["checkpointable"] = job.pausable;
  json["priority"] = job.priority;
  Put(json, "finish_by", job.finish_by);
  Put(json, "threshold", job.threshold);
  if (submission.run_limit) json["time_limit_s"] = Seconds(*submission.run_limit);
  if (!submission.after.empty()) json["after"] = submission.after;
  if (!submission.key.empty()) json["key"] = submission.key;
  return json;
}

Json SeriesJson(const core::IntensitySeries& series) {
  Json points = Json::array();
  for (const core::Sample& sample : series.samples()) {
    points.push_back({sample.interval.begin.time_since_epoch().count(),
                      sample.interval.end.time_since_epoch().count(), sample.intensity.g_per_kwh,
                      core::Name(sample.status)});
  }
  return points;
}

Json RunningJson(const service::View& view) {
  Json running = Json::array();
  for (const local::SupervisedFigures& program : view.running) {
    running.push_back({{"job", program.job},
                       {"attempt", program.attempt},
                       {"pool", program.pool},
                       {"slots", program.slots},
                       {"elapsed_s", Seconds(program.figures.elapsed)},
                       {"power_w", program.figures.power.watts},
                       {"energy_kwh", program.figures.energy.kwh()},
                       {"emissions_g", program.figures.emissions.grams}});
  }
  return running;
}

}  // namespace

Result<std::vector<core::Submission>> SubmissionsFromJson(std::string_view text,
                                                          const SubmissionDefaults& defaults) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Fail({ExitCode::kUsage, "is not JSON", "the submission", ""});
  const bool many = json.is_array();
  if (many && (json.empty() || json.size() > kMostJobs))
    return Fail({ExitCode::kUsage, "must hold from 1 to 10000 jobs", "the submission", ""});
  std::vector<core::Submission> submissions;
  for (std::size_t i = 0; i < (many ? json.size() : 1); ++i) {
    try {
      submissions.push_back(SubmissionFrom(many ? json[i] : json, defaults));
    } catch (Refused& refused) {
      if (many) refused.error.where = "job " + std::to_string(i + 1) + ": " + refused.error.where;
      return Fail(std::move(refused.error));
    }
  }
  return submissions;
}

std::string JobToJson(const service::JobCard& card, bool whole) {
  return Dump(CardJson(card, whole));
}

std::string JobToJson(const store::JobRecord& record) {
  Json json{{"id", record.id},
            {"name", record.name},
            {"stage", engine::Name(record.stage)},
            {"submitted", FormatTime(record.submitted)}};
  if (!record.tier.empty()) json["tier"] = record.tier;
  Put(json, "started", record.first_start);
  Put(json, "ended", record.ended);
  json["pauses"] = record.pauses;
  if (record.exit_code) json["exit_code"] = *record.exit_code;
  if (!record.detail.empty()) json["detail"] = record.detail;
  json["energy_kwh"] = record.energy.kwh();
  Put(json, "emissions_g", record.emissions);
  return Dump(json);
}

std::string ViewToJson(const service::View& view) {
  std::map<std::string_view, std::int64_t> stages;
  double emissions_g = 0, compared_g = 0, at_submission_g = 0;
  double energy_kwh = 0;
  view.jobs.ForEach(0, [&](const service::JobCard& card) {
    ++stages[engine::Name(card.explanation.stage)];
    energy_kwh += card.energy.kwh();
    if (card.emissions) emissions_g += card.emissions->grams;
    if (card.emissions && card.emissions_at_submission) {
      compared_g += card.emissions->grams;
      at_submission_g += card.emissions_at_submission->grams;
    }
    return true;
  });
  Json json{{"version", view.version}, {"now", FormatTime(view.now)}, {"jobs", Json::object()}};
  for (const auto& [stage, count] : stages) json["jobs"][std::string(stage)] = count;
  json["running"] = RunningJson(view);
  json["energy_kwh"] = energy_kwh;
  json["emissions_g"] = emissions_g;
  // A difference of the same energy: negative when waiting made it worse.
  json["saved"] = {{"jobs_emissions_g", compared_g},
                   {"at_submission_g", at_submission_g},
                   {"saved_g", at_submission_g - compared_g}};
  json["signals"] = Json::array();
  for (const service::SiteSignalView& signal : view.signals) {
    Json entry;
    if (signal.view) {
      entry["zone"] = signal.view->known.identity().zone;
      entry["source"] = signal.view->known.identity().source;
      if (const core::Sample* sample = signal.view->At(view.now)) {
        entry["g_per_kwh"] = sample->intensity.g_per_kwh;
        entry["status"] = core::Name(sample->status);
      }
    }
    if (!signal.lost.empty()) entry["lost"] = signal.lost;
    json["signals"].push_back(std::move(entry));
  }
  json["pools"] = Json::array();
  for (const core::DevicePool& pool : view.cluster.pools)
    json["pools"].push_back({{"model", pool.model}, {"count", pool.count}});
  json["happenings"] = Json::array();
  for (const service::Happening& happening : view.happenings) {
    json["happenings"].push_back({{"number", happening.number},
                                  {"at", FormatTime(happening.at)},
                                  {"job", happening.job},
                                  {"text", happening.text}});
  }
  if (!view.trouble.empty()) json["trouble"] = view.trouble;
  return Dump(json);
}

std::string SignalsToJson(const service::View& view) {
  Json sites = Json::array();
  for (std::size_t site = 0; site < view.signals.size(); ++site) {
    const auto& signal = view.signals[site].view;
    if (!signal) continue;
    const core::SignalIdentity& identity = signal->known.identity();
    Json json{{"site", site},
              {"zone", identity.zone},
              {"kind", core::Name(identity.kind)},
              {"boundary", core::Name(identity.boundary)},
              {"source", identity.source},
              {"known", SeriesJson(signal->known)},
              {"forecast_method", signal->forecast.method},
              {"forecast", SeriesJson(signal->forecast.series)}};
    if (!signal->forecast.p10.empty()) {
      json["p10"] = SeriesJson(signal->forecast.p10);
      json["p90"] = SeriesJson(signal->forecast.p90);
    }
    if (!view.signals[site].lost.empty()) json["lost"] = view.signals[site].lost;
    sites.push_back(std::move(json));
  }
  return Dump({{"now", FormatTime(view.now)}, {"sites", std::move(sites)}});
}

std::string ErrorToJson(const Error& error) {
  Json json{{"what", error.what}};
  if (!error.where.empty()) json["where"] = error.where;
  if (!error.next.empty()) json["next"] = error.next;
  return Dump({{"error", std::move(json)}}) + "\n";
}

}  // namespace ebb::web
