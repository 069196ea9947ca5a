#include "local/leftover.h"

#include <chrono>
#include <csignal>
#include <thread>

#include "platform/child_process.h"

namespace ebb::local {
namespace {

using engine::JobPhase;
using std::chrono::steady_clock;

constexpr Duration kLookAgain{50};

}  // namespace

Status EndLeftover(const LocalJob& job, Duration grace, JobState& state) {
  const pid_t pid = state.pid;
  const auto runs = [&] {
    return pid > 0 && platform::ProcessIdentity(pid) == state.process_identity;
  };
  steady_clock::time_point kill_at = steady_clock::now() + grace;
  if (runs()) ::kill(-pid, SIGTERM);
  while (runs()) {
    if (steady_clock::now() >= kill_at) {
      ::kill(-pid, SIGKILL);
      kill_at += grace;
    }
    std::this_thread::sleep_for(kLookAgain);
  }
  if (!job.job().pausable) {
    state.report.phase = JobPhase::kStartFailed;
    state.report.detail = "ended together with Ebb; starts again from its beginning";
  } else {
    state.report.phase = JobPhase::kPaused;
    state.report.detail =
        "ended together with Ebb; its exit code is not known; goes on from its last checkpoint";
  }
  state.pid = 0;
  state.process_identity.clear();
  return WriteJobState(StateFileIn(job.directory), state);
}

}  // namespace ebb::local
