#include "sites/remote/kept_start.h"

#include <algorithm>
#include <thread>

#include "local/supervisor/device_lock.h"
#include "platform/file.h"
#include "platform/file_lock.h"
#include "platform/path_facts.h"
#include "platform/shared_file.h"
#include "platform/system_clock.h"

namespace ebb::sites {
namespace {

namespace fs = std::filesystem;
using local::AttemptPaths;

// A connection that breaks is there again within a minute. By then the plan may say otherwise, so a
// short silence changes nothing.
constexpr Duration kSilence{std::chrono::minutes{10}};
constexpr std::uint64_t kLongest = 1 << 16;

fs::path FileOf(const AttemptPaths& paths) {
  return paths.directory / ("attempt-" + std::to_string(paths.attempt) + ".order");
}

// Whoever holds the lock writes a small file and lets go.
Result<platform::FileLock> TakeSoon(const fs::path& file) {
  constexpr int kTries = 500;
  for (int left = kTries;; --left) {
    auto lock = platform::FileLock::Take(file);
    if (lock || lock.error().code != ExitCode::kTryLater || left == 0) return lock;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
}

bool Runs(const AttemptPaths& paths) {
  const auto kept = ReadKeptStart(paths);
  return platform::FileLock::IsHeld(paths.lock()) && (!kept || kept->state == KeptState::kBegun);
}

// Slots of the attempts of this service that run on this machine.
int SlotsInUse(const AttemptPaths& paths) {
  std::size_t in_use = 0;
  std::error_code none;
  const fs::path service = paths.directory.parent_path().parent_path();
  for (const fs::directory_entry& job : fs::directory_iterator(service, none)) {
    const fs::path run = job.path() / paths.directory.filename();
    const AttemptPaths last{run, local::LastAttempt(run)};
    if (last.attempt == 0 || !Runs(last)) continue;
    const auto plan = local::ReadPlan(last.plan());
    in_use += plan ? plan->slots.size() : 1;
  }
  return static_cast<int>(in_use);
}

// True: the attempt is to begin, and from now on nobody can take its start back.
bool Begin(const AttemptPaths& paths, Time now) {
  bool begins = false;
  const Status changed = ChangeKeptStart(paths, [&](std::optional<KeptStart>& kept) -> Status {
    if (!kept || kept->state != KeptState::kWaits || !IsDue(*kept, now)) return {};
    kept->state = KeptState::kBegun;
    begins = true;
    return {};
  });
  return changed && begins;
}

}  // namespace

std::optional<KeptStart> ReadKeptStart(const AttemptPaths& paths) {
  const auto text = platform::ReadSharedFile(FileOf(paths), kLongest);
  if (!text) return std::nullopt;
  auto kept = FromFieldText<KeptStart>(*text, FileOf(paths).string());
  return kept ? std::optional(*std::move(kept)) : std::nullopt;
}

Status ChangeKeptStart(const AttemptPaths& paths,
                       const std::function<Status(std::optional<KeptStart>&)>& change) {
  EBB_ASSIGN_OR_RETURN(const auto lock, TakeSoon(FileOf(paths).string() + ".lock"));
  std::optional<KeptStart> kept = ReadKeptStart(paths);
  EBB_RETURN_IF_ERROR(change(kept));
  if (!kept) return {};
  return platform::WriteFileAtomically(FileOf(paths), ToFieldText(*kept) + "\n");
}

bool IsDue(const KeptStart& kept, Time now) {
  const Time alone = std::max(kept.order.planned, kept.heard + kSilence);
  return now >= std::min(alone, kept.order.latest);
}

bool DevicesAreFree(const AttemptPaths& paths, const local::AttemptPlan& plan) {
  const bool has_them = std::ranges::none_of(
      plan.gpus, [](const std::string& gpu) { return local::HolderOf(gpu).has_value(); });
  const auto kept = ReadKeptStart(paths);
  const int slots = kept ? kept->order.slots : 0;
  const int wanted = static_cast<int>(plan.slots.size());
  return has_them && (slots == 0 || SlotsInUse(paths) + wanted <= slots);
}

bool WaitForStart(const AttemptPaths& paths, const KeeperOptions& options) {
  if (!platform::Exists(FileOf(paths))) return true;
  for (;;) {
    const auto kept = ReadKeptStart(paths);
    // Somebody removed the job's folder.
    if (!kept || kept->state == KeptState::kTakenBack) return false;
    if (kept->state == KeptState::kBegun) return true;
    const Time now = platform::WallNow();
    if (IsDue(*kept, now)) {
      const auto plan = local::ReadPlan(paths.plan());
      if (plan && options.devices_are_free(paths, *plan) && Begin(paths, now)) return true;
    }
    std::this_thread::sleep_for(options.tick);
  }
}

}  // namespace ebb::sites
