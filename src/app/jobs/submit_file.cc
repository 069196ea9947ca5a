#include "app/jobs/submit_file.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "app/run/trainer_command.h"
#include "base/text.h"
#include "config/sweep/sweep_config.h"
#include "config/yaml/key_reader.h"
#include "config/yaml/yaml_tree.h"
#include "core/jobs/script.h"
#include "core/options/job_options.h"
#include "platform/file.h"
#include "web/http/http_server.h"
#include "web/requests/submission_definition.h"
#include "web/requests/submission_json.h"

namespace ebb::app {
namespace {

using config::Problems;
using config::YamlEntry;
using config::YamlNode;
using Json = nlohmann::ordered_json;

// The elements of a list that are texts.
std::vector<std::string> TextsOf(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& text : list)
    if (text.is_string()) texts.push_back(text);
  return texts;
}

// The longest file is as long as the longest request. The number of values allows core::kMostJobs
// jobs with sixty values each.
constexpr std::size_t kLongestFile = 8 << 20;
constexpr int kMostValues = 60 * static_cast<int>(core::kMostJobs);

const std::vector<std::string> kFileKeys{"jobs", "defaults"};
const std::vector<std::string> kSweepKeys{"parameters", "experiments"};

bool IsOneOf(std::string_view word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

const YamlEntry* EntryOf(const YamlNode& map, std::string_view key) {
  for (const YamlEntry& entry : map.entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

// The field of a key in a job or in one of its parts; nullptr if there is none.
const core::Field* FieldOf(std::string_view key) {
  if (const core::Field* field = web::JobDefinition().Find(key)) return field;
  for (const core::Field& part : web::JobDefinition().fields)
    if (const core::Field* field = part.definition ? part.definition->Find(key) : nullptr)
      return field;
  return nullptr;
}

// YAML does not tell a number from a text that looks like one, so the type of the key decides.
Json ScalarJson(std::string_view key, const std::string& text) {
  const core::Field* field = FieldOf(key);
  const auto shape = field ? field->shape : core::Shape::kText;
  if (shape == core::Shape::kNumber || shape == core::Shape::kWhole)
    if (const auto number = ParseNumber(text)) return *number;
  if (shape == core::Shape::kFlag) {
    const std::string word = Lowercase(text);
    if (word == "true" || word == "yes") return true;
    if (word == "false" || word == "no") return false;
  }
  return text;
}

Json JsonOf(std::string_view key, const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kScalar) return ScalarJson(key, node.text);
  if (node.kind == YamlNode::Kind::kList) {
    Json list = Json::array();
    for (const YamlNode& item : node.items) list.push_back(JsonOf(key, item));
    return list;
  }
  Json map = Json::object();
  for (const YamlEntry& entry : node.entries) {
    // A variable without a value is empty, but a key without a value counts as not given.
    if (entry.value.kind != YamlNode::Kind::kNull)
      map[entry.key] = JsonOf(key == "environment" ? "" : entry.key, entry.value);
    else if (key == "environment")
      map[entry.key] = "";
  }
  return map;
}

constexpr const char* kCommand = "command";

// One job of the file, and the lines of its keys.
struct Draft {
  Json json = Json::object();
  std::string name;
  int line = 0;
  std::vector<std::pair<std::string, int>> key_lines;

  int LineOf(const std::string& where) const {
    const std::string key = where.substr(0, where.find('.'));
    for (const auto& [name_of_key, line_of_key] : key_lines)
      if (name_of_key == key) return line_of_key;
    return line;
  }
};

class Reader {
 public:
  Reader(const std::string& name, const SubmitOptions& options)
      : name_(name), options_(options), problems_(name) {}

  Result<SubmitFile> Read(const YamlNode& root) {
    ReadTree(root);
    for (Draft& draft : drafts_) Finish(draft);
    FindDuplicates();
    for (std::size_t i = 0; i < drafts_.size(); ++i) LinkAfter(i);
    for (const Draft& draft : drafts_) Check(draft);
    if (!problems_.empty()) return Fail(problems_.ToError());
    SubmitFile file;
    file.source = name_;
    Json body = Json::array();
    for (Draft& draft : drafts_) {
      file.places.push_back({draft.name, draft.line});
      body.push_back(std::move(draft.json));
    }
    file.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
    const std::size_t most = web::HttpServerOptions{}.longest_body;
    if (file.body.size() > most)
      return Fail({ExitCode::kConfiguration,
                   "its jobs, each with its defaults, are longer than the " +
                       std::to_string(most >> 20) + " MiB that the service takes at once",
                   name_, "split the file"});
    return file;
  }

 private:
  void ReadTree(const YamlNode& root) {
    if (root.kind == YamlNode::Kind::kList) return ReadJobs(root, nullptr);
    if (root.kind != YamlNode::Kind::kMap)
      return problems_.Add(root.line, "must be a job, a list of jobs, or a sweep");
    const YamlEntry* jobs = EntryOf(root, "jobs");
    if (!jobs) return ReadJob(root, nullptr);
    const YamlEntry* defaults = EntryOf(root, "defaults");
    for (const YamlEntry& entry : root.entries) {
      if (!IsOneOf(entry.key, kFileKeys))
        problems_.Add(entry.line, "unknown key \"" + entry.key + "\" beside jobs" +
                                      SuggestionText(entry.key, kFileKeys));
    }
    if (defaults && defaults->value.kind != YamlNode::Kind::kMap) {
      problems_.Add(defaults->line, "defaults must be a section of keys");
      defaults = nullptr;
    }
    if (jobs->value.kind != YamlNode::Kind::kList)
      return problems_.Add(jobs->line, "jobs must be a list");
    ReadJobs(jobs->value, defaults ? &defaults->value : nullptr);
  }

  void ReadJobs(const YamlNode& list, const YamlNode* defaults) {
    if (list.items.empty()) problems_.Add(list.line, "the list holds no jobs");
    if (list.items.size() > core::kMostJobs)
      return problems_.Add(
          list.line, "holds " + std::to_string(list.items.size()) + " jobs; the service takes " +
                         std::to_string(core::kMostJobs) + " at once: split the file");
    for (const YamlNode& item : list.items) ReadJob(item, defaults);
  }

  void ReadJob(const YamlNode& map, const YamlNode* defaults) {
    if (map.kind != YamlNode::Kind::kMap)
      return problems_.Add(map.line, "a job must be a section of keys");
    Draft draft;
    draft.line = map.line;
    if (defaults) TakeKeys(*defaults, draft);
    draft.key_lines.clear();
    TakeKeys(map, draft);
    drafts_.push_back(std::move(draft));
  }

  void TakeKeys(const YamlNode& map, Draft& draft) {
    const std::size_t before = draft.key_lines.size();
    for (const YamlEntry& entry : map.entries) {
      // A job may use the older name of a key that the defaults give.
      const std::string key = web::JobDefinition().PresentName(entry.key);
      for (std::size_t i = before; i < draft.key_lines.size(); ++i)
        if (draft.key_lines[i].first == key) AddTwice(map, key, entry.line);
      draft.key_lines.emplace_back(key, entry.line);
      if (entry.value.kind != YamlNode::Kind::kNull) draft.json[key] = JsonOf(key, entry.value);
    }
  }

  void AddTwice(const YamlNode& map, const std::string& key, int line) {
    const std::string& older = web::JobDefinition().Of(key).formerly;
    if (!older.empty() && EntryOf(map, older) && EntryOf(map, key))
      return problems_.Add(line, key + " and " + older + " are the same key: leave out " + older);
    problems_.Add(line, "\"" + key + "\" is given twice");
  }

  // Makes a relative path absolute, from the directory where `ebb submit` was called. Addresses
  // stay as they are.
  void MakeAbsolute(Json& path) const {
    if (!path.is_string()) return;
    const std::string text = path;
    if (text.starts_with('/') || text.find("://") != std::string::npos) return;
    path = (std::filesystem::path(options_.working_directory) / text).lexically_normal().string();
  }

  // Adds the trackers of the command line, unless the job names its own.
  void AddTrackers(Json& json) const {
    if (json.contains("trackers") && !json["trackers"].is_object()) return;
    const bool own_server = json.contains("trackers") && json["trackers"].contains("mlflow");
    for (const auto& [key, text] : core::KeysOf(options_.tracking)) {
      // A token belongs to its server.
      if (own_server && key == "mlflow_token_file") continue;
      if (!json.contains("trackers") || !json["trackers"].contains(key))
        json["trackers"][key] = text;
    }
    if (!json.contains("trackers")) return;
    for (const char* key : {"tensorboard", "mlflow", "mlflow_token_file"})
      if (json["trackers"].contains(key)) MakeAbsolute(json["trackers"][key]);
  }

  // Adds what the API requires and people leave out.
  void Finish(Draft& draft) {
    Json& json = draft.json;
    Json& directory = json["working_directory"];
    if (directory.is_null()) directory = options_.working_directory;
    MakeAbsolute(directory);
    AddTrackers(json);
    if (json.contains("command") && json["command"].is_array() && !json["command"].empty()) {
      Json& program = json["command"][0];
      if (!json.contains("name")) draft.name = core::ScriptOf(TextsOf(json["command"])).name;
      if (program == "ebb-train") program = TrainerProgram();
    }
    if (json.contains("name") && json["name"].is_string()) draft.name = json["name"];
    if (!json.contains("key")) json["key"] = KeyOf(draft.name);
    if (options_.no_check && !json.contains("no_check")) json["no_check"] = true;
  }
  std::string KeyOf(const std::string& name) const { return options_.key_prefix + "/" + name; }

  void FindDuplicates() {
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      Draft& draft = drafts_[i];
      const auto [first, is_first] = first_of_name_.try_emplace(draft.name, i);
      if (is_first) continue;
      if (draft.json.contains("name"))
        problems_.Add(draft.line, "a second job with the name \"" + draft.name +
                                      "\": the first is " + "in line " +
                                      std::to_string(drafts_[first->second].line));
      else
        draft.json["key"] = KeyOf(draft.name + "#" + std::to_string(i + 1));
    }
  }

  // Replaces names of jobs in this file by their keys. Numbers are jobs that the service knows
  // already.
  void LinkAfter(std::size_t index) {
    Draft& draft = drafts_[index];
    if (!draft.json.contains("after")) return;
    Json& after = draft.json["after"];
    if (!after.is_array()) after = Json::array({after});
    for (Json& entry : after) {
      if (!entry.is_string()) continue;
      const std::string word = entry;
      const auto found = first_of_name_.find(word);
      if (found != first_of_name_.end() && found->second < index)
        entry = drafts_[found->second].json["key"];
      else if (const auto number = ParseInteger(word))
        entry = *number;
      else
        problems_.Add(draft.LineOf("after"), "after: \"" + word +
                                                 "\" is neither the number of a job nor the name " +
                                                 "of an earlier one in this file" +
                                                 SuggestionText(word, NamesBefore(index)));
    }
  }
  std::vector<std::string> NamesBefore(std::size_t index) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < index; ++i) names.push_back(drafts_[i].name);
    return names;
  }

