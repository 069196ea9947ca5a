#include "local/attempt_outcome.h"

#include <algorithm>

#include "local/training_contract.h"

namespace ebb::local {

core::AttemptOutcome OutcomeOf(const platform::ExitStatus& status) {
  if (status.by_signal) return core::AttemptOutcome::kKilled;
  if (status.code == 0) return core::AttemptOutcome::kDone;
  return status.code == kPausedExitCode ? core::AttemptOutcome::kPaused
                                        : core::AttemptOutcome::kFailed;
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
