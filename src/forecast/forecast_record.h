#pragma once
// What a provider expected at several past moments: how good its forecasts are is judged by it
// (judgement.h). Values only.

#include <memory>
#include <optional>
#include <vector>

#include "core/publication.h"
#include "forecast/forecaster.h"

namespace ebb::forecast {

struct RecordedForecast {
  Time at{};           ///< when it was had
  Time known_until{};  ///< the end of the latest interval that was published by then
  std::vector<core::Sample> rows;
  friend bool operator==(const RecordedForecast&, const RecordedForecast&) = default;
};

class ForecastRecord {
 public:
  /// Far enough apart to be of different weather, and by every hour of the day.
  static constexpr Duration kBetween{std::chrono::hours{13}};
  /// What a judgement looks at, and the current week.
  static constexpr Duration kKept{std::chrono::days{36}};

  /// Takes a forecast that is later than the last one by kBetween, in order of `at`, and forgets
  /// those that are too old beside it. Whether it was taken.
  bool Add(RecordedForecast forecast);
  /// One that lies in the future, by a clock that was set back since, would keep all others away.
  void ForgetAfter(Time now);

  const std::vector<RecordedForecast>& forecasts() const { return forecasts_; }
  bool empty() const { return forecasts_.empty(); }
  /// The moments of those within `interval`, in order.
  std::vector<Time> MomentsIn(Interval interval) const;
  /// The latest by `now`; null where there is none.
  const RecordedForecast* LatestBy(Time now) const;
  /// How late values were known at these moments: the median. At their begin where the record is
  /// empty.
  core::Publication UsualPublication() const;

 private:
  std::vector<RecordedForecast> forecasts_;
};

/// "provider": at every moment the latest forecast of `record`, which is not null. Rows begin where
/// what was published by then ends.
std::unique_ptr<Forecaster> MakeRecordedForecaster(std::shared_ptr<const ForecastRecord> record);

}  // namespace ebb::forecast
