#include "local/files/job_folder.h"

#include "local/files/attempt_files.h"
#include "platform/file_lock.h"

namespace ebb::local {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSetAside = "set-aside";
constexpr const char* kCheckpoints = "checkpoints";

// The first free name: jobs/set-aside/4, 4-2, 4-3, ...
fs::path FreePlace(const fs::path& folder) {
  const fs::path place = folder.parent_path() / kSetAside / folder.filename();
  fs::path free = place;
  std::error_code ignored;
  for (int number = 2; fs::exists(free, ignored); ++number)
    free = place.string() + "-" + std::to_string(number);
  return free;
}

}  // namespace

std::optional<int> RunningSupervisor(const fs::path& folder) {
  const AttemptPaths paths{folder, LastAttempt(folder)};
  if (paths.attempt == 0 || !platform::FileLock::IsHeld(paths.lock())) return std::nullopt;
  const auto supervisor = SupervisorOf(paths);
  return supervisor ? std::optional(*supervisor) : std::nullopt;
}

bool MayBelongTo(const fs::path& folder, const fs::path& store) {
  const int attempt = LastAttempt(folder);
  if (attempt == 0) return true;
  const auto plan = ReadPlan(AttemptPaths{folder, attempt}.plan());
  return !plan || plan->store.empty() || fs::path(plan->store).filename() == store.filename();
}

Result<fs::path> SetFolderAside(const fs::path& folder) {
  const AttemptPaths last{folder, LastAttempt(folder)};
  if (last.attempt > 0 && platform::FileLock::IsHeld(last.lock()))
    return Fail({ExitCode::kUnavailable, "holds another job, whose program still runs",
                 folder.string(), "end that program, or wait until it has ended"});
  const fs::path place = FreePlace(folder);
  std::error_code code;
  fs::create_directories(place.parent_path(), code);
  if (!code) fs::rename(folder, place, code);
  if (code)
    return Fail({ExitCode::kUnavailable, "cannot be set aside: " + code.message(), folder.string(),
                 "move it away"});
  return place;
}

Status TakeOverCheckpoints(const fs::path& from, const fs::path& to) {
  const fs::path source = from / kCheckpoints, target = to / kCheckpoints;
  std::error_code code;
  if (fs::exists(target, code)) return {};
  fs::create_directories(target, code);
  for (fs::recursive_directory_iterator item(source, code), end; !code && item != end;
       item.increment(code)) {
    const fs::path place = target / item->path().lexically_relative(source);
    if (item->is_symlink(code)) continue;
    if (item->is_directory(code)) {
      fs::create_directory(place, code);
    } else if (item->is_regular_file(code)) {
      fs::create_hard_link(item->path(), place, code);
      // Some file systems have no hard links.
      if (code) fs::copy_file(item->path(), place, code);
    }
  }
  if (!code) return {};
  // Half of a checkpoint is worthless.
  std::error_code ignored;
  fs::remove_all(target, ignored);
  return Fail({ExitCode::kUnavailable, "its checkpoints cannot be taken over: " + code.message(),
               source.string(), ""});
}

bool HasNewCheckpoint(const fs::path& folder, Time since) {
  // Files get the time of the kernel's last tick, which lies slightly in the past.
  constexpr Duration kTick{10};
  std::error_code code;
  for (auto it = fs::recursive_directory_iterator(folder / kCheckpoints, code);
       !code && it != fs::recursive_directory_iterator(); it.increment(code)) {
    std::error_code ignored;
    if (!it->is_regular_file(ignored)) continue;
    const auto written = fs::last_write_time(it->path(), ignored);
    if (!ignored &&
        std::chrono::floor<Duration>(std::chrono::file_clock::to_sys(written)) >= since - kTick)
      return true;
  }
  return false;
}

std::int64_t CheckpointBytes(const fs::path& folder) {
  std::int64_t bytes = 0;
  std::error_code code;
  for (auto it = fs::recursive_directory_iterator(folder / kCheckpoints, code);
       !code && it != fs::recursive_directory_iterator(); it.increment(code)) {
    std::error_code ignored;
    if (!it->is_regular_file(ignored)) continue;
    const auto size = it->file_size(ignored);
    if (!ignored) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

}  // namespace ebb::local
