#pragma once
// The port of a live source of weather: how it is asked for the places of zones and how its answers
// become runs. Retries, rates and the circuit breaker are around it (patient_http.h), as are
// the cache and the time of the next question (live_weather.h).

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forecast/weather.h"
#include "signals/provider.h"
#include "signals/weather/zone_points.h"

namespace ebb::signals {

struct ZoneToAsk {
  std::string zone;
  std::vector<WeatherPoint> points;
  friend bool operator==(const ZoneToAsk&, const ZoneToAsk&) = default;
};

/// The runs of each zone, in the order of the zones asked for.
using RunsByZone = std::vector<std::vector<forecast::WeatherRun>>;

class WeatherSource {
 public:
  virtual ~WeatherSource() = default;
  /// "open-meteo": a name for people and files.
  virtual const std::string& name() const = 0;
  /// The terms of use, told at first use.
  virtual std::string_view terms() const = 0;
  /// A text that tells apart two servers of one name.
  virtual const std::string& server() const = 0;
  /// The forecast of the next days, one run for each zone, in one question; empty if the latest run
  /// there is was issued by `newer_than`. Blocks.
  virtual Result<RunsByZone> Ahead(const std::vector<ZoneToAsk>& zones, Time now,
                                   Time newer_than) = 0;
  /// Earlier forecasts of one zone's past days, all at once or some of those that are not kept.
  /// Blocks.
  virtual Result<std::vector<forecast::WeatherRun>> Past(const ZoneToAsk& zone, Time now,
                                                         const forecast::WeatherArchive& kept) = 0;
  /// Whether Past is worth a question: by default, if less than a week is kept, or nothing of the
  /// last two days.
  virtual bool LacksPast(const forecast::WeatherArchive& kept, Time now) const {
    return kept.empty() || kept.runs().front().issued > now - std::chrono::days{7} ||
           kept.runs().back().issued < now - std::chrono::days{2};
  }
};

}  // namespace ebb::signals
