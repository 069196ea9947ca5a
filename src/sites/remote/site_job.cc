#include "sites/remote/site_job.h"

#include <algorithm>
#include <csignal>

#include "base/text.h"
#include "local/files/job_folder.h"
#include "local/supervisor/orphan.h"
#include "platform/file.h"
#include "platform/file_lock.h"
#include "platform/path_facts.h"
#include "platform/shared_file.h"
#include "platform/signature.h"
#include "platform/system_clock.h"

namespace ebb::sites {
namespace {

namespace fs = std::filesystem;
using local::AttemptPaths;

constexpr std::uint64_t kLongestEnd = 1 << 20;
// An answer has parts of several files.
constexpr std::uint64_t kMostOfAFile = kMostBytes / 4;

std::string NameOf(const JobKey& job) {
  return std::to_string(job.job) + "-" + std::to_string(job.identity);
}

// Files in a job's folder that none of its programs wrote.
bool IsOfAttempt(const std::string& path) {
  const auto ends = [&](std::string_view ending) { return path.ends_with(ending); };
  return path.starts_with("attempt-") &&
         (ends(".json") || ends(".lock") || ends(".asked") || ends(".end") || ends(".energy") ||
          ends(".offered") || ends(".site") || ends(".sent"));
}

}  // namespace

Result<fs::path> FolderOf(const fs::path& state, const JobKey& job) {
  EBB_RETURN_IF_ERROR(CheckName(job.service));
  if (job.service.find('/') != std::string::npos)
    return Fail({ExitCode::kUsage, "is not the name of a service", job.service, ""});
  return state / job.service / NameOf(job);
}

std::string RunFolderOn(const std::string& state, const JobKey& job) {
  return state + "/" + job.service + "/" + NameOf(job) + "/" + std::string(Name(Root::kRun));
}

std::string WorkFolderOn(const std::string& state, const JobKey& job) {
  return state + "/" + job.service + "/" + NameOf(job) + "/" + std::string(Name(Root::kWork));
}

Result<SiteJob> SiteJob::Open(const SiteJobOptions& options, const JobKey& job) {
  EBB_ASSIGN_OR_RETURN(fs::path folder, FolderOf(options.state, job));
  return SiteJob(options, std::move(folder));
}

// The plan is on disk before the supervisor exists, and the lock is held from here on, as at home.
Result<StartAnswer> SiteJob::Begin(const Start& start) const {
  const AttemptPaths paths = PathsOf(start.attempt);
  EBB_RETURN_IF_ERROR(
      platform::EnsureWritableDirectory(paths.directory, platform::Readers::kOwner));
  if (local::LastAttempt(paths.directory) > start.attempt)
    return Fail(
        {ExitCode::kUsage, "a later attempt was started already", paths.plan().string(), ""});
  const auto lock = platform::FileLock::Take(paths.lock());
  if (!lock && lock.error().code == ExitCode::kTryLater) return StartAnswer{AttemptState::kRunning};
  if (!lock) return Fail(lock.error());
  if (platform::Exists(paths.energy()) || platform::Exists(paths.end()))
    return StartAnswer{AttemptState::kRunning};
  const fs::path offered = paths.plan().string() + ".offered";
  EBB_RETURN_IF_ERROR(
      platform::WriteFileAtomically(offered, start.plan, platform::Readers::kOwner));
  auto read = local::ReadPlan(offered);
  std::error_code ignored;
  fs::remove(offered, ignored);
  if (!read) return Fail(read.error());
  local::AttemptPlan plan = *std::move(read);
  if (plan.attempt != start.attempt)
    return Fail({ExitCode::kUsage, "the plan is of another attempt", paths.plan().string(), ""});
  EBB_ASSIGN_OR_RETURN(const platform::SigningKeys keys, platform::MakeSigningKeys());
  plan.end_key = keys.public_key;
  plan.place.reset();
  plan.since_wall = platform::WallNow();
  plan.since_boot = platform::SinceBoot();
  if (!plan.working_directory.empty()) fs::create_directories(plan.working_directory, ignored);
  EBB_RETURN_IF_ERROR(local::WritePlan(paths, plan));
  platform::DetachedOptions supervisor{options_.supervisor_program, options_.supervisor,
                                       lock->descriptor(), keys.secret_key};
  supervisor.argv.push_back(platform::AbsolutePath(paths.plan()).string());
  EBB_RETURN_IF_ERROR(platform::StartDetached(supervisor));
  return StartAnswer{AttemptState::kRunning};
}

bool SiteJob::NothingIsLeft(const AttemptPaths& paths, Duration grace) {
  const auto found = endings_.find(paths.attempt);
  if (found != endings_.end()) return found->second.Look();
  local::EnergyTail tail(paths.energy());
  std::ignore = tail.Read();
  return endings_
      .emplace(paths.attempt, local::EndingOfOrphan(tail.header(), paths.directory, grace))
      .first->second.Look();
}

Result<AttemptState> SiteJob::StateOf(int attempt, std::string& end) {
  const AttemptPaths paths = PathsOf(attempt);
  if (!platform::Exists(paths.plan())) return AttemptState::kNone;
  if (platform::FileLock::IsHeld(paths.lock())) return AttemptState::kRunning;
  EBB_ASSIGN_OR_RETURN(const local::AttemptPlan plan, local::ReadPlan(paths.plan()));
  if (const auto read = local::ReadEnd(paths, plan.end_key); read && *read) {
    EBB_ASSIGN_OR_RETURN(end, platform::ReadSharedFile(paths.end(), kLongestEnd));
    return AttemptState::kEnded;
  }
  // The session ended between plan and supervisor: Begin starts it.
  if (!platform::Exists(paths.energy()) && !platform::Exists(paths.end()))
    return AttemptState::kNone;
  return NothingIsLeft(paths, plan.grace) ? AttemptState::kLost : AttemptState::kRunning;
}

Result<LookAnswer> SiteJob::LookAt(const Look& look, std::string& bytes) {
  LookAnswer answer;
  // The state is read first: what is written before the end is then among the parts, or comes with
  // the next answer.
  EBB_ASSIGN_OR_RETURN(answer.state, StateOf(look.attempt, answer.end));
  const fs::path root = PathsOf(look.attempt).directory;
  for (const ReadUpTo& wanted : look.files) {
    EBB_RETURN_IF_ERROR(CheckName(wanted.path));
    const auto file = platform::SharedFile::Open(root / wanted.path);
    if (!file || file->size() <= wanted.offset) continue;
    LookAnswer::Part part{wanted.path, std::max(wanted.offset, file->Beginning()), 0, file->size()};
    const std::uint64_t room = std::min(kMostOfAFile, kMostBytes - bytes.size());
    const std::string text = file->Read(part.offset, room);
    part.bytes = text.size();
    bytes += text;
    answer.parts.push_back(std::move(part));
  }
  return answer;
}

Status SiteJob::Pass(const Tell& tell) const {
  const AttemptPaths paths = PathsOf(tell.attempt);
  if (!platform::FileLock::IsHeld(paths.lock())) return {};
  const auto request = local::EndRequestFromName(tell.what);
  // The first request explains the end, unless a cancellation follows.
  if (request && (!local::ReadAsked(paths) || *request == local::EndRequest::kCancel))
    std::ignore = local::WriteAsked(paths, *request);
  EBB_ASSIGN_OR_RETURN(const int pid, local::SupervisorOf(paths));
  const auto watch = platform::ProcessWatch::Open(pid);
  // While the supervisor holds the lock, its pid cannot belong to another process.
  if (!watch || !platform::FileLock::IsHeld(paths.lock())) return {};
  if (request) {
    watch->SendSignal(SIGTERM);
    watch->SendSignal(SIGCONT);
  }
  if (tell.what == "hurry") watch->SendSignal(SIGINT);
  if (tell.what == "freeze") watch->SendSignal(SIGUSR1);
  if (tell.what == "thaw") watch->SendSignal(SIGUSR2);
  return {};
}

Result<ListAnswer> SiteJob::ListFiles(Root root) const {
  const bool is_run = root == Root::kRun;
  EBB_ASSIGN_OR_RETURN(
      auto files, FolderFor(root).List(
                      [&](const std::string& path) { return is_run && IsOfAttempt(path); }, {}));
  return ListAnswer{std::move(files)};
}

Status SiteJob::Remove() const {
  const fs::path run = folder_ / Name(Root::kRun);
  if (local::RunningSupervisor(run))
    return Fail({ExitCode::kUnavailable, "still runs", folder_.string(), "cancel the job first"});
  std::error_code code;
  fs::remove_all(folder_, code);
  if (code) return Fail({ExitCode::kUnavailable, code.message(), folder_.string(), ""});
  return {};
}

}  // namespace ebb::sites
