#include "app/options/run_options.h"

#include <gtest/gtest.h>

namespace ebb::app {
namespace {

TEST(RunOptionsTest, EveryFlagSurvivesBeingStoredAndRead) {
  RunOptions options;
  const FlagValues given{{"policy", "window"},  {"start-by", "6h"},
                         {"duration", "90m"},   {"at-deadline", "stop"},
                         {"on-outage", "run"},  {"zone", "DE"},
                         {"profile-seed", "7"}, {"grid-start", "2023-05-01T17:00Z"},
                         {"grid-speed", "60"},  {"skip-waits", "true"},
                         {"scope", "machine"},  {"interval", "250ms"},
                         {"cpu-tdp", "65.5"},   {"pue", "1.25"}};
  ASSERT_TRUE(ApplyFlags(given, options));
  RunOptions restored;
  ASSERT_TRUE(ApplyFlags(ToFlags(options), restored));
  EXPECT_EQ(ToFlags(restored), ToFlags(options));
  EXPECT_EQ(restored.scheduler.longest_wait, Duration{std::chrono::hours{6}});
  EXPECT_EQ(restored.scheduler.clock.start, *ParseTime("2023-05-01T17:00Z"));
  EXPECT_EQ(restored.metering.cpu_tdp->watts, 65.5);
  EXPECT_TRUE(restored.scheduler.clock.skip_waits);
}

// The older names are also those that earlier versions stored in run directories.
TEST(RunOptionsTest, TheOlderNameOfAFlagIsReadButNotBesideThePresentOne) {
  RunOptions options;
  ASSERT_TRUE(ApplyFlags({{"run-time", "90m"}}, options));
  EXPECT_EQ(options.scheduler.duration, Duration{std::chrono::minutes{90}});
  EXPECT_TRUE(ToFlags(options).contains("duration"));
  EXPECT_FALSE(ToFlags(options).contains("run-time"));
  const Status both = ApplyFlags({{"run-time", "90m"}, {"duration", "90m"}}, options);
  ASSERT_FALSE(both);
  EXPECT_NE(both.error().Message().find("--duration and --run-time are the same flag"),
            std::string::npos);
}

// A duration of zero is refused, as in a configuration: with nothing to run, every start would be
// equally clean.
TEST(RunOptionsTest, ARunTakesTime) {
  for (const char* flag : {"duration", "run-time"})
    for (const char* value : {"0", "0s", "-1s"}) {
      RunOptions options;
      const Status applied = ApplyFlags({{flag, value}}, options);
      ASSERT_FALSE(applied) << value;
      EXPECT_EQ(applied.error().code, ExitCode::kUsage);
    }
}

TEST(RunOptionsTest, SourcesSurviveBeingStoredAndRead) {
  for (const FlagValues& given :
       {FlagValues{{"trace", "a.csv"}, {"forecast", "perfect"}}, FlagValues{{"constant", "56"}},
        FlagValues{{"api-url", "http://127.0.0.1/x"}},
        FlagValues{{"signal", "electricity-maps,profile"}, {"zone", "aws/eu-central-1"}}}) {
    RunOptions options, restored;
    ASSERT_TRUE(ApplyFlags(given, options));
    ASSERT_TRUE(ApplyFlags(ToFlags(options), restored));
    EXPECT_EQ(restored.scheduler.signal.source, options.scheduler.signal.source);
    EXPECT_EQ(ToFlags(restored), ToFlags(options));
  }
}

TEST(RunOptionsTest, ATraceReplacesAChainOfTheConfiguration) {
  RunOptions options;
  options.scheduler.signal.source = signals::SignalSource::kElectricityMaps;
  options.scheduler.signal.fallbacks = {signals::SignalSource::kProfile};
  ASSERT_TRUE(ApplyFlags({{"trace", "a.csv"}}, options));
  EXPECT_TRUE(options.scheduler.signal.fallbacks.empty());
}

TEST(RunOptionsTest, AThresholdAloneMeansTheThresholdPolicy) {
  RunOptions options;
  ASSERT_TRUE(ApplyFlags({{"threshold", "200"}}, options));
  EXPECT_EQ(options.scheduler.policy, plan::GatePolicyKind::kThreshold);
  ASSERT_TRUE(ApplyFlags({{"threshold", "200"}, {"policy", "now"}}, options));
  EXPECT_EQ(options.scheduler.policy, plan::GatePolicyKind::kNow);
}

TEST(RunOptionsTest, BadValuesNameTheFlagAndWhatIsAccepted) {
  RunOptions options;
  const auto message = [&](const FlagValues& given) {
    const Status status = ApplyFlags(given, options);
    return status ? std::string("accepted") : status.error().Message();
  };
  EXPECT_NE(message({{"policy", "treshold"}}).find("did you mean \"threshold\""),
            std::string::npos);
  EXPECT_NE(message({{"threshold", "-1"}}).find("--threshold"), std::string::npos);
  EXPECT_NE(message({{"start-by", "soon"}}).find("--start-by"), std::string::npos);
  EXPECT_NE(message({{"pue", "0.5"}}).find("from 1"), std::string::npos);
  EXPECT_NE(message({{"grid-start", "yesterday"}}).find("2023-05-01"), std::string::npos);
}

// A signal may have an unknown boundary, but nobody can ask a source for it.
TEST(RunOptionsTest, AnUnknownBoundaryCannotBeChosen) {
  RunOptions options;
  const Status status = ApplyFlags({{"signal-boundary", "unknown"}}, options);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().Message().find("choose one of lifecycle, direct"), std::string::npos);
  EXPECT_TRUE(ApplyFlags({{"signal-boundary", "direct"}}, options));
}

// A choice is one of its names, and a number is in the range of the option, wherever it is given.
TEST(RunOptionsTest, AFlagTakesWhatAConfigurationTakes) {
  const auto next = [](const char* flag, const char* text) {
    const Status status = CheckFlag(flag, text);
    return status ? std::string() : status.error().next;
  };
  EXPECT_EQ(next("operators", "energy-charts"), "choose one of entso-e, oasis");
  EXPECT_EQ(next("json-unit", "stone/kWh"), "choose one of g/kWh, kg/kWh, kg/MWh, t/MWh, lb/MWh");
  EXPECT_EQ(next("profile-seed", "1.5"), "give a whole number from 0 to 9000000000000000");
  EXPECT_EQ(next("constant", "10001"), "give a number from 0 to 10000");
  EXPECT_EQ(next("constant", "10000"), "");
  EXPECT_EQ(next("refresh", "99ms"), "give a duration from 100ms on, for example 30s or 5m");
  EXPECT_EQ(next("other-constant", "10000"), "");
  EXPECT_EQ(next("ram-power", "100000"), "");
  EXPECT_EQ(next("interval", "9ms"), "give a duration from 10ms to 1h");
  EXPECT_EQ(next("embodied-lifetime", "59m"),
            "give a duration from 1h on, for example 35040h for four years");
  EXPECT_FALSE(next("publication-lag", "soon").empty());
  EXPECT_EQ(next("signal", "live"), "");
}

TEST(RunOptionsTest, ContradictionsAreRefusedBeforeAnythingStarts) {
  const auto validate = [](const FlagValues& given) {
    RunOptions options;
    EXPECT_TRUE(ApplyFlags(given, options));
    return Validate(options);
  };
  EXPECT_FALSE(validate({{"policy", "window"}, {"api-url", "http://x"}}));
  EXPECT_FALSE(validate({{"trace", "a.csv"}}));
  EXPECT_FALSE(validate({{"api-url", "http://x"}, {"skip-waits", "true"}}));
  EXPECT_TRUE(validate({{"trace", "a.csv"}, {"grid-start", "2023-05-01"}}));
}

}  // namespace
}  // namespace ebb::app
