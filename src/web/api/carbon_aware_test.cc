#include "web/api/carbon_aware.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ebb::web {
namespace {

using nlohmann::json;
using std::chrono::minutes;

const Time kNow = *ParseTime("2026-03-01T12:00Z");

core::IntensitySeries Series(Time begin, const std::vector<double>& values,
                             core::SampleStatus status) {
  std::vector<core::Sample> samples;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Time at = begin + minutes{5 * static_cast<int>(i)};
    samples.push_back({{at, at + minutes{5}}, {values[i]}, status});
  }
  return *core::IntensitySeries::Create(
      {"DE", core::SignalKind::kAverage, core::Boundary::kUnknown, "test"}, samples);
}

core::SignalView View() {
  core::SignalView view;
  view.now = kNow;
  view.forecast.issued = kNow - minutes{10};
  view.forecast.series = Series(kNow, {12, 11, 10, 12, 13}, core::SampleStatus::kForecast);
  return view;
}

std::vector<double> ValuesOf(const std::vector<CarbonAwarePoint>& points) {
  std::vector<double> values;
  for (const CarbonAwarePoint& point : points) values.push_back(point.value.g_per_kwh);
  return values;
}

// A service that has just started does not know its zone yet. Its error tells clients to try again,
// unlike the error for a wrong zone.
TEST(CarbonAwareSignal, BeforeOneHasComeNoZoneIsWrong) {
  service::View view;
  view.signals.resize(1);
  EXPECT_EQ(SignalOfLocation(view, "DE").error().code, ExitCode::kTryLater);
  EXPECT_EQ(SignalOfLocation(view, "").error().code, ExitCode::kUsage);
  core::SignalView known = View();
  known.known = Series(kNow, {12}, core::SampleStatus::kMeasured);
  view.signals[0].view = std::make_shared<const core::SignalView>(known);
  EXPECT_EQ(*SignalOfLocation(view, "de"), view.signals[0].view.get());
  EXPECT_EQ(SignalOfLocation(view, "FR").error().code, ExitCode::kUsage);
}

TEST(CarbonAwareForecast, PointsAreThoseOfTheForecast) {
  const CarbonAwareForecast answer = CarbonAwareForecastOf(View(), {"DE", {}, {}, {}});
  EXPECT_EQ(ValuesOf(answer.forecast), (std::vector<double>{12, 11, 10, 12, 13}));
  EXPECT_EQ(ValuesOf(answer.optimal), (std::vector<double>{10}));
  const json read = json::parse(ToJson(answer)).at(0);
  EXPECT_EQ(read["generatedAt"], "2026-03-01T11:50:00Z");
  EXPECT_EQ(read["dataStartAt"], "2026-03-01T12:00:00Z");
  EXPECT_EQ(read["dataEndAt"], "2026-03-01T12:25:00Z");
  EXPECT_EQ(read["windowSize"], 5);
  EXPECT_EQ(read["optimalDataPoints"][0], (json{{"location", "DE"},
                                                {"timestamp", "2026-03-01T12:10:00Z"},
                                                {"duration", 5},
                                                {"value", 10}}));
}

// The example in the SDK's documentation: [12, 11, 10, 12, 13] over ten minutes.
TEST(CarbonAwareForecast, AWindowAveragesAsTheSdkDoes) {
  const CarbonAwareForecast answer = CarbonAwareForecastOf(View(), {"DE", {}, {}, minutes{10}});
  EXPECT_EQ(ValuesOf(answer.forecast), (std::vector<double>{11.5, 10.5, 11, 12.5}));
  ASSERT_EQ(answer.optimal.size(), 1u);
  EXPECT_EQ(answer.optimal[0].time.begin, kNow + minutes{5});
  EXPECT_EQ(answer.window, Duration{minutes{10}});
}

TEST(CarbonAwareForecast, BoundsLeaveOutWhatLiesBeyond) {
  CarbonAwareForecast answer =
      CarbonAwareForecastOf(View(), {"DE", kNow + minutes{10}, kNow + minutes{20}, {}});
  EXPECT_EQ(ValuesOf(answer.forecast), (std::vector<double>{10, 12}));
  answer = CarbonAwareForecastOf(View(), {"DE", {}, {}, minutes{30}});
  EXPECT_TRUE(answer.forecast.empty()) << "the window is longer than the forecast";
  answer = CarbonAwareForecastOf(View(), {"DE", kNow + minutes{60}, {}, {}});
  EXPECT_TRUE(answer.forecast.empty() && answer.optimal.empty());
  EXPECT_EQ(json::parse(ToJson(answer)).at(0).at("forecastData"), json::array());
}

TEST(CarbonAwareForecast, AllThatAreEquallyLowAreOptimal) {
  core::SignalView view = View();
  view.forecast.series = Series(kNow, {3, 2, 4, 2}, core::SampleStatus::kForecast);
  EXPECT_EQ(CarbonAwareForecastOf(view, {}).optimal.size(), 2u);
}

TEST(CarbonAwareEmissions, SayHowEachValueCameAbout) {
  const auto known = Series(kNow - minutes{20}, {1, 2, 3, 4}, core::SampleStatus::kModelled);
  const json read = json::parse(
      CarbonAwareEmissionsJson(known, {kNow - minutes{13}, kNow - minutes{5}}, "westus"));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0], (json{{"location", "westus"},
                           {"time", "2026-03-01T11:45:00Z"},
                           {"rating", 2},
                           {"duration", "00:05:00"},
                           {"status", "modelled"},
                           {"kind", "average"},
                           {"boundary", "unknown"}}));
  const auto expected = Series(kNow, {1}, core::SampleStatus::kForecast);
  EXPECT_EQ(CarbonAwareEmissionsJson(expected, {kNow, kNow + minutes{5}}, "x"), "[]");
  const auto day = core::IntensitySeries::Create(
      {}, {{{kNow, kNow + std::chrono::hours{26}}, {1}, core::SampleStatus::kMeasured}});
  EXPECT_EQ(
      json::parse(CarbonAwareEmissionsJson(*day, {kNow, kNow + minutes{1}}, ""))[0]["duration"],
      "1.02:00:00");
}

}  // namespace
}  // namespace ebb::web
