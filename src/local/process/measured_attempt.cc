#include "local/process/measured_attempt.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>

#include "base/check.h"
#include "local/process/pause_marker.h"

namespace ebb::local {
namespace {
constexpr Duration kShortestTick{1};
constexpr Duration kTickOfSearch{200};

// Ends a program that ignores the request to end: SIGTERM after the grace period, SIGKILL after
// another one.
class Insistence {
 public:
  Insistence(std::optional<Duration> grace, platform::ChildProcess& child)
      : grace_(grace), child_(child) {}

  void OnTick() {
    if (!grace_ || !child_.forwarded_stop()) return;
    const auto now = std::chrono::steady_clock::now();
    if (!asked_) asked_ = now;
    if (now - *asked_ < *grace_ * (steps_ + 1) || steps_ == 2) return;
    child_.SendSignal(++steps_ == 1 ? SIGTERM : SIGKILL);
  }
  /// The user's request counts as the cause of the end, whichever signal came last.
  platform::ExitStatus Seen(platform::ExitStatus status) const {
    if (steps_ > 0 && status.by_signal) status.code = 128 + *child_.forwarded_stop();
    return status;
  }

 private:
  std::optional<Duration> grace_;
  platform::ChildProcess& child_;
  std::optional<std::chrono::steady_clock::time_point> asked_;
  int steps_ = 0;
};

// A budget needs every sample soon after it was taken; a grace period needs ticks of its length.
Duration TickOf(const AttemptOptions& options) {
  Duration tick = options.tick;
  if (options.budget) tick = std::min(tick, options.sampler.interval / 10);
  if (options.power && options.power->cap.automatic)
    tick = std::min({tick, kTickOfSearch, options.sampler.interval});
  if (options.stop_grace) tick = std::min(tick, *options.stop_grace / 2);
  return std::max(tick, kShortestTick);
}

}  // namespace

Result<AttemptResult> RunAttempt(const AttemptOptions& options,
                                 std::vector<std::unique_ptr<meter::Meter>> meters,
                                 runtime::SignalFeed& feed, const runtime::GridClock& clock,
                                 platform::ProcessSignals& signals, AttemptObserver& observer) {
  const PauseMarker pause_marker(options.child);
  EBB_ASSIGN_OR_RETURN(
      const std::unique_ptr<MeasuredProcess> process,
      MeasuredProcess::Start(options, MakeOwnMeter(std::move(meters), options.sampler), feed, clock,
                             observer));
  const Duration tick = TickOf(options);
  Insistence insistence(options.stop_grace, process->child());
  std::optional<platform::ExitStatus> status;
  while (!status) {
    status = process->child().Wait(signals, tick);
    process->Tick();
    if (!status) insistence.OnTick();
  }
  process->StopMeasuring();
  std::vector<std::string> warnings;
  AttemptResult result = process->Finish(pause_marker.Judge(insistence.Seen(*status), warnings));
  result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
  return result;
}

Result<AttemptResult> MonitorMachine(const AttemptOptions& options,
                                     std::vector<std::unique_ptr<meter::Meter>> meters,
                                     runtime::SignalFeed& feed, const runtime::GridClock& clock,
                                     platform::ProcessSignals& signals, AttemptObserver& observer) {
  EBB_CHECK(options.child.argv.empty() && options.sampler.scope == core::MeterScope::kMachine);
  EBB_ASSIGN_OR_RETURN(
      const std::unique_ptr<MeasuredProcess> machine,
      MeasuredProcess::Start(options, MakeOwnMeter(std::move(meters), options.sampler), feed, clock,
                             observer));
  while (!signals.WaitForStop(TickOf(options))) machine->Tick();
  machine->StopMeasuring();
  return machine->Finish({});
}

}  // namespace ebb::local
