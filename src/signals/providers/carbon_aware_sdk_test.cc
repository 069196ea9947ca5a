#include "signals/providers/carbon_aware_sdk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/http/scripted_http_for_test.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;

const Time kBegin = *ParseTime("2022-03-01T15:30Z");
constexpr const char* kEmissions = R"([
    {"location":"westus","time":"2022-03-01T15:30:00+00:00","rating":359.23,"duration":"00:05:00"},
    {"location":"westus","time":"2022-03-01T15:35:00+00:00","rating":350,"duration":"00:05:00"}])";
constexpr const char* kForecast = R"([{"generatedAt":"2022-03-01T15:30:00+00:00",
    "requestedAt":"2022-03-01T15:36:00+00:00","location":"westus",
    "dataStartAt":"2022-03-01T15:40:00Z","dataEndAt":"2022-03-01T15:50:00Z","windowSize":5,
    "optimalDataPoints":[{"location":"westus","timestamp":"2022-03-01T15:45:00Z","duration":5,"value":300}],
    "forecastData":[
      {"location":"westus","timestamp":"2022-03-01T15:40:00+00:00","duration":5,"value":340.5},
      {"location":"westus","timestamp":"2022-03-01T15:45:00+00:00","duration":5,"value":300}]}])";

TEST(CarbonAwareSdkPayload, EmissionsCarryTheirDuration) {
  const auto payload = ParseCarbonAwareSdkEmissions(kEmissions, "x");
  ASSERT_TRUE(payload) << payload.error().Message();
  ASSERT_EQ(payload->samples.size(), 2u);
  EXPECT_EQ(payload->samples[0].interval, (Interval{kBegin, kBegin + minutes{5}}));
  EXPECT_EQ(payload->samples[0].intensity.g_per_kwh, 359.23);
  const auto long_ones = ParseCarbonAwareSdkEmissions(
      R"([{"time":"2022-03-01T15:30Z","rating":1,"duration":"1.08:00:00.5"}])", "x");
  EXPECT_EQ(long_ones->samples[0].interval.length(), Duration{hours{32}});
}

TEST(CarbonAwareSdkPayload, AForecastIsRowsOfMinutes) {
  const auto payload = ParseCarbonAwareSdkForecast(kForecast, "x");
  ASSERT_TRUE(payload) << payload.error().Message();
  ASSERT_EQ(payload->samples.size(), 2u);
  EXPECT_EQ(payload->samples[1].interval.length(), Duration{minutes{5}});
  EXPECT_EQ(payload->issued, kBegin);
}

TEST(CarbonAwareSdkPayload, RefusesWhatItDoesNotKnow) {
  for (const char* body :
       {"", "{}", "[1]", R"([{"time":"x","rating":1}])", R"([{"time":"2022-03-01","rating":"1"}])",
        R"([{"time":"2022-03-01","rating":-1}])"}) {
    EXPECT_FALSE(ParseCarbonAwareSdkEmissions(body, "x")) << body;
    EXPECT_FALSE(ParseCarbonAwareSdkForecast(body, "x")) << body;
  }
}

TEST(CarbonAwareSdk, ReadsNowAndAheadAndServesWithoutAForecast) {
  ScriptedHttp http;
  http.Say("/emissions/bylocation?location=westus", kEmissions);
  http.Say("/emissions/forecasts/current?location=westus", kForecast);
  const auto provider = MakeCarbonAwareSdk({"https://sdk.example", "westus", ""}, http.Get());
  const Question question{kBegin + minutes{6}, hours{24}, kBegin, true};
  const auto reading = provider->Read(question);
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(reading->known.size(), 2u);
  EXPECT_EQ(reading->forecast.size(), 2u);
  http.answers["/emissions/forecasts/current?location=westus"].clear();
  http.Say("/emissions/forecasts/current?location=westus", "{}", 501);
  const auto without = provider->Read(question);
  ASSERT_TRUE(without);
  EXPECT_THAT(without->forecast_failure->Message(), HasSubstr("501"));
}

// The server has Electricity Maps behind it, which gives a day of history.
TEST(CarbonAwareSdk, AsksForLessWhereThatMuchIsRefused) {
  const Time now = kBegin + minutes{6};
  ScriptedHttp http;
  http.Say("/emissions/bylocation?location=westus&time=2022-02-28T15:36", kEmissions);
  http.Say("location=westus", R"({"title":"ArgumentException"})", 400);
  const auto provider = MakeCarbonAwareSdk({"https://sdk.example", "westus", ""}, http.Get());
  for (const std::size_t asked : {3u, 4u}) {
    const auto reading = provider->Read({now, hours{24}, Time{}, false});
    ASSERT_TRUE(reading) << reading.error().Message();
    EXPECT_EQ(reading->known.size(), 2u);
    EXPECT_EQ(http.requests.size(), asked) << "what it takes is remembered";
  }
}

TEST(CarbonAwareSdk, WhatIsRefusedWhateverTheSpanIsAnErrorAndNotRemembered) {
  ScriptedHttp http;
  http.Say("/emissions/bylocation", "{}", 500);
  const auto provider = MakeCarbonAwareSdk({"https://sdk.example", "westus", ""}, http.Get());
  const Question question{kBegin, hours{24}, Time{}, false};
  EXPECT_THAT(provider->Read(question).error().Message(), HasSubstr("500"));
  const std::size_t asked = http.requests.size();
  EXPECT_FALSE(provider->Read(question));
  EXPECT_EQ(http.requests[asked].url, http.requests[0].url);
  http.answers["/emissions/bylocation"] = {{403, "{}"}};
  EXPECT_THAT(provider->Read(question).error().next, HasSubstr("key"));
}

TEST(CarbonAwareSdk, AServerThatSaysItsKindIsNotTakenForTheOther) {
  ScriptedHttp http;
  http.Say("/emissions/bylocation", R"([{"time":"2022-03-01T15:30Z","rating":1,
      "duration":"00:05:00","kind":"marginal","boundary":"direct"}])");
  const Question question{kBegin, hours{24}, kBegin, false};
  const auto wrong = MakeCarbonAwareSdk({"https://sdk.example", "westus", ""}, http.Get());
  EXPECT_THAT(wrong->Read(question).error().next, HasSubstr("--signal-kind marginal"));
  const auto right = MakeCarbonAwareSdk(
      {"https://sdk.example", "westus", "", core::SignalKind::kMarginal}, http.Get());
  const auto reading = right->Read(question);
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(reading->boundary, core::Boundary::kDirect);
}

TEST(CarbonAwareSdk, NoContentIsNoFailure) {
  ScriptedHttp http;
  http.Say("/emissions/", "", 204);
  const auto provider = MakeCarbonAwareSdk({"https://sdk.example", "westus", ""}, http.Get());
  const auto reading = provider->Read({kBegin, hours{24}, kBegin, true});
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_TRUE(reading->known.empty());
  EXPECT_FALSE(reading->forecast_failure);
}

}  // namespace
}  // namespace ebb::signals
