// ebb restart JOB...: submits jobs of the queue service that have ended again.

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "app/jobs/job_history.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/tell_jobs.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(
Examples:
  ebb restart 7                      the same command, tier and limits; a new number
  ebb restart 7 8 nightly            several, by number or name (the last that ended)
  ebb restart 7 --resume             from the checkpoint that it left
  ebb restart 7 --dry-run

Deadlines count from now again, as they counted from its submission. A job that depended on one
that is restarted in the same call depends on the new one.)";

struct RestartFlags {
  ServiceFlags service;
  std::vector<std::string> words;
  bool resume = false, dry_run = false;
};

// The number of an ended job; for a name, the job that ended last.
Result<long long> FindEnded(const app::ServiceClient& client, const std::string& word) {
  if (ParseInteger(word)) return app::JobNumberOf(word);
  app::HistoryFilter filter;
  filter.name = word;
  filter.limit = 1;
  EBB_ASSIGN_OR_RETURN(const app::JobHistory found, app::ReadHistory(client, filter));
  if (found.jobs.empty())
    return Fail({ExitCode::kUsage, "no job of the name " + Quoted(word) + " has ended", "",
                 "ebb history lists those that have"});
  return found.jobs.front().id;
}

class Restarter {
 public:
  Restarter(const app::ServiceClient& client, const RestartFlags& flags)
      : client_(client), flags_(flags) {}

  Result<std::string> Restart(const std::string& number) {
    const std::string path = "/api/v1/jobs/" + number;
    EBB_ASSIGN_OR_RETURN(const std::string before, client_.Get(path));
    const Json job = Json::parse(before, nullptr, false);
    if (!job.is_object())
      return Fail({ExitCode::kUnavailable, "the service's answer is not a job", "", ""});
    const std::string who = "job " + number + " (" + Printable(job.value("name", "")) + ")";
    Json body = Json::object();
    if (flags_.resume) body["resume"] = true;
    if (const Json after = AfterOf(job); !after.empty()) body["after"] = after;
    EBB_ASSIGN_OR_RETURN(
        const std::string answer,
        client_.Post(path + "/restart" + (flags_.dry_run ? "?dry_run=1" : ""), body.dump()));
    const Json taken = Json::parse(answer, nullptr, false);
    const long long id = taken.is_object() ? taken.value("id", 0LL) : 0;
    if (!flags_.dry_run) again_[number] = id;
    if (flags_.service.json) return answer;
    if (flags_.dry_run)
      return who + " would be submitted again" + (flags_.resume ? ", from its checkpoint\n" : "\n");
    return who + ": submitted again as job " + std::to_string(id) +
           (flags_.resume ? ", from its checkpoint\n" : "\n");
  }

 private:
  // The dependencies of the job. Jobs that were restarted before it are replaced by their new jobs.
  Json AfterOf(const Json& job) const {
    Json after = job.value("after", Json::array());
    bool any = false;
    for (Json& number : after) {
      const auto found = again_.find(number.dump());
      if (found == again_.end()) continue;
      number = found->second;
      any = true;
    }
    return any ? after : Json::array();
  }

  const app::ServiceClient& client_;
  const RestartFlags& flags_;
  std::map<std::string, long long> again_;
};

Result<int> RestartAll(const RestartFlags& flags) {
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags.service));
  EBB_RETURN_IF_ERROR(client.CheckToken());
  std::vector<long long> jobs;
  for (const std::string& word : flags.words) {
    EBB_ASSIGN_OR_RETURN(const long long job, FindEnded(client, word));
    jobs.push_back(job);
  }
  // A job has a larger number than those that it depends on.
  std::ranges::sort(jobs);
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  std::vector<std::string> numbers;
  for (const long long job : jobs) numbers.push_back(std::to_string(job));
  Restarter restarter(client, flags);
  return DoForEach(numbers, [&](const std::string& number) { return restarter.Restart(number); });
}

}  // namespace

void AddRestartCommand(Parser& parser) {
  Command& command =
      parser.Add("restart", "submit ended jobs of the queue service again", kExamples);
  auto flags = std::make_shared<RestartFlags>();
  command.Positionals("JOB", "numbers or names", &flags->words);
  command.Switch({"resume", "", "from the checkpoint that it left; for jobs that write them"},
                 [flags] { flags->resume = true; });
  command.Switch({"dry-run", "", "check whether it would be accepted, and submit nothing"},
                 [flags] { flags->dry_run = true; });
  AddServiceFlags(command, flags->service);
  command.Action([flags] { return RestartAll(*flags); });
}

}  // namespace ebb::cli
