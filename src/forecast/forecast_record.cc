#include "forecast/forecast_record.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace ebb::forecast {
namespace {

constexpr const char* kMethod = "the provider's";

class RecordedForecaster final : public Forecaster {
 public:
  explicit RecordedForecaster(std::shared_ptr<const ForecastRecord> record)
      : record_(std::move(record)) {}

  std::string_view name() const override { return "provider"; }

  Result<core::Forecast> At(const core::IntensitySeries& history, Time now,
                            Duration horizon) override {
    core::Forecast forecast{now, kMethod, {}, {}, {}};
    std::vector<core::Sample> rows;
    if (const RecordedForecast* latest = record_->LatestBy(now)) {
      forecast.issued = latest->at;
      for (const core::Sample& row : latest->rows)
        if (row.interval.begin >= latest->known_until && row.interval.end <= now + horizon)
          rows.push_back(row);
    }
    EBB_ASSIGN_OR_RETURN(forecast.series,
                         core::IntensitySeries::Create(history.identity(), std::move(rows)));
    return forecast;
  }

 private:
  std::shared_ptr<const ForecastRecord> record_;
};

}  // namespace

bool ForecastRecord::Add(RecordedForecast forecast) {
  if (forecast.rows.empty()) return false;
  if (!empty() && forecast.at < forecasts_.back().at + kBetween) return false;
  const Time oldest = forecast.at - kKept;
  std::erase_if(forecasts_, [&](const RecordedForecast& kept) { return kept.at < oldest; });
  forecasts_.push_back(std::move(forecast));
  return true;
}

void ForecastRecord::ForgetAfter(Time now) {
  std::erase_if(forecasts_, [&](const RecordedForecast& kept) { return kept.at > now; });
}

std::vector<Time> ForecastRecord::MomentsIn(Interval interval) const {
  std::vector<Time> moments;
  for (const RecordedForecast& forecast : forecasts_)
    if (interval.contains(forecast.at)) moments.push_back(forecast.at);
  return moments;
}

const RecordedForecast* ForecastRecord::LatestBy(Time now) const {
  const auto next = std::upper_bound(
      forecasts_.begin(), forecasts_.end(), now,
      [](Time time, const RecordedForecast& forecast) { return time < forecast.at; });
  return next == forecasts_.begin() ? nullptr : &*(next - 1);
}

core::Publication ForecastRecord::UsualPublication() const {
  std::vector<Duration> lags;
  for (const RecordedForecast& forecast : forecasts_)
    lags.push_back(forecast.at - forecast.known_until);
  if (lags.empty()) return core::Publication::AtBegin();
  const auto middle = lags.begin() + static_cast<std::ptrdiff_t>(lags.size() / 2);
  std::nth_element(lags.begin(), middle, lags.end());
  return *middle < Duration::zero() ? core::Publication::AtBegin()
                                    : core::Publication::AfterEnd(*middle);
}

std::unique_ptr<Forecaster> MakeRecordedForecaster(std::shared_ptr<const ForecastRecord> record) {
  EBB_CHECK(record);
  return std::make_unique<RecordedForecaster>(std::move(record));
}

}  // namespace ebb::forecast
