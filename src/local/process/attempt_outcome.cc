#include "local/process/attempt_outcome.h"

#include <algorithm>
#include <csignal>

#include "local/process/training_contract.h"
#include "platform/process_signals.h"
#include "platform/program_lookup.h"

namespace ebb::local {

std::optional<int> SignalThatEnded(const platform::ExitStatus& status) {
  constexpr int kFirst = 128;
  if (status.by_signal || status.code == kFirst + SIGTERM) return status.code - kFirst;
  return std::nullopt;
}

std::string HowItEnded(const platform::ExitStatus& status) {
  const auto signal = SignalThatEnded(status);
  return signal ? std::string("ended by ") + platform::SignalName(*signal)
                : "exit code " + std::to_string(status.code);
}

core::AttemptOutcome OutcomeOf(const platform::ExitStatus& status) {
  if (status.by_signal) return core::AttemptOutcome::kKilled;
  if (status.code == 0) return core::AttemptOutcome::kDone;
  return status.code == kPausedExitCode ? core::AttemptOutcome::kPaused
                                        : core::AttemptOutcome::kFailed;
}

engine::JobPhase PhaseOfNotStarted(int code) {
  return platform::IsFaultOfCommand(code) ? engine::JobPhase::kFailed
                                          : engine::JobPhase::kStartFailed;
}

core::Attempt EndedAttempt(int number, const platform::ExitStatus& status,
                           const meter::Utilisation& mean) {
  core::Attempt attempt;
  attempt.number = number;
  attempt.wall = {mean.wall.begin, std::max(mean.wall.begin, mean.wall.end)};
  attempt.outcome = OutcomeOf(status);
  attempt.exit_code = status.code;
  attempt.cpu_utilisation_percent = mean.cpu_percent;
  attempt.ram_used_gb = mean.ram_gb;
  attempt.gpu_utilisation_percent = mean.gpu_percent;
  return attempt;
}

}  // namespace ebb::local
