#include "local/measured_attempt.h"

#include <algorithm>
#include <optional>

namespace ebb::local {
namespace {
constexpr Duration kShortestBudgetTick{1};
}

Result<AttemptResult> RunAttempt(const AttemptOptions& options,
                                 std::vector<std::unique_ptr<meter::Meter>> meters,
                                 runtime::SignalFeed& feed, const runtime::GridClock& clock,
                                 platform::ProcessSignals& signals, AttemptObserver& observer) {
  EBB_ASSIGN_OR_RETURN(
      const std::unique_ptr<MeasuredProcess> process,
      MeasuredProcess::Start(options, MakeOwnMeter(std::move(meters), options.sampler), feed, clock,
                             observer));
  // A budget looks at every sample soon after it was taken.
  Duration tick = options.tick;
  if (options.budget)
    tick = std::clamp(options.sampler.interval / 10, kShortestBudgetTick, options.tick);
  std::optional<platform::ExitStatus> status;
  while (!status) {
    status = process->child().Wait(signals, tick);
    process->Tick();
  }
  process->StopMeasuring();
  return process->Finish(*status);
}

}  // namespace ebb::local
