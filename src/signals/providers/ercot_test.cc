#include "signals/providers/ercot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/http/scripted_http_for_test.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr const char* kAnswer = R"({"lastUpdated":"2026-11-01 01:10:00-0600","data":{
  "2026-11-01":{
    "2026-11-01 01:04:56-0500":{"Coal and Lignite":{"gen":8000.5},"Natural Gas":{"gen":20000},
      "Nuclear":{"gen":5000},"Power Storage":{"gen":-1500},"Solar":{"gen":0},"Wind":{"gen":12000},
      "Hydro":{"gen":40},"Other":{"gen":10}},
    "2026-11-01 01:04:55-0600":{"Coal and Lignite":{"gen":8000.5},"Natural Gas":{"gen":null},
      "Nuclear":{"gen":5000},"Power Storage":{"gen":-1500},"Solar":{"gen":0},"Wind":{"gen":12000},
      "Hydro":{"gen":40},"Other":{"gen":10}}}}})";

TEST(Ercot, StampsHaveAnOffsetAndNullIsAGap) {
  ScriptedHttp http;
  http.Say("/fuel-mix.json", kAnswer);
  const auto provider =
      MakeOperatorMix(*ErcotMix("https://tx.example", core::Boundary::kLifecycle), http.Get());
  const Time now = *ParseTime("2026-11-01T07:12Z");
  const auto reading = provider->Read({now, hours{48}, now, true});
  ASSERT_TRUE(reading) << reading.error().Message();
  ASSERT_EQ(reading->known.size(), 1u);
  EXPECT_EQ(reading->known[0].interval.begin, *ParseTime("2026-11-01T06:00Z"))
      << "the earlier of the two hours";
  EXPECT_EQ(reading->known[0].interval.length(), minutes{5});
  EXPECT_NEAR(reading->known[0].intensity.g_per_kwh,
              (820 * 8000.5 + 490 * 20000 + 12 * 5000 + 11 * 12000 + 24 * 40) / 45040.5, 1e-9);
}

TEST(Ercot, WhatIsNoSuchAnswerIsRefused) {
  for (const char* body :
       {"", "null", "{}", "<html>", R"({"data":[]})", R"({"data":{"2026-11-01":{"noon":{}}}})",
        R"({"data":{"2026-11-01":{"2026-11-01 01:04:56-0500":{"Wind":5}}}})",
        R"({"data":{"2026-11-01":{"2026-11-01 01:04:56-0500":{"Wind":{"gen":"x"}}}}})"})
    EXPECT_FALSE(ParseErcot(body, "x")) << body;
}

}  // namespace
}  // namespace ebb::signals
