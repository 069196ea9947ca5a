#include "platform/system_clock.h"

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

}  // namespace ebb::platform
