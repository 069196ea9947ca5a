#include "store/restore.h"

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "engine/state.h"
#include "platform/path_facts.h"
#include "store/database/job_numbers.h"
#include "store/jobs/job_records.h"
#include "store/service_store.h"

namespace ebb::store {
namespace {

namespace fs = std::filesystem;
using Mode = Database::Mode;

// Files that SQLite keeps beside a database.
constexpr const char* kLog = "-wal";
constexpr const char* kLogIndex = "-shm";

Result<std::vector<ReplacedJob>> JobsOf(Database& database) {
  std::vector<ReplacedJob> jobs;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT id, name, stage FROM jobs ORDER BY id", {}, [&](const Row& row) -> Status {
        jobs.push_back({row.Integer(0), std::string(row.Text(1)),
                        engine::StageFromName(row.Text(2)).value_or(engine::Stage::kWaiting)});
        return {};
      }));
  return jobs;
}

// The time for a file name: 20261122T101500Z.
std::string StampNow() {
  const auto now = std::chrono::system_clock::now();
  std::string stamp = FormatTime(std::chrono::floor<std::chrono::seconds>(now));
  std::erase(stamp, '-');
  std::erase(stamp, ':');
  return stamp;
}

}  // namespace

// Removes the copy that a killed restore may have left; it must not be taken for this one.
Restore::Copy::Copy(platform::Path where) : path(std::move(where)) { Remove(); }

Restore::Copy::~Copy() { Remove(); }

void Restore::Copy::Remove() const {
  std::error_code ignored;
  for (const char* ending : {"", kLog, kLogIndex, ".lock"})
    fs::remove(path.string() + ending, ignored);
}

Result<Restore> Restore::Prepare(const RestoreRequest& request) {
  std::error_code code;
  if (fs::equivalent(request.backup, request.store, code))
    return Fail({ExitCode::kUsage, "is the store itself", request.backup.string(),
                 "name the backup to restore"});
  // Opens the backup before anything is made, so that a wrong name leaves nothing behind.
  EBB_ASSIGN_OR_RETURN(const Database backup, Database::Open(request.backup, Mode::kAnyVersion));
  auto lock = platform::FileLock::Take(request.store.string() + ".lock");
  if (!lock) {
    if (lock.error().code == ExitCode::kTryLater)
      lock.error().next = "stop the service first; what runs goes on";
    return Fail(lock.error());
  }
  Restore restore(request, *std::move(lock));
  EBB_RETURN_IF_ERROR(restore.MakeCopy());
  return restore;
}

// Upgrades and checks the copy in the way in which it will be used.
Status Restore::MakeCopy() {
  const platform::Path path = request_.store.string() + ".restoring";
  {
    EBB_ASSIGN_OR_RETURN(Database backup, Database::Open(request_.backup, Mode::kAnyVersion));
    copy_ = std::make_unique<Copy>(path);
    EBB_RETURN_IF_ERROR(backup.BackupTo(path));
  }
  EBB_ASSIGN_OR_RETURN(ServiceStore copy, ServiceStore::Open(path));
  EBB_ASSIGN_OR_RETURN(const CheckOptions options, request_.check(copy.database()));
  EBB_ASSIGN_OR_RETURN(const auto results, CheckStore(copy.database(), options));
  for (const CheckResult& result : results)
    if (!result.problems.empty())
      return Fail({ExitCode::kUnavailable,
                   "cannot be relied on: " + result.what + ": " + result.problems.front(),
                   request_.backup.string(), "restore another backup"});
  return Compare(copy.database());
}

// A number that either store gave out must not be given out again.
Status Restore::TakeLastNumbers(Database& database) {
  EBB_ASSIGN_OR_RETURN(const auto job, database.Integer("SELECT max(id) FROM jobs"));
  next_job_ = std::max(next_job_, job.value_or(0) + 1);
  EBB_ASSIGN_OR_RETURN(const auto sweep, database.Integer("SELECT max(id) FROM sweeps"));
  EBB_ASSIGN_OR_RETURN(const auto kept, GetMeta(database, "next_sweep_id"));
  next_sweep_ = std::max({next_sweep_, sweep.value_or(0) + 1,
                          core::SweepId{ParseInteger(kept.value_or("1")).value_or(1)}});
  return {};
}

