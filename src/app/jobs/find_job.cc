#include "app/jobs/find_job.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "signals/http/web_request.h"

namespace ebb::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLive = "&stage=waiting,starting,running,pausing,paused";
constexpr const char* kEnded = "&stage=succeeded,failed,cancelled";

Result<Json> JobsThat(const ServiceClient& client, const std::string& query) {
  EBB_ASSIGN_OR_RETURN(const std::string answer, client.Get("/api/v1/jobs?limit=200000" + query));
  const Json json = Json::parse(answer, nullptr, false);
  if (!json.is_object() || !json.contains("jobs"))
    return Fail({ExitCode::kUnavailable, "the service's answer is not a list of jobs", "", ""});
  return json["jobs"];
}

Error SeveralHave(const std::string& name, const Json& jobs) {
  std::vector<std::string> numbers;
  for (const Json& job : jobs) numbers.push_back(job["id"].dump());
  return {ExitCode::kUsage, "several jobs are named " + Quoted(name) + ": " + Join(numbers, ", "),
          "", "give the number of one"};
}

// The number of the job that ended last. All times have the same format, so their texts sort like
// the times.
long long LastEnded(const Json& jobs) {
  const auto last = std::ranges::max_element(jobs, {}, [](const Json& job) {
    return std::pair(job.value("ended", ""), job.value("id", 0LL));
  });
  return last->value("id", 0LL);
}

Error HasEnded(const std::string& name, const Json& ended) {
  return {ExitCode::kUsage, "has ended",
          "job " + std::to_string(LastEnded(ended)) + " (" + Printable(name) + ")",
          "ebb queue --all lists jobs that have ended, too"};
}

Error NoneHas(const std::string& name, const Json& live) {
  std::vector<std::string> names;
  for (const Json& job : live) names.push_back(job.value("name", ""));
  return {ExitCode::kUsage, "no job is named " + Quoted(name) + SuggestionText(name, names), "",
          "ebb queue lists the jobs"};
}

}  // namespace

Result<long long> FindJob(const ServiceClient& client, const std::string& word, JobsMeant meant) {
  if (ParseInteger(word)) return JobNumberOf(word);
  const std::string named = "&name=" + signals::UrlEscape(word);
  EBB_ASSIGN_OR_RETURN(const Json live, JobsThat(client, named + kLive));
  if (live.size() == 1) return live[0].value("id", 0LL);
  if (live.size() > 1) return Fail(SeveralHave(word, live));
  EBB_ASSIGN_OR_RETURN(const Json ended, JobsThat(client, named + kEnded));
  if (ended.empty()) {
    EBB_ASSIGN_OR_RETURN(const Json all, JobsThat(client, kLive));
    return Fail(NoneHas(word, all));
  }
  if (meant == JobsMeant::kLive) return Fail(HasEnded(word, ended));
  return LastEnded(ended);
}

}  // namespace ebb::app
