#include "local/measured_attempt.h"

#include <optional>

namespace ebb::local {

Result<AttemptResult> RunAttempt(const AttemptOptions& options,
                                 std::vector<std::unique_ptr<meter::Meter>> meters,
                                 runtime::SignalFeed& feed, const runtime::GridClock& clock,
                                 platform::ProcessSignals& signals, AttemptObserver& observer) {
  EBB_ASSIGN_OR_RETURN(const std::unique_ptr<MeasuredProcess> process,
                       MeasuredProcess::Start(options, std::move(meters), feed, clock, observer));
  std::optional<platform::ExitStatus> status;
  while (!status) {
    status = process->child().Wait(signals, options.tick);
    process->Tick();
  }
  process->StopMeasuring();
  return process->Finish(*status);
}

}  // namespace ebb::local
