#pragma once
// A record of a provider's forecasts at several past moments, by which they are judged
// (judgement.h). Values only.

#include <memory>
#include <optional>
#include <vector>

#include "core/signal/publication.h"
#include "forecast/forecaster.h"

namespace ebb::forecast {

struct RecordedForecast {
  Time at{};           ///< when Ebb received the forecast
  Time known_until{};  ///< end of the latest interval published by then
  std::vector<core::Sample> rows;
  friend bool operator==(const RecordedForecast&, const RecordedForecast&) = default;
};

class ForecastRecord {
 public:
  /// Time between two recorded forecasts: long enough for different weather, and it reaches every
  /// hour of the day.
  static constexpr Duration kBetween{std::chrono::hours{13}};
  /// Time that a record reaches back: the weeks that a judgement looks at, and the current week.
  static constexpr Duration kKept{std::chrono::days{36}};

  /// Adds a forecast if it is later than the last one by at least kBetween, in order of `at`, and
  /// removes forecasts that are too old. Returns true if it was added.
  bool Add(RecordedForecast forecast);
  /// Removes forecasts after `now`. Such a forecast, from before the clock was set back, would keep
  /// all others out.
  void ForgetAfter(Time now);

  const std::vector<RecordedForecast>& forecasts() const { return forecasts_; }
  bool empty() const { return forecasts_.empty(); }
  /// The moments of the recorded forecasts within `interval`, in order.
  std::vector<Time> MomentsIn(Interval interval) const;
  /// The latest forecast by `now`; nullptr if there is none.
  const RecordedForecast* LatestBy(Time now) const;
  /// The usual publication at these moments, by the median of the delays; AtBegin if the record is
  /// empty.
  core::Publication UsualPublication() const;

 private:
  std::vector<RecordedForecast> forecasts_;
};

/// The forecaster "provider": at every moment it gives the latest forecast of `record`, which must
/// not be null. Its rows begin at the end of the values published by then.
std::unique_ptr<Forecaster> MakeRecordedForecaster(std::shared_ptr<const ForecastRecord> record);

}  // namespace ebb::forecast
