#include "signals/generation/operator_mix.h"

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

const Time kNow = *ParseTime("2026-05-06T12:07Z");

// An operator with one file. Its body is the megawatts of gas at 12:00; wind has 100 MW.
OperatorMix Mix(bool may_be_missing = false) {
  OperatorMix mix;
  mix.name = "grid";
  mix.zone = "Z";
  mix.credit = "The Operator";
  mix.base_url = "https://op.example";
  mix.questions = [may_be_missing](Time begin, Time) {
    MixQuestion question;
    question.request.url = "https://op.example/mix?from=" + FormatTime(begin);
    question.may_be_missing = may_be_missing;
    question.read = [](std::string_view body,
                       const std::string& where) -> Result<std::vector<GenerationRow>> {
      EBB_ASSIGN_OR_RETURN(const auto gas, MegawattsFrom(body, where));
      const Time time = *ParseTime("2026-05-06T12:00Z");
      return std::vector<GenerationRow>{{time, "gas", Fuel::kGas, gas},
                                        {time, "wind", Fuel::kWind, 100}};
    };
    return std::vector{question};
  };
  return mix;
}

TEST(OperatorMix, SaysWhatItCountsAndWhoPublishedIt) {
  ScriptedHttp http;
  http.Say("/mix", "100");
  const auto provider = MakeOperatorMix(Mix(), http.Get());
  EXPECT_EQ(provider->identity().source,
            "The Operator, production-based without imports, life-cycle factors by fuel (IPCC "
            "AR5), https://op.example");
  EXPECT_EQ(provider->identity().boundary, core::Boundary::kLifecycle);
  const auto reading = provider->Read({kNow, hours{48}, kNow, true});
  ASSERT_TRUE(reading) << reading.error().Message();
  ASSERT_EQ(reading->known.size(), 1u);
  EXPECT_DOUBLE_EQ(reading->known[0].intensity.g_per_kwh, 250.5);
  EXPECT_TRUE(reading->forecast.empty());
}

TEST(OperatorMix, AsksForWhatIsMissingAndAnHourMoreAtMostAsFarAsItsHistory) {
  ScriptedHttp http;
  http.Say("/mix", "100");
  const auto provider = MakeOperatorMix(Mix(), http.Get());
  for (const Time known_until : {kNow, kNow - hours{5}, Time{}})
    ASSERT_TRUE(provider->Read({kNow, hours{48}, known_until, true}));
  EXPECT_THAT(http.requests[0].url, HasSubstr("from=2026-05-06T11:07:00Z"));
  EXPECT_THAT(http.requests[1].url, HasSubstr("from=2026-05-06T07:07:00Z"));
  EXPECT_THAT(http.requests[2].url, HasSubstr("from=2026-04-28T12:07:00Z"));
}

TEST(OperatorMix, AFileMayBeMissingOnlyWhereThatIsSaid) {
  ScriptedHttp http;
  http.Say("/mix", "", 404);
  EXPECT_THAT(MakeOperatorMix(Mix(), http.Get())->Read({kNow, {}, kNow, true}).error().what,
              HasSubstr("404"));
  EXPECT_THAT(MakeOperatorMix(Mix(true), http.Get())->Read({kNow, {}, kNow, true}).error().what,
              HasSubstr("no complete values"))
      << "and then it has no value, rather than a clean one";
}

TEST(OperatorMix, ValuesThatCannotBeKnownYetAreAnError) {
  ScriptedHttp http;
  http.Say("/mix", "100");
  EXPECT_THAT(MakeOperatorMix(Mix(), http.Get())
                  ->Read({kNow - hours{1}, {}, kNow - hours{1}, true})
                  .error()
                  .next,
              HasSubstr("clock"));
}

TEST(OperatorMix, DaysAreThoseOfTheLocalClock) {
  const auto clock = *prices::ZoneClock::Find("America/Los_Angeles");
  EXPECT_THAT(LocalDays(clock, *ParseTime("2026-05-06T06:30Z"), *ParseTime("2026-05-06T07:30Z")),
              ElementsAre("20260505", "20260506"));
}

}  // namespace
}  // namespace ebb::signals