  // Reports with its line what the service would refuse. The API's reader names one mistake at a
  // time, so the wrong part is removed and the rest is read again.
  void Check(const Draft& draft) {
    web::SubmissionDefaults defaults;
    defaults.tiers = options_.tiers;
    Json json = draft.json;
    for (bool first = true;; first = false) {
      const auto read = web::SubmissionsFromJson(
          json.dump(-1, ' ', false, Json::error_handler_t::replace), defaults);
      if (read) return;
      const Error& error = read.error();
      const bool is_there = TakeOut(json, error.where);
      // A key that is missing now may have been removed above, or was misspelt.
      if (is_there || first) AddError(draft, error);
      if (is_there) continue;
      if (error.where != kCommand || json.contains(kCommand)) return;
      json[kCommand] = Json::array({"true"});
    }
  }

  void AddError(const Draft& draft, const Error& error) {
    std::string what = error.where.empty() ? error.what : error.where + " " + error.what;
    if (!error.next.empty()) what += " (" + error.next + ")";
    problems_.Add(draft.LineOf(error.where), what);
  }

  // Removes the key of an error. For "budget.action" the whole budget is removed, because a part of
  // it would mean something else. False if there is no such key.
  static bool TakeOut(Json& json, const std::string& where) {
    return json.erase(where.substr(0, where.find('.'))) > 0;
  }

