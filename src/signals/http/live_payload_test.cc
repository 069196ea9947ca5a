#include "signals/http/live_payload.h"

#include <gtest/gtest.h>

namespace ebb::signals {
namespace {

using std::chrono::minutes;

const Time kDay = *ParseTime("2026-05-06T12:00Z");

TEST(LivePayload, UnderstandsNeosShapes) {
  EXPECT_EQ(ParseLivePayload(R"({"carbonIntensity": 123.5})", "x")->intensity->g_per_kwh, 123.5);
  EXPECT_EQ(ParseLivePayload(R"({"value": 0})", "x")->intensity->g_per_kwh, 0);
  EXPECT_FALSE(ParseLivePayload(R"({"value": 5})", "x")->begin);
}

TEST(LivePayload, UnderstandsElectricityMaps) {
  const auto reading = ParseLivePayload(
      R"({"zone":"DE","carbonIntensity":322,"datetime":"2026-05-06T12:00:00.000Z",
          "emissionFactorType":"lifecycle","isEstimated":true,"estimationMethod":"X"})",
      "x");
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(*reading, (LiveReading{Intensity{322}, core::SampleStatus::kEstimated, kDay,
                                   std::nullopt, "DE", core::Boundary::kLifecycle}));
  EXPECT_FALSE(ParseLivePayload(R"({"carbonIntensity":null})", "x")->intensity);
}

TEST(LivePayload, UnderstandsTheUkApiAndMarksItsForecastAsEstimated) {
  const auto reading = ParseLivePayload(
      R"({"data":[{"from":"2026-05-06T12:00Z","to":"2026-05-06T12:30Z",
          "intensity":{"forecast":266,"actual":263,"index":"moderate"}}]})",
      "x");
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(reading->intensity->g_per_kwh, 263);
  EXPECT_EQ(reading->status, core::SampleStatus::kMeasured);
  EXPECT_EQ(*reading->end, kDay + minutes{30});
  const auto ahead = ParseLivePayload(
      R"({"data":[{"from":"2026-05-06T12:00Z","to":"2026-05-06T12:30Z",
          "intensity":{"forecast":266,"actual":null}}]})",
      "x");
  EXPECT_EQ(ahead->intensity->g_per_kwh, 266);
  EXPECT_EQ(ahead->status, core::SampleStatus::kEstimated);
}

TEST(LivePayload, RefusesEverythingElse) {
  for (const char* body :
       {"", "<html>", "null", "[]", "3", "{}", R"({"carbonIntensity":"300"})",
        R"({"carbonIntensity":-1})", R"({"value":1e9})", R"({"data":[]})", R"({"data":{}})",
        R"({"data":[{"intensity":5}]})", R"({"error":{"code":"400 Bad Request"}})",
        R"({"data":[{"from":"2026-05-06T12:30Z","to":"2026-05-06T12:00Z","intensity":{}}]})"}) {
    const auto reading = ParseLivePayload(body, "https://x/y");
    ASSERT_FALSE(reading) << body;
    EXPECT_EQ(reading.error().code, ExitCode::kUnavailable);
    EXPECT_EQ(reading.error().where, "https://x/y");
  }
}

}  // namespace
}  // namespace ebb::signals
