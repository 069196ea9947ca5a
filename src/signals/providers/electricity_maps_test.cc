#include "signals/providers/electricity_maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/http/scripted_http_for_test.h"

namespace ebb::signals {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const Time kNoon = *ParseTime("2025-01-15T12:00Z");
constexpr const char* kLatest =
    R"({"zone":"DE","carbonIntensity":322,"datetime":"2025-01-15T12:00:00.000Z",
        "updatedAt":"2025-01-15T12:10:00.000Z","createdAt":"2025-01-12T12:10:00.000Z",
        "emissionFactorType":"lifecycle","isEstimated":true,"estimationMethod":"TIME_SLICER"})";
constexpr const char* kHistory = R"({"zone":"DE","history":[
    {"zone":"DE","carbonIntensity":300,"datetime":"2025-01-15T10:00:00.000Z","isEstimated":false},
    {"zone":"DE","carbonIntensity":null,"datetime":"2025-01-15T11:00:00.000Z","isEstimated":false},
    {"zone":"DE","carbonIntensity":322,"datetime":"2025-01-15T12:00:00.000Z","isEstimated":true}]})";
constexpr const char* kForecast = R"({"zone":"DE","forecast":[
    {"carbonIntensity":310,"datetime":"2025-01-15T12:00:00.000Z"},
    {"carbonIntensity":267,"datetime":"2025-01-15T13:00:00.000Z"},
    {"carbonIntensity":250,"datetime":"2025-01-15T14:00:00.000Z"}],
    "updatedAt":"2025-01-15T11:50:00.000Z","temporalGranularity":"hourly"})";

TEST(ElectricityMapsPayload, LatestIsOneHourWithItsStatusAndBoundary) {
  const auto payload = ParseElectricityMaps(kLatest, "x");
  ASSERT_TRUE(payload) << payload.error().Message();
  EXPECT_EQ(payload->zone, "DE");
  EXPECT_EQ(payload->boundary, core::Boundary::kLifecycle);
  EXPECT_THAT(payload->samples,
              ElementsAre(core::Sample{
                  {kNoon, kNoon + hours{1}}, Intensity{322}, core::SampleStatus::kEstimated}));
}

TEST(ElectricityMapsPayload, ANullInTheHistoryIsAGap) {
  const auto payload = ParseElectricityMaps(kHistory, "x");
  ASSERT_TRUE(payload);
  ASSERT_EQ(payload->samples.size(), 2u);
  EXPECT_EQ(payload->samples[0].interval, (Interval{kNoon - hours{2}, kNoon - hours{1}}));
  EXPECT_EQ(payload->samples[0].status, core::SampleStatus::kMeasured);
  EXPECT_EQ(payload->samples[1].interval.begin, kNoon);
}

TEST(ElectricityMapsPayload, PastRangeIsReadAsHistory) {
  std::string past = kHistory;
  past.replace(past.find("history"), 7, "data");
  EXPECT_EQ(ParseElectricityMaps(past, "x")->samples, ParseElectricityMaps(kHistory, "x")->samples);
}

TEST(ElectricityMapsPayload, AForecastSaysWhenItWasIssued) {
  const auto payload = ParseElectricityMaps(kForecast, "x");
  ASSERT_TRUE(payload);
  EXPECT_EQ(payload->issued, kNoon - minutes{10});
  ASSERT_EQ(payload->samples.size(), 3u);
  EXPECT_EQ(payload->samples[2].status, core::SampleStatus::kForecast);
}

TEST(ElectricityMapsPayload, FiveMinuteValuesLastFiveMinutes) {
  const auto payload = ParseElectricityMaps(
      R"({"zone":"DE","data":[{"carbonIntensity":1,"datetime":"2025-01-15T12:00Z"}],
          "temporalGranularity":"5_minutes"})",
      "x");
  EXPECT_EQ(payload->samples[0].interval.length(), Duration{minutes{5}});
}