Status Restore::CompareJobs(Database& copy) {
  EBB_ASSIGN_OR_RETURN(Database replaced, Database::Open(request_.store, Mode::kAnyVersion));
  EBB_RETURN_IF_ERROR(TakeLastNumbers(replaced));
  EBB_ASSIGN_OR_RETURN(std::vector<ReplacedJob> jobs, JobsOf(replaced));
  for (ReplacedJob& job : jobs) {
    EBB_ASSIGN_OR_RETURN(const auto restored, FindJob(copy, job.id));
    if (!restored)
      difference_.lost.push_back(std::move(job));
    else if (engine::HasEnded(job.stage) && !engine::HasEnded(restored->stage))
      difference_.undone.push_back(std::move(job));
  }
  return {};
}

Status Restore::Compare(Database& copy) {
  EBB_ASSIGN_OR_RETURN(const auto jobs, copy.Integer("SELECT count(*) FROM jobs"));
  EBB_ASSIGN_OR_RETURN(const auto newest,
                       copy.Integer("SELECT submitted_ms FROM jobs ORDER BY id DESC LIMIT 1"));
  difference_.jobs = jobs.value_or(0);
  if (newest) difference_.newest = Time{Duration{*newest}};
  EBB_RETURN_IF_ERROR(TakeLastNumbers(copy));
  if (const Status compared = CompareJobs(copy); !compared)
    difference_.unknown = compared.error().Message();
  FindFolders(copy);
  return copy.Run("INSERT OR REPLACE INTO meta(key, value) VALUES('next_sweep_id', ?)",
                  Values{std::to_string(next_sweep_)});
}

void Restore::FindFolders(Database& copy) {
  for (const core::JobId id : NumberedFolders(request_.jobs)) {
    next_job_ = std::max(next_job_, id + 1);
    const auto known = FindJob(copy, id);
    if (known && !*known) unknown_folders_.push_back(id);
  }
  const JobNumbers kept = JobNumbers::Open(request_.jobs / kNumbersFile);
  next_job_ = std::max(next_job_, kept.highest() + 1);
}

// Keeps the replaced store under another name, complete with its log. SQLite's files beside the
// store must be removed before another store takes its place, because SQLite would apply them to
// it.
Status Restore::KeepReplaced(const platform::Path& kept) {
  const platform::Path log = request_.store.string() + kLog;
  std::error_code code;
  fs::create_hard_link(request_.store, kept, code);
  if (!code && platform::Exists(log)) fs::create_hard_link(log, kept.string() + kLog, code);
  if (!code) fs::remove(log, code);
  if (!code) fs::remove(request_.store.string() + kLogIndex, code);
  if (!code) return {};
  return Fail({ExitCode::kUnavailable, "cannot be kept as " + kept.string() + ": " + code.message(),
               request_.store.string(), "check the permissions and the free space"});
}

Result<std::optional<platform::Path>> Restore::Finish() {
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(request_.jobs, platform::Readers::kOwner));
  // The numbers must be on the disk before the restored store, which does not know them, is in
  // place.
  EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(request_.jobs / kNumbersFile,
                                                    std::to_string(next_job_ - 1) + "\n",
                                                    platform::Readers::kOwner));
  std::optional<platform::Path> kept;
  std::error_code code;
  if (fs::exists(request_.store, code)) {
    kept = request_.store.string() + ".replaced-" + StampNow();
    EBB_RETURN_IF_ERROR(KeepReplaced(*kept));
  }
  Status moved = platform::MoveIntoPlace(copy_->path, request_.store);
  if (moved) return kept;
  if (kept && fs::exists(kept->string() + kLog, code))
    fs::create_hard_link(kept->string() + kLog, request_.store.string() + kLog, code);
  return Fail(moved.error());
}

}  // namespace ebb::store
