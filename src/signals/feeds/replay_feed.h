#pragma once
// Replays a trace as if it were live: at grid time `now` only what had been published by then is
// known, for what had not the same stands in as for a live source (live_view.h), and the forecast
// is one that could have been had then (or perfect foresight, which says so). A series whose values
// are known as they begin has no stand-ins: its gaps are gaps. One thread at a time.

#include <memory>

#include "core/publication.h"
#include "forecast/better_on_record.h"
#include "forecast/drivers.h"
#include "forecast/forecaster.h"
#include "forecast/weather.h"
#include "runtime/signal_feed.h"
#include "signals/feeds/live_view.h"
#include "signals/signal_options.h"
#include "signals/traces/trace_csv.h"

namespace ebb::signals {

/// Of a trace for which nobody says when its values were published: an hour after their interval
/// where they were measured; as they begin where they are modelled, or readings of moments.
core::Publication UsualPublication(const Trace& trace);

struct ReplayOptions {
  ForecastMode forecast = ForecastMode::kAuto;
  std::optional<core::Publication> publication;               ///< absent: the usual one
  OutageRules outage;                                         ///< how long what stands in
  std::shared_ptr<const forecast::WeatherArchive> weather{};  ///< may be absent
  std::vector<forecast::Driver> drivers{};                    ///< what else is known of its hours
};

class ReplayFeed : public runtime::SignalFeed {
 public:
  /// Fails where archived forecasts are asked for that the trace does not have.
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
  std::unique_ptr<forecast::Forecaster> forecaster_;  ///< none: perfect foresight
  forecast::BetterOnRecord* chooser_ = nullptr;       ///< forecaster_, where it chooses
  bool is_archived_ = false;                          ///< forecaster_ is the archive alone
};

}  // namespace ebb::signals
