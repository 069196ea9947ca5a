#include "signals/providers/energy_charts_intensity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/http/scripted_http_for_test.h"

namespace ebb::signals {
namespace {

using core::SampleStatus;
using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Time kNoon = *ParseTime("2026-05-06T12:00Z");

// The layout of /co2eq: at most one of the two lists has a value; what is known ends, and what is
// expected begins, some quarters before now.
constexpr const char* kAnswer = R"({
    "unix_seconds": [1778065200, 1778066100, 1778067000, 1778067900, 1778068800, 1778069700, 1778070600],
    "co2eq": [310.4, 305.1, null, 300.2, null, null, null],
    "co2eq_forecast": [null, null, null, null, 290.5, 280.5, 270.5],
    "deprecated": false})";

TEST(EnergyChartsIntensity, MeasuredThenExpectedAndNullIsAGap) {
  const auto payload = ParseEnergyChartsIntensity(kAnswer, "x");
  ASSERT_TRUE(payload) << payload.error().Message();
  ASSERT_EQ(payload->samples.size(), 6u);
  EXPECT_EQ(payload->samples[0].interval,
            (Interval{*ParseTime("2026-05-06T11:00Z"), *ParseTime("2026-05-06T11:15Z")}));
  EXPECT_EQ(payload->samples[1].interval.end, *ParseTime("2026-05-06T11:30Z"))
      << "a gap is not covered by the value before it";
  EXPECT_EQ(payload->samples[2].interval.begin, *ParseTime("2026-05-06T11:45Z"));
  EXPECT_EQ(payload->samples[2].status, SampleStatus::kMeasured);
  EXPECT_EQ(payload->samples[3].status, SampleStatus::kForecast);
  EXPECT_EQ(payload->samples[3].intensity.g_per_kwh, 290.5);
  EXPECT_EQ(payload->kind, core::SignalKind::kAverage);
}

TEST(EnergyChartsIntensity, AMeasuredValueIsPreferredToAnExpectedOne) {
  const auto payload = ParseEnergyChartsIntensity(
      R"({"unix_seconds": [1778065200, 1778066100], "co2eq": [310, 300], "co2eq_forecast": [1, 2]})",
      "x");
  ASSERT_TRUE(payload);
  EXPECT_EQ(payload->samples[1].intensity.g_per_kwh, 300);
  EXPECT_TRUE(ParseEnergyChartsIntensity(R"({"unix_seconds": [1], "co2eq": [3]})", "x"))
      << "a past without a forecast";
}

TEST(EnergyChartsIntensity, WhatIsNoSuchAnswerIsRefused) {
  for (const char* body :
       {"", "null", "[]", "{}", "<html></html>", R"({"unix_seconds": [1], "co2eq": [3)",
        R"({"unix_seconds": [1]})", R"({"unix_seconds": [1, 2], "co2eq": [3]})",
        R"({"unix_seconds": [1], "co2eq": [3], "co2eq_forecast": []})",
        R"({"unix_seconds": [900, 0], "co2eq": [3, 4]})",
        R"({"unix_seconds": [0, 0], "co2eq": [3, 4]})", R"({"unix_seconds": ["a"], "co2eq": [3]})",
        R"({"unix_seconds": [1], "co2eq": ["3"]})", R"({"unix_seconds": [1], "co2eq": [-3]})",
        R"({"unix_seconds": [1], "co2eq": [30000]})"}) {
    const auto payload = ParseEnergyChartsIntensity(body, "https://x/y");
    ASSERT_FALSE(payload) << body;
    EXPECT_EQ(payload.error().where, "https://x/y");
  }
}

TEST(EnergyChartsIntensity, OneQuestionReachesBackFarEnoughForLateValuesAndTwoDaysAhead) {
  ScriptedHttp http;
  http.Say("/co2eq", kAnswer);
  const auto provider = MakeEnergyChartsIntensity({"https://ec.example", "DE", "de"}, http.Get());
  const auto reading = provider->Read({kNoon + minutes{7}, hours{48}, kNoon, true});
  ASSERT_TRUE(reading) << reading.error().Message();
  ASSERT_EQ(reading->known.size(), 4u);
  EXPECT_EQ(reading->known[3].status, SampleStatus::kEstimated) << "expected, and it runs";
  ASSERT_EQ(reading->forecast.size(), 2u);
  EXPECT_EQ(reading->forecast[0].interval.begin, kNoon + minutes{15});
  ASSERT_EQ(http.requests.size(), 1u);
  EXPECT_EQ(
      http.requests[0].url,
      "https://ec.example/co2eq?country=de&start=2026-05-06T06:00:00Z&end=2026-05-08T12:00:00Z");
}

TEST(EnergyChartsIntensity, AFirstQuestionFetchesTwoWeeks) {
  ScriptedHttp http;
  http.Say("/co2eq", kAnswer);
  const auto provider = MakeEnergyChartsIntensity({"https://ec.example", "DE", "de"}, http.Get());
  ASSERT_TRUE(provider->Read({kNoon, hours{48}, {}, true}));
  EXPECT_THAT(http.requests[0].url, HasSubstr("start=2026-04-22T12:00:00Z"));
  ASSERT_TRUE(provider->Read({kNoon, hours{48}, kNoon - days{400}, true}));
  EXPECT_THAT(http.requests[1].url, HasSubstr("start=2026-01-26T12:00:00Z"));
}

TEST(EnergyChartsIntensity, ACountryWithoutValuesAndAClockThatIsWrongAreErrors) {
  ScriptedHttp http;
  http.Say("/co2eq",
           R"({"unix_seconds": [1778065200], "co2eq": [null], "co2eq_forecast": [null]})");
  const auto provider = MakeEnergyChartsIntensity({"https://ec.example", "MT", "mt"}, http.Get());
  const auto none = provider->Read({kNoon, hours{48}, kNoon, true});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().what, HasSubstr("no values of MT"));
  ScriptedHttp ahead;
  ahead.Say("/co2eq", kAnswer);
  const auto late = MakeEnergyChartsIntensity({"https://ec.example", "DE", "de"}, ahead.Get());
  EXPECT_THAT(late->Read({kNoon - hours{2}, hours{48}, kNoon - hours{3}, true}).error().next,
              HasSubstr("clock"));
}

TEST(EnergyChartsIntensity, ZonesThatAreAWholeCountry) {
  EXPECT_EQ(EnergyChartsCountry("DE"), "de");
  EXPECT_EQ(EnergyChartsCountry("GB"), "uk");
  EXPECT_EQ(EnergyChartsCountry("GB-NIR"), "nie");
  for (const char* zone : {"", "de", "DK-DK1", "IT-NO", "US-CAL-CISO", "JP", "GB-13"})
    EXPECT_EQ(EnergyChartsCountry(zone), std::nullopt) << zone;
}

}  // namespace
}  // namespace ebb::signals
