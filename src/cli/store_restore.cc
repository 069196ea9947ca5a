#include "cli/store_restore.h"

#include <csignal>
#include <cstdio>
#include <thread>

#include "app/jobs/check_options.h"
#include "base/text.h"
#include "cli/display.h"
#include "cli/local_times.h"
#include "local/files/attempt_files.h"
#include "local/files/job_folder.h"
#include "platform/detached_process.h"
#include "report/json_parts.h"
#include "store/restore.h"

namespace ebb::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostNamed = 10;
// Time beyond the grace period of a program, for its supervisor to record the end.
constexpr std::chrono::seconds kForTheSupervisor{15};

struct RunningJob {
  core::JobId job = 0;
  int supervisor = 0;
};

// Folders of jobs that the backup does not contain.
struct Folders {
  std::vector<core::JobId> ended;
  std::vector<RunningJob> running;
};

Folders Look(const store::Restore& restore, const StoreRestoreRequest& request,
             const fs::path& jobs) {
  Folders folders;
  for (const core::JobId job : restore.unknown_folders()) {
    const fs::path folder = jobs / std::to_string(job);
    if (!local::MayBelongTo(folder, request.store)) continue;
    if (const auto supervisor = local::RunningSupervisor(folder))
      folders.running.push_back({job, *supervisor});
    else
      folders.ended.push_back(job);
  }
  return folders;
}

std::string NumbersOf(const std::vector<RunningJob>& running) {
  std::vector<std::string> words;
  for (const RunningJob& job : running)
    words.push_back(std::to_string(job.job) + " (process " + std::to_string(job.supervisor) + ")");
  return Join(words, ", ");
}

// Running jobs would hold devices that the restored store takes to be free.
Status CheckRunning(const StoreRestoreRequest& request, const Folders& folders) {
  if (folders.running.empty() || request.end_programs || request.dry_run) return {};
  return Fail({ExitCode::kTryLater,
               "the backup does not know these jobs, and their programs still run: " +
                   NumbersOf(folders.running),
               request.store,
               "wait until they have ended, or give --end-programs: each may write a checkpoint"});
}

// Ends a program as the service does: SIGTERM, and its grace period.
Status EndProgram(const fs::path& folder, const RunningJob& running) {
  const local::AttemptPaths paths{folder, local::LastAttempt(folder)};
  EBB_ASSIGN_OR_RETURN(const local::AttemptPlan plan, local::ReadPlan(paths.plan()));
  const auto watch = platform::ProcessWatch::Open(running.supervisor);
  if (!watch) return {};
  std::fprintf(stderr, "ebb store: job %lld is asked to end, and has %s\n",
               static_cast<long long>(running.job), FormatDuration(plan.grace).c_str());
  std::ignore = local::WriteAsked(paths, local::EndRequest::kCancel);
  watch->SendSignal(SIGTERM);
  const auto limit = std::chrono::steady_clock::now() + plan.grace + kForTheSupervisor;
  while (platform::FileLock::IsHeld(paths.lock())) {
    if (std::chrono::steady_clock::now() > limit)
      return Fail({ExitCode::kTryLater, "does not end", "job " + std::to_string(running.job),
                   "end process " + std::to_string(running.supervisor) + " and try again"});
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  }
  return {};
}

std::string JobsText(const std::vector<store::ReplacedJob>& jobs) {
  std::vector<std::string> words;
  for (const store::ReplacedJob& job : jobs) {
    if (words.size() == kMostNamed) break;
    words.push_back(std::to_string(job.id) + " " + job.name + " (" +
                    std::string(engine::Name(job.stage)) + ")");
  }
  if (jobs.size() > kMostNamed)
    words.push_back("and " + std::to_string(jobs.size() - kMostNamed) + " more");
  return Join(words, ", ");
}

