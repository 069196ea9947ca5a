#pragma once
// Replays a trace as if it were live: at grid time `now` only what had been published by then is
// known, and the forecast is one that could have been had then (or perfect foresight, which says
// so). One thread at a time.

#include <memory>

#include "forecast/forecaster.h"
#include "runtime/signal_feed.h"
#include "signals/signal_options.h"
#include "signals/trace_csv.h"

namespace ebb::signals {

/// How much of the past an observation carries.
inline constexpr Duration kKnownHistory{std::chrono::days{15}};

class ReplayFeed : public runtime::SignalFeed {
 public:
  /// Fails where `mode` asks for archived forecasts that the trace does not have.
  static Result<std::unique_ptr<ReplayFeed>> Create(Trace trace, ForecastMode mode);

  const core::SignalIdentity& identity() const override { return trace_.series.identity(); }
  Result<core::SignalView> Observe(Time now, Duration horizon) override;
  Result<core::IntensitySeries> Believed(Interval interval) override;
  Time NextChange(Time now) const override;
  std::optional<Interval> Coverage() const override { return trace_.series.span(); }

 private:
  ReplayFeed(Trace trace, ForecastMode mode);

  const Trace trace_;                                 ///< the forecaster may refer to it
  std::unique_ptr<forecast::Forecaster> forecaster_;  ///< none: perfect foresight
};

}  // namespace ebb::signals
