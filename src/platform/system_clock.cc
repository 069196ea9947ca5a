#include "platform/system_clock.h"

#include <ctime>

#include <algorithm>

namespace ebb::platform {

Time SystemClock::Now() const {
  return std::chrono::floor<Duration>(std::chrono::system_clock::now());
}

runtime::Wake SystemClock::SleepUntil(Time deadline) {
  while (Now() < deadline) {
    if (const auto stop = signals_.WaitForStop(deadline - Now())) {
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