std::string Text(const StoreRestoreRequest& request, const store::Restore& restore,
                 const Folders& folders, const std::optional<platform::Path>& kept) {
  const store::RestoreDifference& difference = restore.difference();
  std::string text = request.store + (request.dry_run ? ": would be " : ": ") + request.backup +
                     ", " + std::to_string(difference.jobs) + " jobs";
  if (difference.newest)
    text += ", the newest submitted " + LocalTimes::Now().Moment(*difference.newest);
  text += "\n";
  if (!difference.unknown.empty())
    text += "what is lost is not known: " + difference.unknown + "\n";
  if (!difference.lost.empty())
    text += "not in the backup, " + std::to_string(difference.lost.size()) +
            " jobs: " + JobsText(difference.lost) + "\n";
  if (!difference.undone.empty())
    text += "ended after the backup, " + std::to_string(difference.undone.size()) +
            " jobs: " + JobsText(difference.undone) +
            "\n  the service finds in their folders what they did; one that had not begun runs\n";
  if (!folders.running.empty() && request.dry_run)
    text += "not in the backup, and still running: " + NumbersOf(folders.running) + "\n";
  if (const auto aside = folders.ended.size() + folders.running.size(); aside > 0)
    text += "folders of " + std::to_string(aside) + " jobs " +
            (request.dry_run ? "would be set aside in " : "are set aside in ") +
            (fs::path(request.store).parent_path() / "jobs" / "set-aside").string() + "\n";
  if (kept) text += "the replaced store is " + kept->string() + "\n";
  return text + "the next job has number " + std::to_string(restore.next_job()) + "\n";
}

Json JobsJson(const std::vector<store::ReplacedJob>& jobs) {
  Json json = Json::array();
  for (const store::ReplacedJob& job : jobs)
    json.push_back({{"job", job.id}, {"name", job.name}, {"stage", engine::Name(job.stage)}});
  return json;
}

std::string ToJson(const StoreRestoreRequest& request, const store::Restore& restore,
                   const Folders& folders, const std::optional<platform::Path>& kept) {
  const store::RestoreDifference& difference = restore.difference();
  Json json{{"schema", "ebb.store-restore/1"},
            {"store", request.store},
            {"backup", request.backup},
            {"dry_run", request.dry_run},
            {"jobs", difference.jobs},
            {"lost", JobsJson(difference.lost)},
            {"ended_after_backup", JobsJson(difference.undone)},
            {"set_aside", folders.ended},
            {"running", Json::array()},
            {"next_job", restore.next_job()}};
  for (const RunningJob& job : folders.running)
    json["running"].push_back({{"job", job.job}, {"process", job.supervisor}});
  if (!difference.unknown.empty()) json["not_compared"] = difference.unknown;
  if (kept) json["replaced"] = kept->string();
  return report::Document(json);
}

Result<std::optional<platform::Path>> Exchange(store::Restore& restore, const Folders& folders,
                                               const fs::path& jobs) {
  const auto folder = [&](core::JobId job) { return jobs / std::to_string(job); };
  for (const RunningJob& job : folders.running)
    EBB_RETURN_IF_ERROR(EndProgram(folder(job.job), job));
  EBB_ASSIGN_OR_RETURN(const auto kept, restore.Finish());
  for (const RunningJob& job : folders.running)
    EBB_RETURN_IF_ERROR(local::SetFolderAside(folder(job.job)));
  for (const core::JobId job : folders.ended)
    EBB_RETURN_IF_ERROR(local::SetFolderAside(folder(job)));
  return kept;
}

}  // namespace

Result<int> RestoreStore(const StoreRestoreRequest& request) {
  const fs::path jobs = fs::path(request.store).parent_path() / "jobs";
  std::fprintf(stderr, "ebb store: copying and checking %s ...\n", request.backup.c_str());
  EBB_ASSIGN_OR_RETURN(
      store::Restore restore,
      store::Restore::Prepare({request.backup, request.store, jobs, [&](store::Database& copy) {
                                 return app::CheckOptionsFor(copy, request.replay);
                               }}));
  const Folders folders = Look(restore, request, jobs);
  EBB_RETURN_IF_ERROR(CheckRunning(request, folders));
  std::optional<platform::Path> kept;
  if (!request.dry_run) {
    EBB_ASSIGN_OR_RETURN(kept, Exchange(restore, folders, jobs));
  }
  const auto print = request.json ? ToJson : Text;
  std::fputs(print(request, restore, folders, kept).c_str(), stdout);
  return 0;
}

}  // namespace ebb::cli
