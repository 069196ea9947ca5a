#include "app/jobs/job_history.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "signals/http/web_request.h"

namespace ebb::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr long long kMostAtOnce = 1000;  // the most that the API gives at a time

std::string QueryFor(const When& when) {
  const auto* at = std::get_if<Time>(&when);
  return signals::UrlEscape(at ? FormatTime(*at) : FormatExact(std::get<Duration>(when)));
}

std::string PathOf(const HistoryFilter& filter) {
  std::string path = "/api/v1/history?stage=" + signals::UrlEscape(filter.stages);
  if (!filter.name.empty()) path += "&name=" + signals::UrlEscape(filter.name);
  if (!filter.user.empty()) path += "&user=" + signals::UrlEscape(filter.user);
  if (filter.since) path += "&since=" + QueryFor(*filter.since);
  if (filter.until) path += "&until=" + QueryFor(*filter.until);
  return path;
}

std::optional<double> NumberOf(const Json& json, const char* key) {
  if (!json.contains(key) || !json[key].is_number()) return std::nullopt;
  return json[key].get<double>();
}
std::optional<Time> TimeOf(const Json& json, const char* key) {
  const auto time = ParseTime(json.value(key, ""));
  return time ? std::optional(*time) : std::nullopt;
}
std::optional<Emissions> EmissionsOf(const Json& json, const char* key) {
  const auto grams = NumberOf(json, key);
  return grams ? std::optional(Emissions{*grams}) : std::nullopt;
}

std::vector<core::UnitUse> PerUnitOf(const Json& json) {
  std::vector<core::UnitUse> uses;
  for (const core::WorkUnit unit : core::kWorkUnits) {
    const auto count = NumberOf(json, (std::string(core::Name(unit)) + "s").c_str());
    const auto joules = NumberOf(json, core::EnergyPerKey(unit).c_str());
    if (count && joules)
      uses.push_back({unit, static_cast<std::int64_t>(*count), *joules,
                      NumberOf(json, core::EmissionsPerKey(unit).c_str())});
  }
  return uses;
}

PastJob JobFrom(const Json& json) {
  PastJob job;
  job.id = json.value("id", 0LL);
  job.sweep = json.value("sweep", 0LL);
  job.name = json.value("name", "");
  job.stage = json.value("stage", "");
  job.user = json.value("user", "");
  job.tier = json.value("tier", "");
  job.recurring = json.value("recurring", "");
  job.detail = json.value("detail", "");
  job.submitted = TimeOf(json, "submitted");
  job.started = TimeOf(json, "started");
  job.ended = TimeOf(json, "ended");
  job.devices = json.value("devices", 1LL);
  job.attempts = json.value("attempts", 0LL);
  job.pauses = json.value("pauses", 0LL);
  job.ran = DurationFromSeconds(json.value("ran_s", 0.0));
  if (const auto code = NumberOf(json, "exit_code")) job.exit_code = static_cast<long long>(*code);
  if (const auto kwh = NumberOf(json, "energy_kwh")) job.energy = Energy::Joules(*kwh * 3.6e6);
  job.emissions = EmissionsOf(json, "emissions_g");
  job.at_submission = EmissionsOf(json, "emissions_at_submission_g");
  job.saving_half_width_g = NumberOf(json, "saving_half_width_g");
  job.per_unit = PerUnitOf(json);
  return job;
}

Error NotAHistory() {
  return {ExitCode::kUnavailable, "the service's answer is not a list of jobs that have ended", "",
          "is the service of an older version? ebb queue --all shows what it still has"};
}

}  // namespace

std::optional<Emissions> PastJob::saved() const {
  if (!emissions || !at_submission) return std::nullopt;
  return Emissions{at_submission->grams - emissions->grams};
}

Result<JobHistory> ReadHistory(const ServiceClient& client, const HistoryFilter& filter) {
  const std::string path = PathOf(filter);
  JobHistory history;
  Json all = Json::array();
  std::string next;
  do {
    const auto left = filter.limit - static_cast<long long>(history.jobs.size());
    if (left <= 0) break;
    EBB_ASSIGN_OR_RETURN(
        const std::string answer,
        client.Get(path + "&limit=" + std::to_string(std::min(left, kMostAtOnce)) + next));
    const Json json = Json::parse(answer, nullptr, false);
    if (!json.is_object() || !json.contains("jobs") || !json["jobs"].is_array())
      return Fail(NotAHistory());
    try {
      for (const Json& job : json["jobs"]) {
        history.jobs.push_back(JobFrom(job));
        all.push_back(job);
      }
    } catch (const Json::exception&) {  // a key has another type
      return Fail(NotAHistory());
    }
    history.replayed = json.value("replayed", false);
    history.more = json.contains("next") && !json["jobs"].empty();
    if (history.more) next = "&before=" + json["next"].dump();
  } while (history.more);
  history.json = Json{{"jobs", all}, {"replayed", history.replayed}}.dump() + "\n";
  return history;
}

}  // namespace ebb::app
