#include "platform/system_clock.h"

#include <algorithm>
#include <csignal>
#include <ctime>

namespace ebb::platform {

Duration SinceBoot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::floor<Duration>(std::chrono::seconds{now.tv_sec} +
                                      std::chrono::nanoseconds{now.tv_nsec});
}

Time WallNow() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

Time SystemClock::Now() const { return WallNow(); }

runtime::Wake SystemClock::SleepUntil(Time deadline) {
  // The kernel's timeouts do not notice a suspend or a change of the wall clock, so long waits are
  // split into waits of this length.
  constexpr Duration kLookAgain{std::chrono::seconds{5}};
  constexpr Duration kLongest{std::chrono::years{100}};
  const Duration until = SinceBoot() + std::min<Duration>(deadline - Now(), kLongest);
  while (Now() < deadline && SinceBoot() < until) {
    const Duration left = std::min(deadline - Now(), until - SinceBoot());
    const auto signal = signals_.WaitForStop(std::min(left, kLookAgain));
    if (signal && IsStop(*signal)) return runtime::Wake::kInterrupted;
  }
  return runtime::Wake::kDeadline;
}

bool SystemClock::StopAsked() {
  if (stop_signal_) return true;
  if (const auto signal = signals_.WaitForStop(Duration::zero())) return IsStop(*signal);
  return false;
}

bool SystemClock::IsStop(const SignalReceived& signal) {
  if (signal.number == SIGHUP && hang_up_) {
    hang_up_();
    return false;
  }
  stop_signal_ = signal.number;
  return true;
}

Duration LocalUtcOffset(Time time) {
  const std::time_t seconds =
      std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  std::tm local{};
  if (!::localtime_r(&seconds, &local)) return Duration::zero();
  return std::chrono::seconds{local.tm_gmtoff};
}

}  // namespace ebb::platform
