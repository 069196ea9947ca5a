#include "app/run/clean_runs.h"

#include <algorithm>

#include "app/run/run_files.h"
#include "platform/file_lock.h"
#include "report/run/run_directory.h"

namespace ebb::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStore = "ebb.db";
// Files in addition to those of report::RemoveRun.
constexpr const char* kLog = "ebb.log";
constexpr const char* kOutput = "output.log";
constexpr const char* kNeoSummary = "summary_";
// A run of a version without a lock counts as running until its files have not changed for this
// long.
constexpr Duration kQuietFor{std::chrono::hours{24}};

bool IsRealDirectory(const fs::path& path) {
  std::error_code code;
  return fs::symlink_status(path, code).type() == fs::file_type::directory;
}

// Looks at the newest change of a file in the directory itself.
bool HasChangedLately(const fs::path& directory) {
  std::error_code code;
  const auto limit = fs::file_time_type::clock::now() - kQuietFor;
  for (fs::directory_iterator item(directory, code), end; !code && item != end;
       item.increment(code))
    if (std::error_code unseen; fs::last_write_time(item->path(), unseen) > limit && !unseen)
      return true;
  return static_cast<bool>(code);
}

bool MayGoOn(const fs::path& directory) {
  std::error_code code;
  if (fs::exists(directory / report::kLockFile, code)) return report::IsBeingWritten(directory);
  return HasChangedLately(directory);
}

Time ChangedAt(const fs::path& file) {
  std::error_code code;
  const auto changed = fs::last_write_time(file, code);
  if (code) return Time::min();
  return std::chrono::floor<Duration>(std::chrono::file_clock::to_sys(changed));
}

std::uintmax_t BytesOf(const fs::path& path) {
  std::error_code code;
  if (fs::is_symlink(path, code)) return 0;
  if (!IsRealDirectory(path)) {
    const bool last = fs::hard_link_count(path, code) == 1;  // no other name remains
    const auto bytes = fs::file_size(path, code);
    return code || !last ? 0 : bytes;
  }
  std::uintmax_t bytes = 0;
  for (fs::directory_iterator item(path, code), end; !code && item != end; item.increment(code))
    bytes += BytesOf(item->path());
  return bytes;
}

// The files that Ebb wrote into a directory that it did not create.
std::vector<fs::path> OwnFiles(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::directory_iterator item(directory, code), end; !code && item != end;
       item.increment(code)) {
    const std::string name = item->path().filename().string();
    const bool known = name == kOptionsFile || name == kLog || name == kOutput ||
                       (name.starts_with(kNeoSummary) && name.ends_with(".json"));
    if (known || report::IsFileOfRun(name)) files.push_back(item->path());
  }
  return files;
}

// Nullopt if the run is still needed or cannot be read.
std::optional<UnneededRun> Judge(const fs::path& directory, std::optional<Time> ended_before) {
  const auto head = report::ReadRunHead(directory);
  if (!head) return std::nullopt;
  UnneededRun run;
  run.directory = directory;
  run.name = head->spec.name;
  run.last = head->spec.created_wall;
  run.whole = directory.filename() == head->spec.run_id;
  for (const core::Attempt& attempt : head->attempts)
    run.last = std::max(run.last, attempt.wall.end);
  // An attempt without an end was killed together with Ebb, at its last reading.
  const core::AttemptOutcome of_head = head->outcome();
  if (of_head == core::AttemptOutcome::kRunning)
    run.last = std::max(run.last, ChangedAt(directory / report::kLedgerFile));
  const bool never = std::ranges::all_of(head->attempts, [](const core::Attempt& attempt) {
    return attempt.outcome == core::AttemptOutcome::kNotStarted;
  });
  const core::AttemptOutcome outcome = never ? core::AttemptOutcome::kNotStarted : of_head;
  const bool old = ended_before && run.last < *ended_before;
  if (!never && (!old || outcome == core::AttemptOutcome::kPaused)) return std::nullopt;
  run.outcome =
      outcome == core::AttemptOutcome::kRunning ? "killed" : std::string(core::Name(outcome));
  return run;
}

