#include "platform/system_clock.h"

#include <ctime>

#include <algorithm>

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
  // The kernel's waits know neither of suspends nor of a clock that is set.
  constexpr Duration kLookAgain{std::chrono::seconds{5}};
  constexpr Duration kLongest{std::chrono::years{100}};
  const Duration until = SinceBoot() + std::min<Duration>(deadline - Now(), kLongest);
  while (Now() < deadline && SinceBoot() < until) {
    const Duration left = std::min(deadline - Now(), until - SinceBoot());
    if (const auto stop = signals_.WaitForStop(std::min(left, kLookAgain))) {
      stop_signal_ = stop->number;
      return runtime::Wake::kInterrupted;
    }
  }
  return runtime::Wake::kDeadline;
}

bool SystemClock::StopAsked() {
  if (stop_signal_) return true;
  if (const auto stop = signals_.WaitForStop(Duration::zero())) stop_signal_ = stop->number;
  return stop_signal_.has_value();
}

Duration LocalUtcOffset(Time time) {
  const std::time_t seconds =
      std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  std::tm local{};
  if (!::localtime_r(&seconds, &local)) return Duration::zero();
  return std::chrono::seconds{local.tm_gmtoff};
}

}  // namespace ebb::platform
