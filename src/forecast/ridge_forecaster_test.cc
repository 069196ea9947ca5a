#include "forecast/ridge_forecaster.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/random.h"
#include "forecast/backtest.h"
#include "forecast/series_for_test.h"

namespace ebb::forecast {
namespace {

using std::chrono::days;
using std::chrono::hours;

core::IntensitySeries AutoregressiveNoise(int hour_count, double kept) {
  Random random(17);
  double noise = 0;
  return Series(hour_count, [&](int i) {
    noise = kept * noise + 8 * random.Normal();
    return 400 + 60 * std::sin(2 * std::numbers::pi * i / 24) + noise;
  });
}

TEST(RidgeForecaster, GoesFromConstantOverNaiveToRegressionAsTheHistoryGrows) {
  const auto history = AutoregressiveNoise(24 * 150, 0.9);
  RidgeForecaster forecaster;
  const auto method = [&](Duration after) {
    return forecaster.At(history, kBegin + after, Duration{hours{24}})->method;
  };
  EXPECT_EQ(forecaster.At(history, kBegin, Duration{hours{12}})->method, kConstantMethod);
  EXPECT_EQ(method(days{3}), kSeasonalNaiveMethod);
  EXPECT_EQ(method(days{65}), kSeasonalNaiveMethod);
  EXPECT_EQ(method(days{100}), kRidgeMethod);
}

TEST(RidgeForecaster, TheBandHoldsFourFifthsOfWhatComes) {
  const auto history = AutoregressiveNoise(24 * 500, 0.9);
  RidgeForecaster forecaster;
  const auto scores =
      Backtest(forecaster, history, {{kBegin + days{150}, kBegin + days{495}}, hours{7}});
  ASSERT_TRUE(scores);
  EXPECT_NEAR(DayAhead(scores->by_lead).Coverage(), 0.8, 0.03);
  EXPECT_NEAR(Over(scores->by_lead, 48, 96).Coverage(), 0.8, 0.03);
  EXPECT_EQ(DayAhead(scores->by_lead).banded_rows, DayAhead(scores->by_lead).rows);
}

// The best possible forecast of AR(1) noise is known: kept^lead times the current deviation.
TEST(RidgeForecaster, ComesCloseToTheBestPossibleForecastOfAutoregressiveNoise) {
  const double kept = 0.9;
  const auto history = AutoregressiveNoise(24 * 500, kept);
  RidgeForecaster forecaster;
  const auto scores =
      Backtest(forecaster, history, {{kBegin + days{300}, kBegin + days{495}}, hours{7}});
  ASSERT_TRUE(scores);
  for (const std::size_t lead : {1u, 3u, 12u, 40u}) {
    const double variance =
        64 * (1 - std::pow(kept, 2.0 * static_cast<double>(lead))) / (1 - kept * kept);
    const double best = std::sqrt(2 * variance / std::numbers::pi);
    EXPECT_LT(scores->by_lead[lead].MeanAbsoluteError(), 1.15 * best) << lead;
    EXPECT_GT(scores->by_lead[lead].MeanAbsoluteError(), 0.85 * best) << lead;
  }
}

TEST(RidgeForecaster, TheMedianLiesInItsBand) {
  const auto history = AutoregressiveNoise(24 * 200, 0.97);
  RidgeForecaster forecaster;
  const auto forecast = forecaster.At(history, kBegin + days{199}, Duration{hours{150}});
  ASSERT_EQ(forecast->p10.samples().size(), forecast->series.samples().size());
  for (std::size_t i = 0; i < forecast->series.samples().size(); ++i) {
    EXPECT_LE(forecast->p10.samples()[i].intensity, forecast->series.samples()[i].intensity);
    EXPECT_GE(forecast->p90.samples()[i].intensity, forecast->series.samples()[i].intensity);
    EXPECT_EQ(forecast->p90.samples()[i].interval, forecast->series.samples()[i].interval);
  }
}

TEST(RidgeForecaster, LearnsThatWeekendsDiffer) {
  const auto value = [](int i) { return i / 24 % 7 >= 5 ? 200.0 : 300.0; };
  const auto history = Series(24 * 400, value);
  RidgeForecaster forecaster;
  // Day 0 is a Monday; 392 = 56 weeks. The forecast reaches from Thursday evening over the weekend
  // to Monday.
  const auto forecast =
      forecaster.At(history, kBegin + days{392 + 3} + hours{20}, Duration{hours{96}});
  // Neighbouring hours share their fits, so the forecast softens midnight, but not the day as a
  // whole.
  for (int day = 396; day < 399; ++day) {
    const Interval noon{kBegin + days{day} + hours{6}, kBegin + days{day} + hours{18}};
    EXPECT_NEAR(forecast->series.Mean(noon)->intensity.g_per_kwh, value(24 * day), 15) << day;
  }
}

TEST(RidgeForecaster, StepsLongerThanAnHourKeepTheirStep) {
  const auto history = Series(
      8 * 200, [](int i) { return 100.0 + i % 8; }, Duration{hours{3}});
  RidgeForecaster forecaster;
  const auto forecast = forecaster.At(history, kBegin + days{150}, Duration{hours{96}});
  EXPECT_EQ(forecast->method, kRidgeMethod);
  for (const core::Sample& sample : forecast->series.samples())
    EXPECT_NEAR(sample.intensity.g_per_kwh,
                100 + Hours(sample.interval.begin - kBegin) / 3 -
                    8 * std::floor(Hours(sample.interval.begin - kBegin) / 24),
                1e-6);
}

}  // namespace
}  // namespace ebb::forecast
