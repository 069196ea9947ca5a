#include "signals/providers/eia930.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/http/scripted_http_for_test.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAnswer = R"({"response":{"total":"5","frequency":"hourly","data":[
    {"period":"2026-05-06T06","respondent":"TVA","fueltype":"NG","type-name":"Natural Gas",
     "value":null,"value-units":"megawatthours"},
    {"period":"2026-05-06T06","respondent":"TVA","fueltype":"NUC","value":"8000"},
    {"period":"2026-05-06T05","respondent":"TVA","fueltype":"NG","value":"4000"},
    {"period":"2026-05-06T05","respondent":"TVA","fueltype":"PS","value":"-900"},
    {"period":"2026-05-06T05","respondent":"TVA","fueltype":"NUC","value":8000}]}})";

TEST(Eia930, HoursStandAtTheirEndAndNullIsAGap) {
  ScriptedHttp http;
  http.Say("/v2/", kAnswer);
  const auto provider = MakeOperatorMix(
      Eia930Mix({"https://eia.example", "US-TEN-TVA", "TVA", "s3cret"}), http.Get());
  const Time now = *ParseTime("2026-05-06T14:20Z");
  const auto reading = provider->Read({now, hours{48}, now, true});
  ASSERT_TRUE(reading) << reading.error().Message();
  ASSERT_EQ(reading->known.size(), 1u) << "the hour without its gas is not known";
  EXPECT_EQ(reading->known[0].interval,
            (Interval{*ParseTime("2026-05-06T04:00Z"), *ParseTime("2026-05-06T05:00Z")}));
  EXPECT_DOUBLE_EQ(reading->known[0].intensity.g_per_kwh, (490 * 4000 + 12 * 8000) / 12000.0);
  EXPECT_EQ(http.requests[0].url,
            "https://eia.example/v2/electricity/rto/fuel-type-data/data/?frequency=hourly&"
            "data%5B0%5D=value&facets%5Brespondent%5D%5B%5D=TVA&start=2026-05-04T14&"
            "end=2026-05-06T15&sort%5B0%5D%5Bcolumn%5D=period&"
            "sort%5B0%5D%5Bdirection%5D=desc&offset=0&length=5000&api_key=s3cret");
}

TEST(Eia930, ARefusalShowsNoKey) {
  ScriptedHttp http;
  http.Say("/v2/", R"({"error":{"code":"API_KEY_INVALID"}})", 403);
  const auto provider = MakeOperatorMix(
      Eia930Mix({"https://eia.example", "US-TEN-TVA", "TVA", "s3cret"}), http.Get());
  const Time now = *ParseTime("2026-05-06T14:20Z");
  const auto refused = provider->Read({now, hours{48}, now, true});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().Message(), HasSubstr("free one"));
  EXPECT_THAT(refused.error().Message(), Not(HasSubstr("s3cret")));
}

TEST(Eia930, WhatIsNoSuchAnswerIsRefused) {
  for (const char* body :
       {"", "null", "{}", "<html>", R"({"response":{}})", R"({"response":{"data":[{}]}})",
        R"({"response":{"data":[{"period":"x","fueltype":"NG","value":"1"}]}})",
        R"({"response":{"data":[{"period":"2026-05-06T05","fueltype":"NG","value":"much"}]}})"})
    EXPECT_FALSE(ParseEia930(body, "x")) << body;
}

TEST(Eia930, ZonesAreBalancingAuthorities) {
  EXPECT_EQ(EiaRespondent("US-CAL-CISO"), "CISO");
  EXPECT_EQ(EiaRespondent("US"), "US48");
  for (const char* zone : {"", "DE", "US-AK-SEAPA", "US-HI", "US-OH"})
    EXPECT_EQ(EiaRespondent(zone), std::nullopt) << zone;
}

}  // namespace
}  // namespace ebb::signals
