#pragma once
// The wall clock of this machine; sleeping ends early when the process is asked to stop.

#include <functional>
#include <optional>
#include <utility>

#include "platform/process_signals.h"
#include "runtime/clock.h"

namespace ebb::platform {

/// Time since the machine was started, suspends included (CLOCK_BOOTTIME). All processes see the
/// same value.
Duration SinceBoot();

Time WallNow();

class SystemClock final : public runtime::Clock {
 public:
  explicit SystemClock(ProcessSignals& signals) : signals_(signals) {}
  Time Now() const override;
  Duration SinceBoot() const override { return platform::SinceBoot(); }
  runtime::Wake SleepUntil(Time deadline) override;
  /// From now on a hang-up (SIGHUP: the terminal is gone) calls `hang_up` and does not count as a
  /// request to stop.
  void OnHangUp(std::function<void()> hang_up) { hang_up_ = std::move(hang_up); }
  /// True if the process has been asked to stop; does not sleep.
  bool StopAsked();
  /// The signal that ended a sleep early or that StopAsked found.
  std::optional<int> stop_signal() const { return stop_signal_; }

 private:
  bool IsStop(const SignalReceived& signal);

  ProcessSignals& signals_;
  std::function<void()> hang_up_;
  std::optional<int> stop_signal_;
};

/// The offset of the local clock (TZ) from UTC at `time`; positive if it is ahead.
Duration LocalUtcOffset(Time time);

}  // namespace ebb::platform
