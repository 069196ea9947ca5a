#include "local/leftover.h"

#include <chrono>
#include <thread>

#include "local/attempt_outcome.h"
#include "local/orphan.h"

namespace ebb::local {

Status EndLeftover(const LocalJob& job, Duration grace, JobState& state) {
  constexpr Duration kLookAgain{50};
  constexpr Duration kPatience{std::chrono::seconds{10}};
  const auto give_up_at = std::chrono::steady_clock::now() + grace + kPatience;
  Ending ending =
      EndingOfOrphan(EnergyHeader{state.pid, state.process_identity, {}, ""}, job.directory, grace);
  while (!ending.Look()) {
    if (std::chrono::steady_clock::now() >= give_up_at)
      return Fail({ExitCode::kTryLater,
                   "cannot go on: its program of an earlier start was killed and still runs",
                   job.job().name,
                   "the kernel waits for a disk or a device; try again once process " +
                       std::to_string(state.pid) + " is gone"});
    std::this_thread::sleep_for(kLookAgain);
  }
  GoOn(state.report, job.job().pausable,
       job.job().pausable ? "ended together with Ebb; its exit code is not known"
                          : "ended together with Ebb");
  state.pid = 0;
  state.process_identity.clear();
  return WriteJobState(StateFileIn(job.directory), state);
}

}  // namespace ebb::local
