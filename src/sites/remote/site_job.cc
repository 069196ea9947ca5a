#include "sites/remote/site_job.h"

#include <algorithm>
#include <csignal>
#include <thread>

#include "base/text.h"
#include "local/files/job_folder.h"
#include "local/process/grid_file.h"
#include "local/supervisor/orphan.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "platform/shared_file.h"
#include "platform/signature.h"
#include "platform/system_clock.h"
#include "sites/remote/kept_start.h"

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

constexpr const char* kFetched = "fetched";  // beside the folder of the run

// The number of the attempt in the file that NoteFetched writes; 0: there is none.
int FetchedIn(const fs::path& folder) {
  const auto text = platform::ReadSharedFile(folder / kFetched, kLongestEnd);
  const auto number = text ? ParseInteger(Trim(*text)) : std::nullopt;
  return number && *number > 0 ? static_cast<int>(*number) : 0;
}

// Files in a job's folder that none of its programs wrote.
bool IsOfAttempt(const std::string& path) {
  const auto ends = [&](std::string_view ending) { return path.ends_with(ending); };
  if (path == local::kGridFile) return true;
  return path.starts_with("attempt-") &&
         (ends(".json") || ends(".lock") || ends(".asked") || ends(".end") || ends(".energy") ||
          ends(".offered") || ends(".site") || ends(".sent") || ends(".order"));
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

Status SiteJob::MakeFolder(const AttemptPaths& paths) {
  EBB_RETURN_IF_ERROR(
      platform::EnsureWritableDirectory(paths.directory, platform::Readers::kOwner));
  if (local::LastAttempt(paths.directory) > paths.attempt)
    return Fail(
        {ExitCode::kUsage, "a later attempt was started already", paths.plan().string(), ""});
  return {};
}

// The plan as the service sent it, made one of this machine.
Result<local::AttemptPlan> SiteJob::PlanFrom(const std::string& text, const AttemptPaths& paths) {
  const fs::path offered = paths.plan().string() + ".offered";
  EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(offered, text, platform::Readers::kOwner));
  auto plan = local::ReadPlan(offered);
  std::error_code ignored;
  fs::remove(offered, ignored);
  if (!plan) return plan;
  if (plan->attempt != paths.attempt)
    return Fail({ExitCode::kUsage, "the plan is of another attempt", paths.plan().string(), ""});
  plan->place.reset();
  plan->store.clear();  // on the service's machine
  plan->since_wall = platform::WallNow();
  plan->since_boot = platform::SinceBoot();
  if (!plan->working_directory.empty()) fs::create_directories(plan->working_directory, ignored);
  return plan;
}

// The plan is on disk before the supervisor exists, and the lock is held from here on, as at home.
Status SiteJob::StartSupervisor(const std::string& text, const AttemptPaths& paths,
                                const platform::FileLock& lock) const {
  EBB_ASSIGN_OR_RETURN(local::AttemptPlan plan, PlanFrom(text, paths));
  EBB_ASSIGN_OR_RETURN(const platform::SigningKeys keys, platform::MakeSigningKeys());
  plan.end_key = keys.public_key;
  EBB_RETURN_IF_ERROR(local::WritePlan(paths, plan));
  // An earlier attempt may have left its intensity. The follower sends the one of now.
  std::error_code ignored;
  fs::remove(paths.directory / local::kGridFile, ignored);
  platform::DetachedOptions supervisor{options_.supervisor_program, options_.supervisor,
                                       lock.descriptor(), keys.secret_key};
  supervisor.argv.push_back(platform::AbsolutePath(paths.plan()).string());
  return platform::StartDetached(supervisor).map([](pid_t) {});
}

Result<StartAnswer> SiteJob::Begin(const Start& start) const {
  const AttemptPaths paths = PathsOf(start.attempt);
  EBB_RETURN_IF_ERROR(MakeFolder(paths));
  const auto lock = platform::FileLock::Take(paths.lock());
  if (!lock && lock.error().code == ExitCode::kTryLater) return BeginKept(start, paths);
  if (!lock) return Fail(lock.error());
  if (platform::Exists(paths.energy()) || platform::Exists(paths.end()))
    return StartAnswer{AttemptState::kRunning};
  // A supervisor that waited for the start was killed.
  if (ReadKeptStart(paths))
    EBB_RETURN_IF_ERROR(ChangeKeptStart(paths, [](std::optional<KeptStart>& kept) -> Status {
      if (kept) kept->state = KeptState::kBegun;
      return {};
    }));
  EBB_RETURN_IF_ERROR(StartSupervisor(start.plan, paths, *lock));
  return StartAnswer{AttemptState::kRunning};
}

