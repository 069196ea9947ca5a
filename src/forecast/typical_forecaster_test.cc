#include "forecast/typical_forecaster.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "forecast/own_forecaster.h"
#include "forecast/series_for_test.h"

namespace ebb::forecast {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

constexpr double kLevel = 300, kSwing = 60;

// A typical day that is clean at noon UTC and dirty at midnight, the same in all seasons.
double TypicalAt(std::size_t hour) {
  return kLevel + kSwing * std::cos(2 * std::numbers::pi * static_cast<double>(hour) / 24);
}

std::shared_ptr<TypicalYear> Typical(double day_to_day_sd = 40) {
  auto year = std::make_shared<TypicalYear>();
  for (auto& season : year->g_per_kwh)
    for (std::size_t hour = 0; hour < 24; ++hour) season[hour] = TypicalAt(hour);
  year->day_to_day_sd_g_per_kwh = day_to_day_sd;
  return year;
}

core::IntensitySeries OffBy(int hours_seen, double offset, core::Boundary boundary,
                            core::SignalKind kind = core::SignalKind::kAverage) {
  std::vector<core::Sample> samples;
  for (int i = 0; i < hours_seen; ++i)
    samples.push_back({{kBegin + i * kOneHour, kBegin + (i + 1) * kOneHour},
                       Intensity{TypicalAt(static_cast<std::size_t>(i % 24)) + offset}});
  return *core::IntensitySeries::Create({"Z", kind, boundary, "test"}, std::move(samples));
}

core::Forecast Expect(const core::IntensitySeries& history, double day_to_day_sd = 40) {
  TypicalForecaster forecaster(Typical(day_to_day_sd));
  return *forecaster.At(history, history.span().end - Duration{1}, hours{96});
}

// Difference between the forecast and the typical day, by hours after the end of the history.
double CorrectionAt(const core::Forecast& forecast, const core::IntensitySeries& history,
                    int lead) {
  const Time hour = history.span().end + hours{lead};
  const auto of_day = static_cast<std::size_t>((hour - kBegin) / kOneHour % 24);
  return forecast.series.At(hour)->intensity.g_per_kwh - TypicalAt(of_day);
}

TEST(TypicalForecaster, KnowsTheShapeOfTheDayFromTheFirstHour) {
  const auto history = OffBy(1, 0, core::Boundary::kLifecycle);
  const core::Forecast forecast = Expect(history);
  EXPECT_EQ(forecast.method, kTypicalMethod);
  EXPECT_NEAR(forecast.series.At(kBegin + hours{12})->intensity.g_per_kwh, kLevel - kSwing, 1);
  EXPECT_NEAR(forecast.series.At(kBegin + hours{24})->intensity.g_per_kwh, kLevel + kSwing, 1);
}

TEST(TypicalForecaster, MoreHoursSeenCorrectMoreAndCorrectionsFade) {
  double before = 0;
  for (const int seen : {1, 24, 24 * 7}) {
    const auto history = OffBy(seen, 50, core::Boundary::kLifecycle);
    const core::Forecast forecast = Expect(history);
    const double soon = CorrectionAt(forecast, history, 12);
    EXPECT_GT(soon, before) << seen;
    EXPECT_LT(soon, 50) << seen;
    EXPECT_LT(CorrectionAt(forecast, history, 84), soon) << seen;
    before = soon;
  }
  EXPECT_GT(before, 35);
}

// Direct emissions may be half of the life cycle's, so only the shape is known.
TEST(TypicalForecaster, TheLevelOfAnotherBoundaryIsTakenFromTheHoursSeen) {
  const auto direct = OffBy(1, -200, core::Boundary::kDirect);
  const auto lifecycle = OffBy(1, -200, core::Boundary::kLifecycle);
  EXPECT_LT(CorrectionAt(Expect(direct, 100), direct, 94), -180);
  EXPECT_GT(CorrectionAt(Expect(lifecycle, 100), lifecycle, 94), -165);
}

TEST(TypicalForecaster, AMarginalSignalHasNoTypicalDays) {
  const auto history = OffBy(30, 0, core::Boundary::kDirect, core::SignalKind::kMarginal);
  EXPECT_EQ(Expect(history).method, kSeasonalNaiveMethod);
}

TEST(TypicalForecaster, MissingHoursSayNothing) {
  const auto whole = Series(72, [](int i) { return TypicalAt(static_cast<std::size_t>(i % 24)); });
  const auto holed = Series(72, [](int i) {
    return i > 30 && i < 60 ? -1 : TypicalAt(static_cast<std::size_t>(i % 24));
  });
  const core::Forecast with_hole = Expect(holed), without = Expect(whole);
  for (int lead = 0; lead < 48; ++lead)
    EXPECT_NEAR(CorrectionAt(with_hole, holed, lead), CorrectionAt(without, whole, lead), 1)
        << lead;
}

TEST(TypicalForecaster, StepsWithinTheFirstHourAreFollowed) {
  const auto history = Series(
      2, [](int) { return TypicalAt(0) + 80; }, minutes{15});
  const core::Forecast forecast = Expect(history);
  EXPECT_EQ(forecast.series.samples().front().interval.length(), minutes{15});
  EXPECT_GT(forecast.series.samples().front().intensity.g_per_kwh, TypicalAt(0) + 50);
  EXPECT_NEAR(forecast.series.At(kBegin + hours{24})->intensity.g_per_kwh, TypicalAt(0), 5);
}

TEST(TypicalForecaster, NothingIsSaidOfAnEmptyHistory) {
  TypicalForecaster forecaster(Typical());
  EXPECT_TRUE(forecaster.At({}, kBegin, hours{24})->series.empty());
}

// The forecast with nothing but the past, and those with drivers or weather, all begin with typical
// days.
TEST(TypicalForecaster, TheOwnForecastBeginsWithTypicalDaysAndGoesOnWithTheRegression) {
  const auto history = OffBy(24 * 120, 30, core::Boundary::kLifecycle);
  const auto own = MakeOwnForecaster({std::make_shared<const WeatherArchive>(), {}, Typical()},
                                     core::Publication::AtBegin());
  const auto method_at = [&](Duration seen) {
    return own->At(history, kBegin + seen, hours{24})->method;
  };
  EXPECT_EQ(method_at(hours{3}), kTypicalMethod);
  EXPECT_EQ(method_at(days{20}), kTypicalMethod);
  EXPECT_TRUE(method_at(days{118}).starts_with("regression")) << method_at(days{118});
}

TEST(TypicalForecaster, WithoutTypicalDaysNothingChanges) {
  EXPECT_EQ(MakeEarlyForecaster(nullptr)->name(), kSeasonalNaive);
  EXPECT_EQ(MakePlainForecaster(nullptr)->name(), kRidge);
}

TEST(TypicalYear, GoesOverFromSeasonToSeason) {
  TypicalYear year;
  for (std::size_t season = 0; season < kSeasons; ++season)
    year.g_per_kwh[season].fill(100.0 * static_cast<double>(season));
  EXPECT_NEAR(year.At(*ParseTime("2024-01-15T12:00Z")), 0, 2);
  EXPECT_NEAR(year.At(*ParseTime("2024-04-15T12:00Z")), 100, 2);
  EXPECT_NEAR(year.At(*ParseTime("2024-06-01T12:00Z")), 150, 3);
  EXPECT_NEAR(year.At(*ParseTime("2024-12-31T23:00Z")), 50, 6);
  EXPECT_NEAR(year.At(*ParseTime("2025-01-01T01:00Z")), 50, 7);
}

TEST(TypicalYear, HoursAreThoseOfTheLocalDay) {
  TypicalYear year;
  for (auto& season : year.g_per_kwh)
    for (std::size_t hour = 0; hour < 24; ++hour) season[hour] = static_cast<double>(hour);
  year.utc_offset = minutes{330};
  EXPECT_DOUBLE_EQ(year.At(*ParseTime("2024-05-01T06:30Z")), 12);
  EXPECT_DOUBLE_EQ(year.At(*ParseTime("2024-05-01T07:00Z")), 12.5);
  EXPECT_DOUBLE_EQ(year.DayMean(*ParseTime("2024-05-01T07:00Z")), 11.5);
}

}  // namespace
}  // namespace ebb::forecast
