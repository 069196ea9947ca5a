#include "train/loop/stop_request.h"

#include <atomic>
#include <csignal>

namespace ebb::train {
namespace {

// A signal may arrive on any thread of the BLAS pool; a lock-free atomic may be written by a
// handler.
std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void RequestStop(int) { stop_requested.store(true, std::memory_order_relaxed); }

}  // namespace

void InstallStopHandlers() {
  struct sigaction action {};
  action.sa_handler = RequestStop;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

bool StopRequested() { return stop_requested.load(std::memory_order_relaxed); }

}  // namespace ebb::train