  std::string name_;
  SubmitOptions options_;
  Problems problems_;
  std::vector<Draft> drafts_;
  std::map<std::string, std::size_t> first_of_name_;  // index into drafts_
};

// A sweep ---------------------------------------------------------------------------------

Json LimitsJson(const core::Budget& budget) {
  Json json;
  if (budget.energy) json["energy_kwh"] = budget.energy->kwh();
  if (budget.emissions) json["emissions_g"] = budget.emissions->grams;
  return json;
}

Json JsonOf(const core::OptionValue& value) {
  return std::visit(
      [](const auto& plain) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(plain)>, Duration>)
          return FormatExact(plain);
        else
          return plain;
      },
      value);
}

Json ExperimentJson(const sweep::Sweep& sweep, const sweep::Experiment& experiment,
                    const SubmitOptions& options) {
  const core::Tier& tier = sweep.TierOf(experiment);
  Json tier_json{{"name", tier.name}, {"max_delay", FormatExact(tier.max_delay)}};
  if (tier.threshold) tier_json["threshold"] = tier.threshold->g_per_kwh;
  tier_json["priority"] = tier.priority;
  std::vector<std::string> command = experiment.command;
  if (command.front() == "ebb-train") command.front() = TrainerProgram();
  Json json{{"name", experiment.name},
            {"command", command},
            {"working_directory", options.working_directory},
            {"duration", FormatExact(experiment.duration)},
            {"power_w", experiment.power.watts},
            {"tier", std::move(tier_json)},
            {"time_limit", FormatExact(TimeLimitOf(sweep, experiment))},
            {"key", options.key_prefix + "/" + experiment.name}};
  for (const auto& [name_of, value] : ParametersOf(experiment)) json["parameters"][name_of] = value;
  if (const core::Budget& budget = sweep.common.budget; !budget.empty()) {
    json["budget"] = LimitsJson(budget);
    json["budget"]["action"] = core::Name(budget.action);
  }
  if (options.no_check) json["no_check"] = true;
  // The runs of a sweep belong to one MLflow experiment.
  core::Tracking tracking = options.tracking;
  if (tracking.mlflow_experiment.empty()) tracking.mlflow_experiment = sweep.name;
  for (const auto& [key, text] : core::KeysOf(tracking)) json["trackers"][key] = text;
  for (const core::JobOption& option : core::JobOptions())
    if (option.set && option.StandsIn(core::Place::kSweep) && !option.IsDefault(sweep.common) &&
        !json.contains(option.field.key))
      json[option.field.key] = JsonOf(*option.get(sweep.common));
  return json;
}

