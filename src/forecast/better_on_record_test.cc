#include "forecast/better_on_record.h"

#include <gtest/gtest.h>

#include "forecast/rows.h"
#include "forecast/series_for_test.h"

namespace ebb::forecast {
namespace {

using std::chrono::days;
using std::chrono::hours;

// A forecaster that gives 200 plus an offset, for a limited number of hours.
class Fixed : public Forecaster {
 public:
  Fixed(const char* method, double value, int reach_hours)
      : method_(method), value_(value), reach_(hours{reach_hours}) {}
  std::string_view name() const override { return method_; }
  Result<core::Forecast> At(const core::IntensitySeries& history, Time now,
                            Duration horizon) override {
    const auto rows = RowsAhead(KnownBy(history, now), now, std::min(horizon, reach_));
    const std::vector<double> values(rows.size(), value_);
    return core::Forecast{now, method_, ForecastSeries(history.identity(), rows, values), {}, {}};
  }

 private:
  const char* method_;
  double value_;
  Duration reach_;
};

core::Forecast Choose(double provider, double own, Duration history_length, int reach_hours = 96) {
  const auto history = Series(24 * 100, [](int) { return 200.0; });
  BetterOnRecord better(std::make_unique<Fixed>("provider", provider, reach_hours),
                        std::make_unique<Fixed>("own", own, 500));
  return better.At(history, kBegin + history_length, Duration{hours{96}}).value();
}

TEST(BetterOnRecord, TakesWhoseErrorsWereSmaller) {
  EXPECT_EQ(Choose(210, 220, days{60}).method, "provider");
  EXPECT_EQ(Choose(230, 220, days{60}).method, "own");
}

TEST(BetterOnRecord, WithoutARecordTheProviderIsBelieved) {
  EXPECT_EQ(Choose(230, 220, days{1}).method, "provider");
}

TEST(BetterOnRecord, BeyondTheProviderTheOwnForecastGoesOn) {
  const core::Forecast forecast = Choose(210, 220, days{60}, 30);
  EXPECT_EQ(forecast.method, "provider, beyond it own");
  EXPECT_EQ(forecast.series.At(kBegin + days{60} + hours{20})->intensity.g_per_kwh, 210);
  EXPECT_EQ(forecast.series.At(kBegin + days{60} + hours{40})->intensity.g_per_kwh, 220);
  EXPECT_EQ(forecast.series.span(), (Interval{kBegin + days{60} + hours{1}, kBegin + days{64}}));
}

TEST(BetterOnRecord, WhatComesLaterIsNoPartOfTheRecord) {
  const Time now = kBegin + days{61};
  const auto series = [&](double later) {
    return Series(24 * 100, [&](int i) { return kBegin + i * kOneHour <= now ? 200.0 : later; });
  };
  BetterOnRecord better(std::make_unique<Fixed>("provider", 230, 96),
                        std::make_unique<Fixed>("own", 220, 500));
  EXPECT_EQ(better.At(series(230), now, Duration{hours{24}})->method, "own");
  EXPECT_EQ(better.At(series(220), now, Duration{hours{24}})->method, "own");
}

}  // namespace
}  // namespace ebb::forecast
