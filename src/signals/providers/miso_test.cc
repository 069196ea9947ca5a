#include "signals/providers/miso.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/http/scripted_http_for_test.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

std::string Row(const std::string& time, const char* category, const char* megawatts) {
  return R"({"INTERVALEST": ")" + time + R"(", "CATEGORY": ")" + category + R"(", "ACT": ")" +
         megawatts + R"(", "FUEL_CATEGORY": ")" + category + "  (1 MW)\"}";
}

std::string Rows(const std::string& time) {
  return Row(time, "Coal", "26869") + "," + Row(time, "Natural Gas", "30000") + "," +
         Row(time, "Nuclear", "11000") + "," + Row(time, "Wind", "9000") + "," +
         Row(time, "Solar", "4000") + "," + Row(time, "Battery Storage", "-420") + "," +
         Row(time, "Imports", "2500") + "," + Row(time, "Other", "1800");
}

std::string Answer(const std::string& rows) {
  return R"({"RefId": "22-Jun-2026 - Interval 11:05 EST", "TotalMW": "82968", "Fuel": {"Type": [)" +
         rows + "]}}";
}

TEST(Miso, TimesAreStandardTimeOfTheEastInSummerToo) {
  for (const auto& [stamp, begin] : std::vector<std::pair<const char*, const char*>>{
           {"2026-06-22 11:05:00 AM", "2026-06-22T16:05Z"},
           {"2026-06-22 12:00:00 AM", "2026-06-22T05:00Z"},
           {"2026-06-22 12:00:00 PM", "2026-06-22T17:00Z"},
           {"2026-06-22 2:40:00 PM", "2026-06-22T19:40Z"},
           {"2026-11-01 1:05:00 AM", "2026-11-01T06:05Z"}}) {
    const auto rows = ParseMiso(Answer(Rows(stamp)), "x");
    ASSERT_TRUE(rows) << rows.error().Message();
    EXPECT_EQ(rows->front().begin, *ParseTime(begin)) << stamp;
  }
}

TEST(Miso, ImportsBatteriesAndWhatBurnsNobodyKnowsWhatAreInNoMean) {
  const auto rows = ParseMiso(Answer(Rows("2026-06-22 11:05:00 AM")), "x");
  ASSERT_TRUE(rows) << rows.error().Message();
  const auto points = IntensityOf(*rows, minutes{5}, core::Boundary::kLifecycle, "x");
  ASSERT_TRUE(points);
  const double grams = 26869.0 * 820 + 30000 * 490 + 11000 * 12 + 9000 * 11 + 4000 * 48;
  EXPECT_NEAR(*points->front().value, grams / 80869, 1e-9);
}

TEST(Miso, WhatIsNoSuchAnswerIsRefused) {
  for (const std::string& body :
       {std::string(), std::string("<html>"), std::string("{}"),
        std::string(R"({"Fuel": {"Type": 3}})"), Answer("{}"), Answer("3"),
        Answer(Row("2026-06-22 13:05:00 PM", "Coal", "1")),
        Answer(Row("2026-06-22 0:05:00 AM", "Coal", "1")),
        Answer(Row("2026-06-31 1:05:00 AM", "Coal", "1")),
        Answer(Row("2026-06-22 11:05:00", "Coal", "1")),
        Answer(Row("2026-06-22 11:05:00 AM", "Coal", "much")),
        Answer(R"({"INTERVALEST": "2026-06-22 11:05:00 AM", "CATEGORY": "Coal"})")})
    EXPECT_FALSE(ParseMiso(body, "x")) << body;
}

TEST(Miso, YesterdayIsAskedForOnlyWhereTheQuestionReachesBackToIt) {
  ScriptedHttp http;
  http.Say("FuelMix/Yesterday", Answer(Rows("2026-06-21 11:55:00 PM")));
  http.Say("FuelMix/Today", Answer(Rows("2026-06-22 11:05:00 AM")));
  const auto provider =
      MakeOperatorMix(*MisoMix("https://miso.example", core::Boundary::kLifecycle), http.Get());
  const Time now = *ParseTime("2026-06-22T16:20Z");
  const auto first = provider->Read({now, hours{48}, {}, true});
  ASSERT_TRUE(first) << first.error().Message();
  ASSERT_EQ(http.requests.size(), 2u);
  EXPECT_EQ(http.requests[0].url, "https://miso.example/api/FuelMix/Yesterday");
  EXPECT_EQ(first->known.size(), 2u);
  ASSERT_TRUE(provider->Read({now, hours{48}, now - minutes{5}, true}));
  EXPECT_EQ(http.requests.size(), 3u);
  EXPECT_EQ(http.requests[2].url, "https://miso.example/api/FuelMix/Today");
}

}  // namespace
}  // namespace ebb::signals
