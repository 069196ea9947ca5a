#include "meter/sampling_clock.h"

#include <pthread.h>
#include <time.h>

namespace ebb::meter {
namespace {

// This clock runs on while the machine is suspended, as the wall clock does; the steady clock does
// not.
std::chrono::nanoseconds TimeSinceBoot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

Time SystemNow() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

}  // namespace

SamplingClock::SamplingClock(const std::function<Time()>& wall_now)
    : wall_(wall_now ? wall_now() : SystemNow()),
      boot_(TimeSinceBoot()),
      begin_(std::chrono::steady_clock::now()) {}

Time SamplingClock::WallNow() const {
  return std::chrono::floor<Duration>(std::chrono::sys_time<std::chrono::nanoseconds>(
      wall_.time_since_epoch() + (TimeSinceBoot() - boot_)));
}

SteadyTime SamplingClock::NextMultiple(SteadyTime now, std::chrono::nanoseconds interval) const {
  return begin_ + ((now - begin_) / interval + 1) * interval;
}

BlockAllSignals::BlockAllSignals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}

BlockAllSignals::~BlockAllSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace ebb::meter