TEST(ElectricityMapsPayload, RefusesWhatItDoesNotKnow) {
  for (const char* body :
       {"", "[]", "{}", R"({"error":"Zone not found"})", R"({"history":{}})",
        R"({"carbonIntensity":"300","datetime":"2025-01-15T12:00Z"})",
        R"({"carbonIntensity":-1,"datetime":"2025-01-15T12:00Z"})",
        R"({"carbonIntensity":1e300,"datetime":"2025-01-15T12:00Z"})", R"({"carbonIntensity":300})",
        R"({"history":[{"datetime":"2025-01-15T12:00Z"}]})"}) {
    const auto payload = ParseElectricityMaps(body, "https://x/y");
    ASSERT_FALSE(payload) << body;
    EXPECT_EQ(payload.error().where, "https://x/y");
  }
}

struct Client {
  ScriptedHttp http;
  std::unique_ptr<Provider> provider =
      MakeElectricityMaps({"https://em.example/v4", "DE", "s3cret"}, http.Get());
};

TEST(ElectricityMaps, AsksForTheLatestValueWithTheKeyInAHeader) {
  Client client;
  client.http.Say("/latest", kLatest);
  const auto reading =
      client.provider->Read({kNoon + minutes{5}, hours{24}, kNoon, /*wants_forecast=*/false});
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(reading->known.size(), 1u);
  ASSERT_EQ(client.http.requests.size(), 1u);
  EXPECT_EQ(client.http.requests[0].url,
            "https://em.example/v4/carbon-intensity/latest?zone=DE&emissionFactorType=lifecycle"
            "&disableCallerLookup=true");
  EXPECT_THAT(client.http.requests[0].headers, ElementsAre("auth-token: s3cret"));
}

TEST(ElectricityMaps, AFirstQuestionFetchesHistoryAndForecast) {
  Client client;
  client.http.Say("/past-range", R"({"error":"not in your plan"})", 403);
  client.http.Say("/history", kHistory);
  client.http.Say("/forecast", kForecast);
  const auto reading = client.provider->Read({kNoon + minutes{5}, hours{48}, {}, true});
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(reading->known.size(), 2u);
  ASSERT_EQ(reading->forecast.size(), 2u) << "the current hour is known, not forecast";
  EXPECT_EQ(reading->forecast[0].intensity.g_per_kwh, 267);
  EXPECT_THAT(client.http.requests.back().url, HasSubstr("horizonHours=48"));
}

TEST(ElectricityMaps, AFreeKeyHasNoForecastAndStillServes) {
  Client client;
  client.http.Say("/latest", kLatest);
  client.http.Say("/forecast", R"({"error":"x"})", 401);
  const auto reading = client.provider->Read({kNoon, hours{24}, kNoon, true});
  ASSERT_TRUE(reading);
  ASSERT_TRUE(reading->forecast_failure);
  EXPECT_THAT(reading->forecast_failure->Message(), HasSubstr("plan"));
  EXPECT_THAT(reading->forecast_failure->Message(), Not(HasSubstr("s3cret")));
}

TEST(ElectricityMaps, AnAnswerForAnotherZoneIsNotTaken) {
  Client client;
  client.http.Say("/latest",
                  R"({"zone":"FR","carbonIntensity":30,"datetime":"2025-01-15T12:00Z"})");
  const auto reading = client.provider->Read({kNoon, hours{24}, kNoon, false});
  ASSERT_FALSE(reading);
  EXPECT_THAT(reading.error().what, HasSubstr("answered for FR"));
}

TEST(ElectricityMaps, AValueFromTheFarFutureShowsAWrongClock) {
  Client client;
  client.http.Say("/latest", kLatest);
  const auto skewed = client.provider->Read({kNoon - hours{3}, hours{24}, kNoon - hours{3}, false});
  ASSERT_FALSE(skewed);
  EXPECT_THAT(skewed.error().next, HasSubstr("clock"));
  const auto forgiven =
      client.provider->Read({kNoon - minutes{2}, hours{24}, kNoon - hours{1}, false});
  ASSERT_TRUE(forgiven);
  EXPECT_EQ(forgiven->known[0].interval.begin, kNoon - minutes{2});
}

}  // namespace
}  // namespace ebb::signals
