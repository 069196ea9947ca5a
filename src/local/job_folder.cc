#include "local/job_folder.h"

#include "local/attempt_files.h"
#include "platform/file_lock.h"

namespace ebb::local {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSetAside = "set-aside";

// The first that is free: jobs/set-aside/4, 4-2, 4-3, ...
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

}  // namespace ebb::local
