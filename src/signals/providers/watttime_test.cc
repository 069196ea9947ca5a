#include "signals/providers/watttime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/http/scripted_http_for_test.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const Time kMidnight = *ParseTime("2022-07-15T00:00Z");
constexpr const char* kForecast = R"({"data":[
    {"point_time":"2022-07-15T00:00:00Z","value":870},
    {"point_time":"2022-07-15T00:05:00Z","value":860}],
    "meta":{"data_point_period_seconds":300,"region":"CAISO_NORTH","signal_type":"co2_moer",
            "units":"lbs_co2_per_mwh","generated_at":"2022-07-15T00:00:00Z","warnings":[]}})";
constexpr const char* kHistorical = R"({"data":[
    {"point_time":"2022-07-14T23:50:00Z","value":900,"imputed_data_used":true},
    {"point_time":"2022-07-14T23:55:00Z","value":1000,"imputed_data_used":false}],
    "meta":{"data_point_period_seconds":300,"region":"CAISO_NORTH","signal_type":"co2_moer",
            "units":"lbs_co2_per_mwh","warnings":[{"type":"X","message":"m"}]}})";
constexpr const char* kIndex = R"({"data":[{"point_time":"2022-07-15T00:00:00Z","value":37.1}],
    "meta":{"data_point_period_seconds":300,"region":"CAISO_NORTH","signal_type":"co2_moer",
            "units":"percentile","warnings":[]}})";

TEST(WattTimePayload, PoundsPerMegawattHourBecomeGramsPerKilowattHour) {
  const auto payload = ParseWattTime(kHistorical, "x");
  ASSERT_TRUE(payload) << payload.error().Message();
  ASSERT_EQ(payload->samples.size(), 2u);
  EXPECT_NEAR(payload->samples[1].intensity.g_per_kwh, 453.59237, 1e-9);
  EXPECT_EQ(payload->samples[0].status, core::SampleStatus::kEstimated);
  EXPECT_EQ(payload->samples[1].status, core::SampleStatus::kMeasured);
  EXPECT_EQ(payload->kind, core::SignalKind::kMarginal);
}

TEST(WattTimePayload, AForecastIsToldByWhenItWasGenerated) {
  const auto payload = ParseWattTime(kForecast, "x");
  ASSERT_TRUE(payload);
  EXPECT_EQ(payload->issued, kMidnight);
  EXPECT_EQ(payload->samples[1].status, core::SampleStatus::kForecast);
  EXPECT_EQ(payload->samples[1].interval.length(), Duration{minutes{5}});
}

TEST(WattTimePayload, APercentileIsNeverAnIntensity) {
  const auto payload = ParseWattTime(kIndex, "x");
  ASSERT_FALSE(payload);
  EXPECT_EQ(payload.error().what, "a percentile is not a carbon intensity");
}

TEST(WattTimePayload, RefusesWhatItDoesNotKnow) {
  for (const char* body :
       {"", "[]", R"({"data":[]})", R"({"data":[],"meta":{}})",
        R"({"data":[],"meta":{"units":"kg"}})",
        R"({"data":[{"value":1}],"meta":{"units":"lbs_co2_per_mwh"}})",
        R"({"data":[{"point_time":"x","value":1}],"meta":{"units":"lbs_co2_per_mwh"}})",
        R"({"data":[{"point_time":"2022-07-15","value":-9}],"meta":{"units":"lbs_co2_per_mwh"}})"})
    EXPECT_FALSE(ParseWattTime(body, "x")) << body;
}

TEST(WattTimeLogin, ATokenThatCouldForgeAHeaderIsRefusedAndNeverShown) {
  EXPECT_EQ(*ParseWattTimeLogin(R"({"token":"abc"})", "x"), "abc");
  for (const char* body : {"tok3n", "{}", R"({"token":""})", R"({"token":"tok3n\r\nx: y"})"}) {
    const auto token = ParseWattTimeLogin(body, "x");
    ASSERT_FALSE(token) << body;
    EXPECT_THAT(token.error().Message(), Not(HasSubstr("tok3n")));
  }
}

struct Client {
  ScriptedHttp http;
  std::unique_ptr<Provider> provider =
      MakeWattTime({"https://wt.example", "CAISO_NORTH", "user", "pass"}, http.Get());
  int Logins() const {
    return static_cast<int>(std::count_if(
        http.requests.begin(), http.requests.end(),
        [](const auto& request) { return request.url == "https://wt.example/login"; }));
  }
  Client() {
    http.Say("/login", R"({"token":"T1"})");
    http.Say("/v3/forecast", kForecast);
    http.Say("/v3/historical", kHistorical);
  }
};

TEST(WattTime, LogsInOnceAndReadsPastAndFuture) {
  Client client;
  const auto reading = client.provider->Read({kMidnight + minutes{2}, hours{24}, {}, true});
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(reading->known.size(), 3u) << "two that have passed and the nowcast";
  for (const core::Sample& sample : reading->known)
    EXPECT_EQ(sample.status, core::SampleStatus::kModelled) << "a marginal rate is never measured";
  EXPECT_EQ(reading->forecast.size(), 1u);
  EXPECT_EQ(client.Logins(), 1);
  EXPECT_THAT(client.http.requests[0].headers, ElementsAre("Authorization: Basic dXNlcjpwYXNz"));
  EXPECT_THAT(client.http.requests[1].headers, ElementsAre("Authorization: Bearer T1"));
}

TEST(WattTime, ARefreshIsOneRequestAndATokenIsRenewedBeforeItEnds) {
  Client client;
  ASSERT_TRUE(client.provider->Read({kMidnight + minutes{2}, hours{24}, {}, true}));
  const auto before = client.http.requests.size();
  ASSERT_TRUE(client.provider->Read({kMidnight + minutes{7}, hours{24}, kMidnight, true}));
  EXPECT_EQ(client.http.requests.size(), before + 1);
  ASSERT_TRUE(client.provider->Read({kMidnight + minutes{30}, hours{24}, kMidnight, true}));
  EXPECT_EQ(client.Logins(), 2);
}

TEST(WattTime, AWithdrawnTokenIsReplacedOnceAndAWrongPasswordIsNotTriedAgain) {
  Client client;
  ASSERT_TRUE(client.provider->Read({kMidnight + minutes{2}, hours{24}, {}, true}));
  client.http.answers["/v3/forecast"].clear();
  client.http.Say("/v3/forecast", "{}", 401);
  client.http.Say("/v3/forecast", kForecast);
  ASSERT_TRUE(client.provider->Read({kMidnight + minutes{7}, hours{24}, kMidnight, true}));
  EXPECT_EQ(client.Logins(), 2);
  Client wrong;
  wrong.http.answers["/login"].clear();
  wrong.http.Say("/login", "{}", 403);
  const auto refused = wrong.provider->Read({kMidnight, hours{24}, kMidnight, true});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().Message(), HasSubstr("user and password"));
  EXPECT_THAT(refused.error().Message(), Not(HasSubstr("pass:")));
}

}  // namespace
}  // namespace ebb::signals
