#include "signals/make_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace ebb::signals {
namespace {

using std::chrono::days;
using std::chrono::hours;
using ::testing::HasSubstr;

const Time kDay = *ParseTime("2023-05-01");

std::string TraceFile() {
  const std::string path = ::testing::TempDir() + "DE_test_2023_hourly_direct.csv";
  std::ofstream(path) << "timestamp,carbon_intensity\n2023-05-01T00:00Z,100\n"
                         "2023-05-01T01:00Z,200\n";
  return path;
}

SignalOptions Replay() {
  SignalOptions options;
  options.source = SignalSource::kReplay;
  options.trace_path = TraceFile();
  return options;
}

TEST(MakeFeed, ByDefaultTypicalDaysOfCalifornia) {
  const auto feed = MakeFeed(SignalOptions{});
  ASSERT_TRUE(feed) << feed.error().Message();
  EXPECT_EQ(Describe((*feed)->identity()),
            "US-CAL-CISO, average, life cycle: typical days (means 2022-2023) with seeded "
            "variation, modelled");
  EXPECT_FALSE((*feed)->Coverage());
}

TEST(MakeFeed, ReplaysATraceAndTakesOverrides) {
  SignalOptions options = Replay();
  EXPECT_EQ(Describe((*MakeFeed(options))->identity()),
            "DE, average, direct: replay of DE_test_2023_hourly_direct.csv");
  options.zone = "my-grid";
  options.kind = core::SignalKind::kMarginal;
  options.boundary = core::Boundary::kLifecycle;
  EXPECT_EQ(Describe((*MakeFeed(options))->identity()),
            "my-grid, marginal, life cycle: replay of DE_test_2023_hourly_direct.csv");
}

TEST(MakeFeed, MakesNeosTableAConstantAndALiveFeed) {
  SignalOptions options;
  options.zone = "neo";
  EXPECT_THAT(Describe((*MakeFeed(options))->identity()), HasSubstr("NEO's mock table"));
  options = {};
  options.source = SignalSource::kConstant;
  options.constant = Intensity{90};
  EXPECT_THAT(Describe((*MakeFeed(options))->identity()), HasSubstr("unnamed zone"));
  options = {};
  options.source = SignalSource::kHttp;
  options.url = "https://grid.example/latest";
  int asked = 0;
  const auto live = MakeFeed(options, [&](const platform::HttpRequest&) {
    ++asked;
    return platform::HttpResponse{200, R"({"value": 1})"};
  });
  ASSERT_TRUE(live);
  EXPECT_EQ(asked, 0) << "nothing is asked before it is needed";
  EXPECT_EQ((*live)->Observe(kDay, hours{1})->Current()->intensity.g_per_kwh, 1);
}

TEST(MakeFeed, SaysWhatIsMissing) {
  SignalOptions options;
  for (const auto& [source, message] :
       std::vector<std::pair<SignalSource, const char*>>{{SignalSource::kReplay, "needs a trace"},
                                                         {SignalSource::kConstant, "its value"},
                                                         {SignalSource::kHttp, "web address"}}) {
    options.source = source;
    const auto feed = MakeFeed(options);
    ASSERT_FALSE(feed);
    EXPECT_EQ(feed.error().code, ExitCode::kConfiguration);
    EXPECT_THAT(feed.error().Message(), HasSubstr(message));
  }
}

TEST(CheckCoverage, RefusesATimeThatTheTraceDoesNotHold) {
  const auto feed = *MakeFeed(Replay());
  EXPECT_TRUE(CheckCoverage(*feed, {kDay, kDay + hours{2}}));
  const auto outside = CheckCoverage(*feed, {kDay + days{1}, kDay + days{2}});
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().code, ExitCode::kConfiguration);
  EXPECT_THAT(outside.error().Message(),
              HasSubstr("the trace covers 2023-05-01T00:00:00Z to 2023-05-01T02:00:00Z"));
  EXPECT_TRUE(CheckCoverage(**MakeFeed(SignalOptions{}), {kDay, kDay + days{900}}));
}

TEST(Names, OfSourcesAndForecastsReadBack) {
  for (const auto source : {SignalSource::kReplay, SignalSource::kProfile, SignalSource::kConstant,
                            SignalSource::kHttp})
    EXPECT_EQ(SignalSourceFromName(Name(source)), source);
  for (const auto mode : {ForecastMode::kAuto, ForecastMode::kArchived, ForecastMode::kHistory,
                          ForecastMode::kPerfect})
    EXPECT_EQ(ForecastModeFromName(Name(mode)), mode);
  EXPECT_FALSE(SignalSourceFromName("oracle"));
}

}  // namespace
}  // namespace ebb::signals
