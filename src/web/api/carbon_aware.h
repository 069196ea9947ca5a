#pragma once
// What we know of the grid in the shapes of the Green Software Foundation's Carbon Aware SDK (its
// web API 1.x), so that its clients can ask us. Pure.
//
// Source: github.com/Green-Software-Foundation/carbon-aware-sdk, CarbonAwareController:
// "windowSize" is in minutes and averages the forecast over windows that begin one point after the
// other; "optimalDataPoints" are the lowest of them, all that are equally low.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/intensity.h"
#include "service/views/view.h"

namespace ebb::web {

/// The signal of the zone that is asked about; one that belongs to no zone (a constant) holds
/// everywhere. Points into `view`. kTryLater before any signal has come: the zone may be known
/// then.
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
/// A list of one; without an end of line.
std::string ToJson(const CarbonAwareForecast& forecast, int indent = -1);

struct CarbonAwareQuestion {
  std::string location;
  std::optional<Time> begin, end;  ///< of the data; absent: of the whole forecast
  Duration window{0};              ///< 0: single points of the forecast
};
/// Of the view's forecast; no points where none are left between `begin` and `end`.
CarbonAwareForecast CarbonAwareForecastOf(const core::SignalView& view,
                                          const CarbonAwareQuestion& question);

/// The answer to /emissions/bylocation: known values that overlap `window`, each with how it came
/// about and what it counts ("status", "kind", "boundary", which are ours). Forecasts that stand in
/// for a value are left out.
std::string CarbonAwareEmissionsJson(const core::IntensitySeries& known, Interval window,
                                     const std::string& location);

}  // namespace ebb::web
