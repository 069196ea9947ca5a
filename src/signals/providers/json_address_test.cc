#include "signals/providers/json_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/http/scripted_http_for_test.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;

const Time kNoon = *ParseTime("2026-05-06T12:00Z");
const JsonMoment kMoment{kNoon, minutes{5}};

TEST(JsonAddressPayload, RecognisesKnownShapesWithoutPointers) {
  const auto bare = ParseJsonAddress(R"({"value": 300})", {}, kMoment, "x");
  ASSERT_TRUE(bare) << bare.error().Message();
  EXPECT_EQ(bare->samples[0].interval, (Interval{kNoon, kNoon + minutes{5}}));
  const auto stamped = ParseJsonAddress(
      R"({"carbonIntensity": 1, "datetime": "2026-05-06T12:00Z"})", {}, kMoment, "x");
  EXPECT_EQ(stamped->samples[0].interval.length(), Duration{hours{1}});
}

TEST(JsonAddressPayload, PointersFindTheValueAndTheUnitConvertsIt) {
  const JsonShape shape{"/grid/co2~1now/0", "/grid/at", "", "lb/MWh"};
  const auto payload = ParseJsonAddress(R"({"grid":{"co2/now":[1000],"at":"2026-05-06T12:00Z"}})",
                                        shape, kMoment, "x");
  ASSERT_TRUE(payload) << payload.error().Message();
  EXPECT_NEAR(payload->samples[0].intensity.g_per_kwh, 453.59237, 1e-9);
  EXPECT_EQ(*GramsPerKwhOf("kg/MWh"), 1);
  EXPECT_EQ(*GramsPerKwhOf("t/MWh"), 1000);
  EXPECT_FALSE(GramsPerKwhOf("percentile"));
}

TEST(JsonAddressPayload, RowsAheadOfNowAreAForecast) {
  const JsonShape shape{"/v", "/t", "/rows", "g/kWh"};
  const auto payload = ParseJsonAddress(
      R"({"rows":[{"t":"2026-05-06T12:00Z","v":300},{"t":"2026-05-06T13:00Z","v":200}]})", shape,
      kMoment, "x");
  ASSERT_TRUE(payload);
  EXPECT_EQ(payload->samples[0].status, core::SampleStatus::kMeasured);
  EXPECT_EQ(payload->samples[1].status, core::SampleStatus::kForecast);
}

// A row of the next hour does not count as now's, even shortly before it begins.
TEST(JsonAddressPayload, ARowAheadIsNowOnlyWhereNoOtherIs) {
  const JsonShape shape{"/v", "/t", "/rows", "g/kWh"};
  const JsonMoment shortly_before{kNoon - minutes{7}, minutes{5}};
  const auto with_now = ParseJsonAddress(
      R"({"rows":[{"t":"2026-05-06T12:00Z","v":200},{"t":"2026-05-06T11:00Z","v":300}]})", shape,
      shortly_before, "x");
  ASSERT_TRUE(with_now);
  EXPECT_EQ(with_now->samples[0].status, core::SampleStatus::kMeasured);
  EXPECT_EQ(with_now->samples[0].intensity.g_per_kwh, 300);
  EXPECT_EQ(with_now->samples[1].status, core::SampleStatus::kForecast);
  const auto only_later = ParseJsonAddress(
      R"({"rows":[{"t":"2026-05-06T12:00Z","v":200},{"t":"2026-05-06T12:05Z","v":100}]})", shape,
      JsonMoment{kNoon - minutes{1}, minutes{5}}, "x");
  ASSERT_TRUE(only_later);
  EXPECT_EQ(only_later->samples[0].status, core::SampleStatus::kMeasured) << "clocks differ";
  EXPECT_EQ(only_later->samples[1].status, core::SampleStatus::kForecast);
  const auto far = ParseJsonAddress(R"({"rows":[{"t":"2026-05-06T12:00Z","v":200}]})", shape,
                                    JsonMoment{kNoon - minutes{11}, minutes{5}}, "x");
  ASSERT_TRUE(far);
  EXPECT_EQ(far->samples[0].status, core::SampleStatus::kForecast);
}

TEST(JsonAddressPayload, APointerThatFindsNothingIsNamed) {
  const JsonShape shape{"/a/b", "", "", "g/kWh"};
  for (const char* body : {"{}", R"({"a":3})", R"({"a":{"b":"x"}})", "[]", "nonsense"})
    EXPECT_FALSE(ParseJsonAddress(body, shape, kMoment, "x")) << body;
  EXPECT_THAT(ParseJsonAddress("{}", shape, kMoment, "x").error().what, HasSubstr("\"/a/b\""));
  EXPECT_TRUE(ParseJsonAddress(R"({"a":{"b":null}})", shape, kMoment, "x")->samples.empty());
}

TEST(JsonAddress, AsksWithItsHeaderAndShowsNoSecret) {
  ScriptedHttp http;
  http.Say("/now", R"({"value": 300})");
  JsonAddressOptions options;
  options.url = "https://user:pw@grid.example/now?token=abc";
  options.header = "auth-token: s3cret";
  const auto provider = MakeJsonAddress(options, http.Get());
  ASSERT_TRUE(provider->Read({kNoon, hours{1}, {}, true}));
  EXPECT_EQ(http.requests[0].headers[0], "auth-token: s3cret");
  EXPECT_EQ(provider->identity().source, "live https://grid.example/now");
}

}  // namespace
}  // namespace ebb::signals
