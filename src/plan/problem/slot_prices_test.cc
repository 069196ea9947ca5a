#include "plan/problem/slot_prices.h"

#include <gtest/gtest.h>

#include "plan/hourly_for_test.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::Hourly;

const Time kNow = *ParseTime("2023-05-01T12:20");
const Time kHour = *ParseTime("2023-05-01T12:00");

struct OneSite {
  core::Cluster cluster{{{"home", "Z", {1.0}}}, {{"gpu", 0, 1, 1, 1, {}}}};
  core::SignalView view;
  SiteView site;

  PriceCurve Curve(Duration ahead, const PriceOptions& options = {}) {
    view.now = kNow;
    site = {&view, kHour + hours{1}};
    const Problem problem{kNow, &cluster, {}, {&site, 1}};
    return MakePrices(problem, kNow + ahead, minutes{5}, options).front();
  }
};

TEST(SlotPrices, AreTheKnownHourAndThenTheForecast) {
  OneSite one;
  one.view.known = Hourly(kHour, {500});
  one.view.forecast.series = Hourly(kHour + hours{1}, {300, 200});
  const PriceCurve curve = one.Curve(hours{2});
  EXPECT_EQ(curve.step(), hours{1});
  EXPECT_EQ(curve.begin(), kHour);
  EXPECT_EQ(curve.PriceOf(0), 500);
  EXPECT_EQ(curve.PriceOf(1), 300);
  EXPECT_NEAR(curve.Integral(kNow, kHour + minutes{90}), 500 * 40 / 60.0 + 300 * 0.5, 1e-9);
}

TEST(SlotPrices, BeyondTheForecastItsLastDayRepeats) {
  OneSite one;
  one.view.known = Hourly(kHour, {24});
  std::vector<double> day;
  for (int i = 1; i <= 30; ++i) day.push_back(i);
  one.view.forecast.series = Hourly(kHour + hours{1}, day);
  const PriceCurve curve = one.Curve(hours{60});
  EXPECT_EQ(curve.PriceOf(30), 30);
  EXPECT_EQ(curve.PriceOf(31), 7);
  EXPECT_EQ(curve.PriceOf(55), 7);
}

TEST(SlotPrices, AMissingValueIsTheOneADayEarlierOrTheLastOneKnown) {
  OneSite one;
  one.view.known = Hourly(kHour - hours{24}, std::vector<double>(10, 111));
  std::vector<core::Sample> samples = Hourly(kHour + hours{1}, {300, 200, 250}).samples();
  samples.erase(samples.begin() + 1);
  one.view.forecast.series = *core::IntensitySeries::Create({}, samples);
  const PriceCurve curve = one.Curve(hours{3});
  EXPECT_EQ(curve.PriceOf(0), 111);  // no current value: the value of yesterday counts
  EXPECT_EQ(curve.PriceOf(2), 111);
  EXPECT_EQ(curve.PriceOf(3), 250);
}

TEST(SlotPrices, WithoutAForecastAreFlat) {
  OneSite one;
  one.view.known = Hourly(kHour - hours{2}, {100, 200, 300});
  const PriceCurve curve = one.Curve(hours{5});
  for (std::size_t i = 0; i < curve.size(); ++i) EXPECT_EQ(curve.PriceOf(i), 300);
}

TEST(SlotPrices, AQuantileLiesBetweenTheBands) {
  OneSite one;
  one.view.known = Hourly(kHour, {500});
  one.view.forecast.series = Hourly(kHour + hours{1}, {200, 200});
  one.view.forecast.p10 = Hourly(kHour + hours{1}, {100, 100});
  one.view.forecast.p90 = Hourly(kHour + hours{1}, {280, 280});
  PriceOptions options;
  for (const auto& [risk, price] :
       {std::pair{0.1, 100.0}, {0.3, 150.0}, {0.5, 200.0}, {0.7, 240.0}, {0.9, 280.0}}) {
    options.risk = risk;
    EXPECT_NEAR(one.Curve(hours{2}, options).PriceOf(1), price, 1e-9);
  }
}

TEST(SlotPrices, ADearSiteStaysDearBesideACheapOne) {
  const core::Cluster cluster{{{"a", "A", {1.0}}, {"b", "B", {1.0}}},
                              {{"gpu", 0, 1, 1, 1, {}}, {"gpu", 1, 1, 1, 1, {}}}};
  core::SignalView view;
  view.now = kHour;
  view.known = Hourly(kHour, {200});
  view.forecast.series = Hourly(kHour + hours{1}, {200});
  const std::vector<SiteView> sites{{&view, kHour + hours{1}}, {&view, kHour + hours{1}}};
  const auto flat = [](double per_kwh) {
    return std::make_shared<core::PriceSeries>(
        *core::PriceSeries::Create({"EUR", "test"}, {{{kHour, kHour + hours{2}}, per_kwh}}));
  };
  PriceOptions options;
  options.tariff_weight = 0.5;
  options.tariffs = {flat(0.3), flat(0.1)};
  const Problem problem{kHour, &cluster, {}, sites};
  const auto curves = MakePrices(problem, kHour + hours{2}, minutes{30}, options);
  // Mean price 0.2: 0.5 x 200 + 0.5 x 200 x 1.5, and x 0.5.
  EXPECT_NEAR(curves[0].Integral(kHour, kHour + hours{1}), 250, 1e-9);
  EXPECT_NEAR(curves[1].Integral(kHour, kHour + hours{1}), 150, 1e-9);
}

TEST(SlotPrices, APriceThatChangesAtHalfPastIsNotSmearedOverItsHour) {
  OneSite one;
  one.view.known = Hourly(kHour, {200});
  one.view.forecast.series = Hourly(kHour + hours{1}, {200, 200});
  PriceOptions options;
  options.tariff_weight = 1;
  options.tariffs = {std::make_shared<core::PriceSeries>(*core::PriceSeries::Create(
      {"EUR", "test"},
      {{{kHour, kHour + minutes{90}}, 0.3}, {{kHour + minutes{90}, kHour + hours{3}}, 0.1}}))};
  const PriceCurve curve = one.Curve(hours{2}, options);
  EXPECT_EQ(curve.step(), minutes{30});
  EXPECT_NEAR(curve.PriceOf(2) / curve.PriceOf(3), 3, 1e-9);
}

}  // namespace
}  // namespace ebb::plan