void Search(const fs::path& folder, std::optional<Time> ended_before, UnneededRuns& found) {
  std::error_code code;
  if (report::HoldsRun(folder)) {
    if (!report::ReadRunHead(folder)) {
      found.notes.push_back(folder.string() + ": holds a run that cannot be read; it stays");
    } else if (auto run = Judge(folder, ended_before); run && !MayGoOn(folder)) {
      if (run->whole) {
        run->bytes = BytesOf(folder);
      } else {
        for (const fs::path& file : OwnFiles(folder)) run->bytes += BytesOf(file);
      }
      found.runs.push_back(*std::move(run));
    }
    return;
  }
  if (fs::exists(folder / kStore, code)) {
    found.notes.push_back(folder.string() +
                          ": its runs belong to the store in it; `ebb store prune"
                          " --store " +
                          (folder / kStore).string() + "` removes old ones");
    return;
  }
  std::vector<fs::path> inner;
  for (fs::directory_iterator item(folder, code), end; !code && item != end; item.increment(code))
    if (IsRealDirectory(item->path())) inner.push_back(item->path());
  if (code) found.notes.push_back(folder.string() + ": cannot be searched: " + code.message());
  std::ranges::sort(inner);
  for (const fs::path& path : inner) Search(path, ended_before, found);
}

Status Removed(const fs::path& path, std::error_code code) {
  if (!code) return {};
  return Fail({ExitCode::kUnavailable, "cannot be removed: " + code.message(), path.string(),
               "check the permissions"});
}

// Removes run.json last, so that a removal that was cut off can be found and repeated.
Status RemoveWhole(const fs::path& directory) {
  std::error_code code;
  std::vector<fs::path> paths;
  for (fs::directory_iterator item(directory, code), end; !code && item != end;
       item.increment(code))
    if (item->path().filename() != report::kRunFile && item->path().filename() != report::kLockFile)
      paths.push_back(item->path());
  for (const char* last : {report::kRunFile, report::kLockFile}) paths.push_back(directory / last);
  paths.push_back(directory);
  for (const fs::path& path : paths) {
    fs::remove_all(path, code);  // removes only the link if it is one
    EBB_RETURN_IF_ERROR(Removed(path, code));
  }
  return {};
}

Status RemoveOwnFiles(const fs::path& directory) {
  std::error_code code;
  for (const fs::path& file : OwnFiles(directory)) {
    fs::remove_all(file, code);
    EBB_RETURN_IF_ERROR(Removed(file, code));
  }
  if (fs::is_empty(directory, code)) fs::remove(directory, code);
  return Removed(directory, code);
}

}  // namespace

UnneededRuns FindUnneededRuns(const fs::path& folder, std::optional<Time> ended_before) {
  UnneededRuns found;
  std::error_code code;
  if (fs::is_symlink(folder, code))
    found.notes.push_back(folder.string() + ": is a symbolic link; name what it points to");
  else if (!IsRealDirectory(folder))
    found.notes.push_back(folder.string() + ": is not a folder");
  else
    Search(folder, ended_before, found);
  return found;
}

Result<bool> RemoveUnneeded(const UnneededRun& run, std::optional<Time> ended_before) {
  if (!IsRealDirectory(run.directory)) return false;
  // The lock prevents that anybody continues the run from here on.
  const auto lock = platform::FileLock::Take(run.directory / report::kLockFile);
  if (!lock && lock.error().code == ExitCode::kTryLater) return false;
  if (!lock) return Fail(lock.error());
  // The run may have been continued since it was found.
  const auto now_so = Judge(run.directory, ended_before);
  if (!now_so || now_so->outcome != run.outcome || now_so->whole != run.whole) return false;
  EBB_RETURN_IF_ERROR(run.whole ? RemoveWhole(run.directory) : RemoveOwnFiles(run.directory));
  return true;
}

}  // namespace ebb::app