// The supervisor is there, and may wait for this. The plan may have other devices by now.
Result<StartAnswer> SiteJob::BeginKept(const Start& start, const AttemptPaths& paths) {
  const auto begin = [&](std::optional<KeptStart>& kept) -> Status {
    if (!kept || kept->state == KeptState::kBegun) return {};
    if (kept->state == KeptState::kTakenBack)
      return Fail(
          {ExitCode::kTryLater, "its start has just been taken back", paths.plan().string(), ""});
    EBB_ASSIGN_OR_RETURN(const local::AttemptPlan before, local::ReadPlan(paths.plan()));
    EBB_ASSIGN_OR_RETURN(local::AttemptPlan plan, PlanFrom(start.plan, paths));
    plan.end_key = before.end_key;
    EBB_RETURN_IF_ERROR(local::WritePlan(paths, plan));
    kept->state = KeptState::kBegun;
    return {};
  };
  EBB_RETURN_IF_ERROR(ChangeKeptStart(paths, begin));
  return StartAnswer{AttemptState::kRunning};
}

Result<StartAnswer> SiteJob::KeepFor(const Keep& keep) {
  const AttemptPaths paths = PathsOf(keep.attempt);
  EBB_RETURN_IF_ERROR(MakeFolder(paths));
  const auto lock = platform::FileLock::Take(paths.lock());
  if (!lock && lock.error().code != ExitCode::kTryLater) return Fail(lock.error());
  if (lock && (platform::Exists(paths.energy()) || platform::Exists(paths.end())))
    return StartAnswer{AttemptState::kRunning};
  bool is_kept = false;
  EBB_RETURN_IF_ERROR(ChangeKeptStart(paths, [&](std::optional<KeptStart>& kept) -> Status {
    const bool waits = kept && kept->state == KeptState::kWaits;
    const bool was_taken_back =
        kept && kept->state == KeptState::kTakenBack && kept->order.number >= keep.order.number;
    if (was_taken_back || (!lock && !waits)) return {};
    kept = KeptStart{keep.order, KeptState::kWaits, platform::WallNow()};
    is_kept = true;
    return {};
  }));
  if (lock && is_kept) EBB_RETURN_IF_ERROR(StartSupervisor(keep.plan, paths, *lock));
  if (is_kept) return StartAnswer{AttemptState::kKept};
  if (lock) return StartAnswer{AttemptState::kNone};
  std::string end;
  EBB_ASSIGN_OR_RETURN(const AttemptState state, StateOf(keep.attempt, end));
  return StartAnswer{state};
}

// Written down even if nothing is kept: the request to keep it may still be on its way.
Result<StartAnswer> SiteJob::TakeBack(const Withdraw& withdraw) {
  constexpr int kTries = 150;
  const AttemptPaths paths = PathsOf(withdraw.attempt);
  EBB_RETURN_IF_ERROR(
      platform::EnsureWritableDirectory(paths.directory, platform::Readers::kOwner));
  EBB_RETURN_IF_ERROR(ChangeKeptStart(paths, [&](std::optional<KeptStart>& kept) -> Status {
    if (!kept) kept = KeptStart{{.number = withdraw.order}, KeptState::kWaits, {}};
    if (kept->state != KeptState::kBegun) kept->state = KeptState::kTakenBack;
    kept->order.number = std::max(kept->order.number, withdraw.order);
    return {};
  }));
  std::string end;
  EBB_ASSIGN_OR_RETURN(const AttemptState state, StateOf(withdraw.attempt, end));
  // The supervisor ends in a moment, and the attempt may be started anew after that.
  for (int left = kTries; state == AttemptState::kNone && left > 0; --left) {
    if (!platform::FileLock::IsHeld(paths.lock())) break;
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
  // Without the plan, it is not among the attempts whose files have to come home.
  std::error_code ignored;
  if (state == AttemptState::kNone && !platform::FileLock::IsHeld(paths.lock()))
    fs::remove(paths.plan(), ignored);
  return StartAnswer{state};
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
  if (platform::FileLock::IsHeld(paths.lock())) {
    const auto kept = ReadKeptStart(paths);
    if (!kept || kept->state == KeptState::kBegun) return AttemptState::kRunning;
    return kept->state == KeptState::kWaits ? AttemptState::kKept : AttemptState::kNone;
  }
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

Status SiteJob::NoteFetched(int attempt) const {
  return platform::WriteFileAtomically(folder_ / kFetched, std::to_string(attempt) + "\n");
}

Result<JobsAnswer> JobsOf(const fs::path& state, const std::string& service) {
  EBB_ASSIGN_OR_RETURN(const fs::path folder, FolderOf(state, {service, 0, 0}));
  JobsAnswer answer;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.parent_path(), none)) {
    // An identity may be negative, so the first dash divides.
    const std::string name = entry.path().filename().string();
    const std::size_t dash = name.find('-');
    if (dash == std::string::npos) continue;
    const auto job = ParseInteger(std::string_view(name).substr(0, dash));
    const auto identity = ParseInteger(std::string_view(name).substr(dash + 1));
    if (!job || !identity) continue;
    answer.folders.push_back({{service, *job, *identity},
                              local::LastAttempt(entry.path() / Name(Root::kRun)),
                              FetchedIn(entry.path())});
  }
  return answer;
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