Result<SubmitFile> FromSweep(const std::string& text, const std::string& name,
                             const SubmitOptions& options) {
  EBB_ASSIGN_OR_RETURN(const config::SweepConfig config, config::ParseSweepConfig(text, name));
  SubmitFile file;
  file.source = name;
  for (const sweep::Experiment& experiment : config.sweep.experiments)
    file.places.push_back({experiment.name, 0});
  file.route = "/api/v1/sweeps";
  file.body = SweepBody(config.sweep, options);
  return file;
}

}  // namespace

namespace {

config::YamlLimits Limits() {
  return {kLongestFile, kMostValues, "split it, or give the jobs as JSON: ebb submit --json FILE"};
}

}  // namespace

std::string SweepBody(const sweep::Sweep& sweep, const SubmitOptions& options) {
  Json body{{"name", sweep.name}, {"key", options.key_prefix}};
  if (const auto& halving = sweep.halving)
    body["successive_halving"] = {{"reduction", halving->reduction},
                                  {"minimum_epochs", halving->minimum_epochs},
                                  {"epochs", halving->epochs}};
  if (!sweep.budget.empty()) body["sweep_budget"] = LimitsJson(sweep.budget);
  body["jobs"] = Json::array();
  for (const sweep::Experiment& experiment : sweep.experiments)
    body["jobs"].push_back(ExperimentJson(sweep, experiment, options));
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string SubmitFile::Located(std::size_t job, const std::string& what) const {
  const Place place = job < places.size() ? places[job] : Place{};
  std::string text = source;
  if (place.line > 0) text += ":" + std::to_string(place.line);
  return text + ": job \"" + place.name + "\": " + what;
}

Result<SubmitFile> ParseSubmitFile(const std::string& text, const std::string& name,
                                   const SubmitOptions& options) {
  EBB_ASSIGN_OR_RETURN(const YamlNode root, config::ParseYaml(text, name, Limits()));
  const bool sweep = std::any_of(root.entries.begin(), root.entries.end(),
                                 [](const auto& entry) { return IsOneOf(entry.key, kSweepKeys); });
  return sweep ? FromSweep(text, name, options) : Reader(name, options).Read(root);
}

Result<SubmitFile> LoadSubmitFile(const std::string& path, const SubmitOptions& options) {
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(path, kLongestFile));
  return ParseSubmitFile(text, path, options);
}

}  // namespace ebb::app
