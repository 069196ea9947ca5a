#include "local/power/power_keeper.h"

#include <unistd.h>

#include <chrono>
#include <thread>

#include "local/power/power_guard.h"
#include "platform/detached_process.h"
#include "platform/path_facts.h"

namespace ebb::local {
namespace {

constexpr std::chrono::milliseconds kLookAgain{250};

}  // namespace

Status StartPowerKeeper(const AttemptPaths& paths) {
  platform::DetachedOptions options;
  options.argv = {"ebb", "keep-power", platform::AbsolutePath(paths.directory).string(),
                  std::to_string(paths.attempt), std::to_string(::getpid())};
  EBB_ASSIGN_OR_RETURN([[maybe_unused]] const pid_t pid, platform::StartDetached(options));
  return {};
}

Status KeepPower(const AttemptPaths& paths, pid_t process, const std::string& nvml_library) {
  const auto watch = platform::ProcessWatch::Open(process);
  while (watch && !watch->HasEnded()) std::this_thread::sleep_for(kLookAgain);
  return RestorePower(paths, nvml_library);
}

}  // namespace ebb::local
