#pragma once
// Answers in the format of the Green Software Foundation's Carbon Aware SDK (its web API 1.x), so
// that its clients can use Ebb's signal. Pure.
//
// Source: github.com/Green-Software-Foundation/carbon-aware-sdk, CarbonAwareController:
// "windowSize" is in minutes and averages the forecast over windows that begin one point after the
// other; "optimalDataPoints" are the lowest points, all of them if several are equally low.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/signal/intensity.h"
#include "service/views/view.h"

namespace ebb::web {

/// The signal of the zone `location`. A signal without a zone (a constant) applies everywhere.
/// Points into `view`. The Error is kTryLater before the first signal has come, because the zone
/// may be known then.
Result<const core::SignalView*> SignalOfLocation(const service::View& view,
                                                 const std::string& location);

struct CarbonAwarePoint {
  Interval time;
  Intensity value;
};

/// One element of the answer to /emissions/forecasts/current.
struct CarbonAwareForecast {
  std::string location;
  Time generated{}, requested{};
  Interval data{};
  Duration window{};
  std::vector<CarbonAwarePoint> optimal, forecast;
};
/// A JSON list with this one forecast, without an end of line.
std::string ToJson(const CarbonAwareForecast& forecast, int indent = -1);

struct CarbonAwareQuestion {
  std::string location;
  std::optional<Time> begin, end;  ///< limits of the data; absent for the whole forecast
  Duration window{0};              ///< 0 for the single points of the forecast
};
/// The answer from the view's forecast; without points if there are none between `begin` and `end`.
CarbonAwareForecast CarbonAwareForecastOf(const core::SignalView& view,
                                          const CarbonAwareQuestion& question);

/// The answer to /emissions/bylocation: the known values that overlap `window`. Each has the fields
/// "status", "kind" and "boundary", which Ebb adds. Forecasts that stand in for a missing value are
/// left out.
std::string CarbonAwareEmissionsJson(const core::IntensitySeries& known, Interval window,
                                     const std::string& location);

}  // namespace ebb::web
