// ebb resume RUN_DIR: continues a paused, failed or killed run as its next attempt. ebb resume
// JOB...: lets the plan of the queue service decide again on jobs that were paused by hand.

#include <filesystem>

#include "app/jobs/find_job.h"
#include "app/options/user_settings.h"
#include "app/run/run_session.h"
#include "cli/add_run_flags.h"
#include "cli/command_line.h"
#include "cli/run_display.h"
#include "cli/service_flags.h"
#include "cli/tell_jobs.h"
#include "platform/background.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb resume runs/baseline-20261120T203312Z-3f2a
  ebb resume runs/baseline-20261120T203312Z-3f2a --policy now
  ebb resume --detach runs/baseline-20261120T203312Z-3f2a     without this terminal
  ebb resume 12 nightly                  jobs of the queue service that were paused by hand

The run keeps its ledger: energy and emissions of all attempts add up to one run. Options are those
the run was begun with; flags given here replace them.)";

// A file stands for a run even if its name is a number. A word that looks like a path but is not a
// job is meant to be a run, so the error is about that.
Result<bool> IsRun(const ServiceFlags& service, const std::string& word) {
  std::error_code ignored;
  if (std::filesystem::exists(word, ignored)) return true;
  if (word.find('/') == std::string::npos) return false;
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(service));
  return !app::FindJob(client, word, app::JobsMeant::kLive);
}

Result<int> ResumeOne(const std::string& directory, const app::FlagValues& values, bool detach) {
  EBB_RETURN_IF_ERROR(app::SettingsOfUser().Check());  // where tokens are
  if (detach) {
    EBB_ASSIGN_OR_RETURN(const auto ended, platform::Background::Split());
    if (ended) return *ended;
  }
  platform::ProcessSignals signals;
  EBB_ASSIGN_OR_RETURN(const app::RunResult result,
                       app::ResumeRun(directory, values, detach, signals, MakeRunDisplay));
  return result.exit_code;
}

Result<int> Resume(const std::vector<std::string>& words, const app::FlagValues& values,
                   bool detach, const ServiceFlags& service) {
  for (const std::string& word : words) {
    EBB_ASSIGN_OR_RETURN(const bool is_run, IsRun(service, word));
    if (!is_run) continue;
    if (words.size() > 1)
      return Fail({ExitCode::kUsage, "is a run, which cannot be resumed along with others", word,
                   "give one run directory, or any number of jobs"});
    return ResumeOne(word, values, detach);
  }
  if (detach)
    return Fail({ExitCode::kUsage, "jobs of the queue service run without a terminal anyway",
                 "--detach", "leave it out"});
  return TellJobs(service, words, "resume");
}

}  // namespace

void AddResumeCommand(Parser& parser) {
  Command& command = parser.Add("resume", "continue a paused, failed or killed run", kExamples);
  auto values = std::make_shared<app::FlagValues>();
  auto words = std::make_shared<std::vector<std::string>>();
  command.Positionals("RUN_DIR|JOB", "the run's directory, or numbers or names of jobs",
                      words.get());
  for (const app::FlagGroup group :
       {app::FlagGroup::kGate, app::FlagGroup::kSignal, app::FlagGroup::kPrice,
        app::FlagGroup::kClock, app::FlagGroup::kMetering, app::FlagGroup::kPower,
        app::FlagGroup::kOtherSignal, app::FlagGroup::kBudget, app::FlagGroup::kOutput,
        app::FlagGroup::kTrackers})
    AddFlags(command, group, *values);
  auto detach = std::make_shared<bool>(false);
  command.Switch({"detach", "", "of a run: wait and run without this terminal, free at once"},
                 [detach] { *detach = true; });
  auto service = std::make_shared<ServiceFlags>();
  AddPlaceOfService(command, *service);
  command.Action([=] { return Resume(*words, *values, *detach, *service); });
}

}  // namespace ebb::cli
