#include "local/supervisor/from_outside.h"

#include <csignal>

#include "base/text.h"
#include "local/process/attempt_outcome.h"
#include "platform/file.h"

namespace ebb::local {
namespace {

constexpr std::chrono::seconds kBetweenLooks{10};

// "oom_kill 3" (Linux 4.13)
std::optional<std::int64_t> OomKillsOfTheMachine(const std::string& vmstat_file) {
  constexpr std::string_view kKey = "oom_kill ";
  const std::string text = platform::ReadFile(vmstat_file, 1 << 20).value_or("");
  for (const std::string_view line : Split(text, '\n'))
    if (line.starts_with(kKey)) return ParseInteger(line.substr(kKey.size()));
  return std::nullopt;
}

}  // namespace

OomWatch::OomWatch(const meter::Cgroup* cgroup, std::string vmstat_file)
    : cgroup_(cgroup),
      vmstat_file_(std::move(vmstat_file)),
      looked_at_(Clock::now()),
      latest_(OomKillsOfTheMachine(vmstat_file_)),
      before_(latest_) {}

void OomWatch::Look() {
  if (Clock::now() < looked_at_ + kBetweenLooks) return;
  looked_at_ = Clock::now();
  before_ = latest_;
  latest_ = OomKillsOfTheMachine(vmstat_file_);
}

std::optional<bool> OomWatch::HasKilled() const {
  if (cgroup_)
    if (const auto own = cgroup_->OomKills()) return *own > 0;
  const auto now = OomKillsOfTheMachine(vmstat_file_);
  if (!now || !before_) return std::nullopt;
  return *now > *before_;
}

bool LooksFromOutside(const platform::ExitStatus& status, const OomWatch& oom) {
  switch (SignalThatEnded(status).value_or(0)) {
    case SIGTERM:
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
    case SIGPWR:
      return true;
    case SIGKILL:
      return oom.HasKilled() == false;
    default:
      return false;
  }
}

}  // namespace ebb::local
