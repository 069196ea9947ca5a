#include "signals/providers/uk_carbon_intensity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/http/scripted_http_for_test.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Time kMidnight = *ParseTime("2026-05-06T00:00Z");
const core::Sample kFirst{
    {kMidnight, kMidnight + minutes{30}}, Intensity{40}, core::SampleStatus::kForecast};

// The three regional shapes, each holding region 13 with 40 g/kWh in the first half hour.
constexpr const char* kPeriods = R"({"data":[
    {"from":"2026-05-06T00:00Z","to":"2026-05-06T00:30Z","regions":[
      {"regionid":1,"shortname":"North Scotland","intensity":{"forecast":7,"index":"very low"}},
      {"regionid":13,"shortname":"London","intensity":{"forecast":40,"index":"low"},
       "generationmix":[{"fuel":"wind","perc":60.1}]}]}]})";
constexpr const char* kRegionList = R"({"data":[{"regionid":13,"dnoregion":"UKPN London",
    "shortname":"London","postcode":"RG41","data":[
      {"from":"2026-05-06T00:00Z","to":"2026-05-06T00:30Z",
       "intensity":{"forecast":40,"index":"low"},"generationmix":[]}]}]})";
constexpr const char* kRegionObject = R"({"data":{"regionid":13,"shortname":"London","data":[
    {"from":"2026-05-06T00:00Z","to":"2026-05-06T00:30Z",
     "intensity":{"forecast":40,"index":"low"},"generationmix":[]}]}})";
constexpr const char* kNational = R"({"data":[
    {"from":"2026-05-06T00:00Z","to":"2026-05-06T00:30Z",
     "intensity":{"forecast":266,"actual":263,"index":"moderate"}},
    {"from":"2026-05-06T00:30Z","to":"2026-05-06T01:00Z",
     "intensity":{"forecast":250,"actual":null,"index":"moderate"}},
    {"from":"2026-05-06T01:00Z","to":"2026-05-06T01:30Z",
     "intensity":{"forecast":240,"actual":null,"index":"moderate"}}]})";

TEST(UkPayload, AnActualValueIsMeasuredAndAForecastOneIsNot) {
  const auto payload = ParseUkCarbonIntensity(kNational, 0, "x");
  ASSERT_TRUE(payload) << payload.error().Message();
  ASSERT_EQ(payload->samples.size(), 3u);
  EXPECT_EQ(payload->samples[0].intensity.g_per_kwh, 263);
  EXPECT_EQ(payload->samples[0].status, core::SampleStatus::kMeasured);
  EXPECT_EQ(payload->samples[1].status, core::SampleStatus::kForecast);
  EXPECT_EQ(payload->boundary, core::Boundary::kDirect);
}

TEST(UkPayload, TakesAllThreeRegionalShapes) {
  for (const char* body : {kPeriods, kRegionList, kRegionObject}) {
    const auto payload = ParseUkCarbonIntensity(body, 13, "x");
    ASSERT_TRUE(payload) << payload.error().Message();
    EXPECT_THAT(payload->samples, ElementsAre(kFirst)) << body;
  }
}

TEST(UkPayload, OfSeveralRegionsOneMustBeNamed) {
  EXPECT_THAT(ParseUkCarbonIntensity(kPeriods, 0, "x").error().what, HasSubstr("several regions"));
  EXPECT_THAT(ParseUkCarbonIntensity(kPeriods, 5, "x").error().what, HasSubstr("region 5"));
  EXPECT_TRUE(ParseUkCarbonIntensity(kRegionList, 0, "x")) << "a postcode has one region";
}

TEST(UkPayload, RefusesWhatItDoesNotKnow) {
  for (const char* body :
       {"", "null", "[]", "{}", R"({"data":{}})", R"({"data":null})",
        R"({"error":{"code":"400 Bad Request","message":"postcode"}})", R"({"data":[{}]})",
        R"({"data":[{"from":"2026-05-06T00:00Z","to":"2026-05-06T00:30Z","intensity":5}]})",
        R"({"data":[{"from":"2026-05-06T00:30Z","to":"2026-05-06T00:00Z",
            "intensity":{"forecast":1}}]})",
        R"({"data":[{"from":"2026-05-06T00:00Z","to":"2026-05-06T00:30Z",
            "intensity":{"forecast":-5}}]})"}) {
    const auto payload = ParseUkCarbonIntensity(body, 0, "https://x/y");
    ASSERT_FALSE(payload) << body;
    EXPECT_EQ(payload.error().where, "https://x/y");
  }
}

TEST(UkArea, ZonesAreTheWholeARegionOrAPostcode) {
  EXPECT_EQ(UkAreaFromZone("GB")->region_id, 0);
  EXPECT_EQ(UkAreaFromZone("GB-13")->region_id, 13);
  EXPECT_EQ(UkAreaFromZone("GB-RG41")->postcode, "RG41");
  for (const char* zone : {"", "DE", "GB-", "GB-0", "GB-18", "GB-NIR", "GB-RG41 2AB", "GB-rg41"})
    EXPECT_FALSE(UkAreaFromZone(zone)) << zone;
}

TEST(UkCarbonIntensity, OneQuestionAnswersNowAndTwoDaysAhead) {
  ScriptedHttp http;
  http.Say("/fw48h", kNational);
  const auto provider = MakeUkCarbonIntensity({"https://uk.example"}, http.Get());
  const Time now = kMidnight + minutes{40};
  const auto reading = provider->Read({now, hours{48}, kMidnight, true});
  ASSERT_TRUE(reading) << reading.error().Message();
  ASSERT_EQ(reading->known.size(), 2u);
  EXPECT_EQ(reading->known[1].status, core::SampleStatus::kEstimated);
  ASSERT_EQ(reading->forecast.size(), 1u);
  ASSERT_EQ(http.requests.size(), 1u);
  EXPECT_EQ(http.requests[0].url, "https://uk.example/intensity/2026-05-05T21:40Z/fw48h");
}

TEST(UkCarbonIntensity, AFirstQuestionAlsoFetchesThePast) {
  ScriptedHttp http;
  http.Say("/intensity/", kNational);
  const auto provider = MakeUkCarbonIntensity({"https://uk.example"}, http.Get());
  ASSERT_TRUE(provider->Read({kMidnight + minutes{40}, hours{48}, {}, true}));
  ASSERT_EQ(http.requests.size(), 2u);
  EXPECT_EQ(http.requests[0].url,
            "https://uk.example/intensity/2026-04-23T00:40Z/2026-05-05T21:40Z");
}

TEST(UkCarbonIntensity, ARegionIsAskedForByItsNumberOrPostcode) {
  for (const auto& [zone, end] :
       {std::pair("GB-13", "/regionid/13"), std::pair("GB-RG41", "/postcode/RG41")}) {
    ScriptedHttp http;
    http.Say("/regional/intensity/", kRegionObject);
    const auto provider =
        MakeUkCarbonIntensity({"https://uk.example", *UkAreaFromZone(zone)}, http.Get());
    const auto reading = provider->Read({kMidnight + minutes{10}, hours{48}, kMidnight, true});
    ASSERT_TRUE(reading) << reading.error().Message();
    EXPECT_THAT(http.requests[0].url, HasSubstr(std::string("fw48h") + end));
    EXPECT_EQ(reading->known[0].status, core::SampleStatus::kEstimated);
  }
}

}  // namespace
}  // namespace ebb::signals
