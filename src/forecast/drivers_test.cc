#include "forecast/drivers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/random.h"
#include "forecast/backtest.h"
#include "forecast/ridge_forecaster.h"
#include "forecast/series_for_test.h"

namespace ebb::forecast {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

constexpr std::size_t kLastDay = 0, kLastHours = 1, kNextHours = 2, kLater = 16;

Time HourAt(int hour) { return kBegin + hour * kOneHour; }

// A driver whose values are known when their hour begins, unless `known_of` says otherwise.
template <typename ValueOf>
Driver DriverFor(int count, ValueOf value_of, Duration known_ahead = Duration{0}) {
  Driver driver{"a driver", kBegin, {}};
  for (int hour = 0; hour < count; ++hour)
    driver.hours.push_back(DriverHour{value_of(hour), HourAt(hour) - known_ahead});
  return driver;
}

std::vector<double> InputsAt(const Driver& driver, int hour) {
  return DriverInputs({driver}, core::Publication::AtBegin()).At(HourAt(hour));
}

// Plus and minus one from day to day, so that the size of departures is known.
double ByTurns(int hour) { return hour / 24 % 2 == 0 ? 1 : -1; }

TEST(Drivers, InputsAreMeansOfDeparturesInTheirUsualSpread) {
  const int hour = 24 * 200;
  Driver driver = DriverFor(24 * 220, ByTurns, days{10});
  const std::vector<double> plain = InputsAt(driver, hour);
  ASSERT_EQ(plain.size(), kInputsPerDriver);
  for (int ahead = 1; ahead <= 3; ++ahead)
    driver.hours[static_cast<std::size_t>(hour + ahead)]->value += 6;
  const std::vector<double> raised = InputsAt(driver, hour);
  // The typical day goes to 1/27 after a +1 and to -1/27 after a -1. So a +1 lies 26/27 above the
  // typical day two days before, and departures from the day before are 28/27, a little more in the
  // first two weeks.
  EXPECT_NEAR(plain[kNextHours], 0.05 * 26 / 28, 0.0015);
  EXPECT_NEAR(raised[kNextHours] - plain[kNextHours], 6 * 0.05 * 27 / 28, 0.01);
  for (std::size_t i = 0; i < kInputsPerDriver; ++i) {
    if (i != kNextHours) {
      EXPECT_EQ(raised[i], plain[i]) << i;
    }
  }
}

// Departures are five times as large in the last 80 days, as prices were in 2021.
TEST(Drivers, WhatDriftsIsMeasuredByHowFarItLiesFromTheUsualLately) {
  const auto grown = [](int hour) { return (hour < 24 * 200 ? 1 : 5) * ByTurns(hour); };
  Driver driver = DriverFor(24 * 290, grown, days{10});
  const double megawatts = InputsAt(driver, 24 * 280)[kNextHours];
  driver.drifts = true;
  const double money = InputsAt(driver, 24 * 280)[kNextHours];
  EXPECT_NEAR(std::abs(money), 0.05 * 26 / 28, 0.005);
  EXPECT_GT(std::abs(megawatts), 1.6 * std::abs(money));
}

TEST(Drivers, WhatIsNotYetKnownIsNoInput) {
  const int hour = 24 * 200;
  Driver driver = DriverFor(24 * 220, ByTurns, hours{2});
  const std::vector<double> before = InputsAt(driver, hour);
  EXPECT_NE(before[kLastHours], 0);
  EXPECT_NE(before[kNextHours], 0);
  for (std::size_t i = 3; i < kInputsPerDriver; ++i) EXPECT_EQ(before[i], 0) << i;
  for (std::size_t later = 24 * 200 + 3; later < driver.hours.size(); ++later)
    driver.hours[later]->value = 1e6;
  EXPECT_EQ(InputsAt(driver, hour), before);
}

TEST(Drivers, WhatBecomesKnownMoreThanADayLateIsLeftOut) {
  const int hour = 24 * 200;
  Driver driver = DriverFor(24 * 220, ByTurns);
  const std::vector<double> before = InputsAt(driver, hour);
  for (std::size_t i = 0; i < driver.hours.size(); i += 24 * 14) {
    driver.hours[i]->value = 1e6;
    driver.hours[i]->known = HourAt(static_cast<int>(i) + 1) + days{1} + minutes{1};
  }
  const std::vector<double> after = InputsAt(driver, hour);
  for (std::size_t i = 0; i < kInputsPerDriver; ++i) EXPECT_NEAR(after[i], before[i], 0.01) << i;
}

TEST(Drivers, SaysNothingBeforeItsBeginAndLongAfterItsEnd) {
  const Driver driver = DriverFor(24 * 100, ByTurns);
  const std::vector<double> nothing(kInputsPerDriver);
  EXPECT_EQ(InputsAt(driver, -24 * 30), nothing);
  EXPECT_EQ(InputsAt(driver, 24 * 10), nothing);
  EXPECT_EQ(InputsAt(driver, 24 * 102), nothing);
  EXPECT_NE(InputsAt(driver, 24 * 100 - 1)[kLastDay], 0);
  EXPECT_EQ(InputsAt(driver, 24 * 100 - 1)[kLater], 0);
}

TEST(Drivers, APriceOfQuarterHoursIsTheMeanOfTheHourOnceAllAreKnown) {
  std::vector<core::PriceSample> samples;
  for (int i = 0; i < 11; ++i) {
    const Time begin = kBegin + i * minutes{15};
    samples.push_back({{begin, begin + minutes{15}}, 0.1 * i, kBegin - hours{1} + i * minutes{1}});
  }
  const auto prices = core::PriceSeries::Create({"EUR", "test"}, samples);
  const Driver driver = DriverOf(*prices);
  EXPECT_EQ(driver.begin, kBegin);
  ASSERT_EQ(driver.hours.size(), 3U);
  EXPECT_NEAR(driver.hours[0]->value, 0.15, 1e-12);
  EXPECT_EQ(driver.hours[0]->known, kBegin - hours{1} + minutes{3});
  EXPECT_NEAR(driver.hours[1]->value, 0.55, 1e-12);
  EXPECT_FALSE(driver.hours[2].has_value());
}

// Intensity follows something that its past does not show; a price shows it a day ahead.
struct World {
  std::vector<double> hidden;
  World() {
    Random random(5);
    double now = 0;
    for (int hour = 0; hour < 24 * 420; ++hour) {
      now = 0.95 * now + random.Normal();
      hidden.push_back(now);
    }
  }
  core::IntensitySeries Intensities() const {
    Random random(6);
    return Series(24 * 400, [&](int i) {
      return 400 + 60 * std::sin(2 * std::numbers::pi * i / 24) +
             20 * hidden[static_cast<std::size_t>(i)] + 5 * random.Normal();
    });
  }
  std::shared_ptr<const DriverInputs> Inputs(const Driver& driver) const {
    return std::make_shared<const DriverInputs>(std::vector<Driver>{driver},
                                                core::Publication::AtBegin());
  }
};

double ErrorOf(Forecaster& forecaster, const core::IntensitySeries& series, std::size_t from,
               std::size_t until) {
  const auto scores =
      Backtest(forecaster, series, {{kBegin + days{250}, kBegin + days{390}}, hours{13}});
  return Over(scores->by_lead, from, until).MeanAbsoluteError();
}

TEST(Drivers, AForecastLearnsWhatADriverIsGoodForAtEachLead) {
  const World world;
  const auto series = world.Intensities();
  const Driver price = DriverFor(
      24 * 420, [&](int i) { return 30 + 4 * world.hidden[static_cast<std::size_t>(i)]; },
      hours{24});
  RidgeForecaster without, with(world.Inputs(price));
  EXPECT_LT(ErrorOf(with, series, 4, 22), 0.5 * ErrorOf(without, series, 4, 22));
  // Beyond the known prices, the forecast cannot be much better.
  EXPECT_NEAR(ErrorOf(with, series, 72, 96) / ErrorOf(without, series, 72, 96), 1, 0.05);
  EXPECT_EQ(with.At(series, kBegin + days{300}, Duration{hours{24}})->method,
            "regression on the zone's own past and a driver");
}

TEST(Drivers, ADriverThatSaysNothingCostsLittle) {
  const World world;
  const auto series = world.Intensities();
  Random random(9);
  const Driver noise = DriverFor(
      24 * 420, [&](int) { return random.Normal(); }, days{5});
  RidgeForecaster without, with(world.Inputs(noise));
  EXPECT_LT(ErrorOf(with, series, 0, 96), 1.04 * ErrorOf(without, series, 0, 96));
}

TEST(Drivers, WhatBecomesKnownLaterChangesNoForecast) {
  const World world;
  const auto series = world.Intensities();
  Driver price = DriverFor(
      24 * 420, [&](int i) { return world.hidden[static_cast<std::size_t>(i)]; }, hours{24});
  const Time now = kBegin + days{300};
  RidgeForecaster as_it_was(world.Inputs(price));
  const auto before = as_it_was.At(series, now, Duration{hours{96}});
  for (auto& hour : price.hours)
    if (hour->known > now) hour->value = -1e4;
  RidgeForecaster changed(world.Inputs(price));
  EXPECT_EQ(changed.At(series, now, Duration{hours{96}})->series, before->series);
}

}  // namespace
}  // namespace ebb::forecast
