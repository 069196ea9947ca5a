#include "cli/tell_jobs.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/jobs/find_job.h"
#include "base/text.h"
#include "cli/error_text.h"
#include "engine/decision.h"
#include "engine/state.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

// The consequence of a command for a job that was in this stage.
std::string Consequence(const std::string& what, const std::string& number, engine::Stage stage,
                        bool drains) {
  const bool runs = engine::HoldsDevices(stage);
  if (what == "pause") return "paused by you; to continue, run `ebb resume " + number + "`";
  if (what == "resume") return "resumed; the plan decides when it runs";
  if (what == "now" && drains) return "starts first once the service no longer drains";
  if (what == "now")
    return runs ? "runs on, whatever the grid" : "starts once devices are free, whatever the grid";
  if (engine::HasEnded(stage)) return "had ended before: " + std::string(Name(stage));
  return runs ? "cancelled; Ebb asks its program to end" : "cancelled";
}

}  // namespace

Result<std::string> TellJob(const app::ServiceClient& client, const std::string& word,
                            const std::string& what, bool as_json) {
  EBB_ASSIGN_OR_RETURN(const long long job, app::FindJob(client, word, app::JobsMeant::kLive));
  const std::string number = std::to_string(job), path = "/api/v1/jobs/" + number;
  EBB_ASSIGN_OR_RETURN(const std::string before, client.Get(path));
  EBB_ASSIGN_OR_RETURN(std::string answer, client.Post(path + "/" + what, ""));
  if (as_json) return answer;
  const Json json = Json::parse(before, nullptr, false);
  const auto stage = engine::StageFromName(json.is_object() ? json.value("stage", "") : "");
  if (!stage) return Fail({ExitCode::kUnavailable, "the service's answer is not a job", "", ""});
  return "job " + number + " (" + Printable(json.value("name", "")) +
         "): " + Consequence(what, number, *stage, json.value("rule", "") == "draining") + "\n";
}

int DoForEach(const std::vector<std::string>& words,
              const std::function<Result<std::string>(const std::string& word)>& line_of) {
  int code = 0;
  for (const std::string& word : words) {
    const auto line = line_of(word);
    if (line) {
      std::fputs(line->c_str(), stdout);
      std::fflush(stdout);  // keeps the order with stderr, even in a pipe
      continue;
    }
    std::fprintf(stderr, "ebb: %s\n", ErrorText(line.error()).c_str());
    if (code == 0) code = static_cast<int>(line.error().code);
    if (line.error().code == ExitCode::kUnavailable) break;  // the service does not answer
  }
  return code;
}

Result<int> TellJobs(const ServiceFlags& flags, const std::vector<std::string>& jobs,
                     const std::string& what) {
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags));
  // Without the right to change a job, nothing is asked about it either: it may be anybody's
  // server.
  EBB_RETURN_IF_ERROR(client.CheckToken());
  return DoForEach(
      jobs, [&](const std::string& word) { return TellJob(client, word, what, flags.json); });
}

}  // namespace ebb::cli
