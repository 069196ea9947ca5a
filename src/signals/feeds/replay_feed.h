#pragma once
// Replays a trace as if it were live. At grid time `now` only values published by then are known;
// the same stand-ins as for a live source fill in for the others (live_view.h); and the forecast is
// one that was available then (or perfect foresight, which says so). A series whose values are
// known as they begin has no stand-ins: its gaps are gaps. One thread at a time.

#include <memory>

#include "core/signal/publication.h"
#include "forecast/better_on_record.h"
#include "forecast/drivers.h"
#include "forecast/forecaster.h"
#include "forecast/weather.h"
#include "runtime/signal_feed.h"
#include "signals/feeds/live_view.h"
#include "signals/signal_options.h"
#include "signals/traces/trace_csv.h"

namespace ebb::signals {

/// The publication assumed for a trace that states none: an hour after their interval for measured
/// values; as they begin for modelled values and readings of moments.
core::Publication UsualPublication(const Trace& trace);

struct ReplayOptions {
  ForecastMode forecast = ForecastMode::kAuto;
  std::optional<core::Publication> publication;               ///< absent: the usual one
  OutageRules outage;                                         ///< limits of stand-ins
  std::shared_ptr<const forecast::WeatherArchive> weather{};  ///< may be absent
  std::vector<forecast::Driver> drivers{};                    ///< other drivers of the forecast
};

class ReplayFeed : public runtime::SignalFeed {
 public:
  /// Fails if archived forecasts are asked for and the trace has none.
  static Result<std::unique_ptr<ReplayFeed>> Create(Trace trace, const ReplayOptions& options);

  const core::SignalIdentity& identity() const override { return trace_.series.identity(); }
  Result<core::SignalView> Observe(Time now, Duration horizon) override;
  Result<core::IntensitySeries> Believed(Interval interval) override;
  Time NextChange(Time now) const override;
  std::optional<Interval> Coverage() const override { return trace_.series.span(); }
  const core::Publication& publication() const { return publication_; }

 private:
  ReplayFeed(Trace trace, const ReplayOptions& options);
  void MakeForecaster(const ReplayOptions& options);
  std::unique_ptr<forecast::Forecaster> MakeOwn(const ReplayOptions& options) const;
  Result<core::SignalView> ObserveAsItBegins(Time now, Duration horizon);
  Result<core::Forecast> Ahead(Time now, Time known_end, Time end);
  Result<bool> TakesArchive(Time now);
  void TellProvided(Time now, LiveSnapshot& snapshot) const;

  const core::Publication publication_;
  const Trace trace_;  ///< the forecaster may refer to it
  const OutageRules outage_;
  std::unique_ptr<forecast::Forecaster> forecaster_;  ///< null: perfect foresight
  forecast::BetterOnRecord* chooser_ = nullptr;       ///< forecaster_, if it chooses by record
  bool is_archived_ = false;                          ///< forecaster_ is the archive alone
};

}  // namespace ebb::signals
