#include "signals/make_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "core/signal/one_value.h"
#include "forecast/typical_forecaster.h"
#include "signals/choose_source.h"
#include "signals/make_provider.h"
#include "signals/providers/electricity_maps.h"
#include "signals/traces/expat.h"
#include "testing/scratch_directory.h"

namespace ebb::signals {
namespace {

using std::chrono::days;
using std::chrono::hours;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Time kDay = *ParseTime("2023-05-01");

std::string TraceFile() {
  const std::filesystem::path path = ScratchDirectory() / "DE_test_2023_hourly_direct.csv";
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

TEST(MakeFeed, ByDefaultTypicalDaysOfTheZoneAndNothingWithoutOne) {
  SignalOptions options;
  const auto nowhere = MakeFeed(options);
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().Message().find("EBB_ZONE"), std::string::npos);
  options.zone = "US-CAL-CISO";
  const auto feed = MakeFeed(options);
  ASSERT_TRUE(feed) << feed.error().Message();
  EXPECT_EQ(Describe((*feed)->identity()),
            "US-CAL-CISO, average, life cycle: typical days (means 2022-2023) with seeded "
            "variation, modelled");
  EXPECT_FALSE((*feed)->Coverage());
}

TEST(MakeFeed, ReplaysATraceAndTakesOverrides) {
  SignalOptions options = Replay();
  EXPECT_EQ(Describe((*MakeFeed(options))->identity()),
            "DE, average, direct: replay of DE_test_2023_hourly_direct.csv, each value known 1h 0m "
            "after its interval");
  options.zone = "my-grid";
  options.kind = core::SignalKind::kMarginal;
  options.boundary = core::Boundary::kLifecycle;
  EXPECT_EQ(Describe((*MakeFeed(options))->identity()),
            "my-grid, marginal, life cycle: replay of DE_test_2023_hourly_direct.csv, each value "
            "known 1h 0m after its interval");
}

TEST(MakeFeed, MakesNeosTableAndAConstant) {
  SignalOptions options;
  options.zone = "neo";
  EXPECT_THAT(Describe((*MakeFeed(options))->identity()), HasSubstr("NEO's mock table"));
  options = {};
  options.source = SignalSource::kConstant;
  options.constant = Intensity{90};
  EXPECT_THAT(Describe((*MakeFeed(options))->identity()), HasSubstr("unnamed zone"));
}

TEST(MakeFeed, AYearlyAverageIsThatOfTheCountryAndSaysSo) {
  SignalOptions options;
  options.source = SignalSource::kYearlyAverage;
  for (const char* place : {"FR", "FRA", "france"}) {
    options.zone = place;
    EXPECT_EQ(
        Describe((*MakeFeed(options))->identity()),
        "FR, average, life cycle: yearly average 2023 of France, 56.039 g/kWh, modelled (Ember "
        "and Energy Institute by Our World in Data, CC BY 4.0)");
  }
  options.zone = "US-CAL-CISO";
  EXPECT_THAT(Describe((*MakeFeed(options))->identity()),
              HasSubstr("US-CAL-CISO, average, life cycle: yearly average 2023 of United States"));
}

TEST(MakeFeed, AYearlyAverageThatIsNotKnownIsAnErrorAndNoWorldMean) {
  SignalOptions options;
  options.source = SignalSource::kYearlyAverage;
  for (const auto& [place, message] : std::vector<std::pair<std::string, std::string>>{
           {"", "needs a country"},
           {"UK", "\"UK\" is not a country (did you mean \"GBR\"?)"},
           {"neo", "is not a country"},
           {"ATA", "no yearly average of Antarctica is known"}}) {
    options.zone = place;
    const auto feed = MakeFeed(options);
    ASSERT_FALSE(feed) << place;
    EXPECT_EQ(feed.error().code, ExitCode::kConfiguration);
    EXPECT_THAT(feed.error().Message(), HasSubstr(message));
  }
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

TEST(MakeFeed, TheSourcesWithoutAKeyOfAZoneTheBestFirst) {
  using enum SignalSource;
  EXPECT_THAT(KeylessSources("DE"), ElementsAre(kEnergyCharts));
  EXPECT_THAT(KeylessSources("GB"), ElementsAre(kUkCarbonIntensity, kEnergyCharts));
  EXPECT_THAT(KeylessSources("US-CAL-CISO"), ElementsAre(kCaiso));
  EXPECT_THAT(KeylessSources("US-NY-NYIS"), ElementsAre(kNyiso));
  EXPECT_THAT(KeylessSources("US-TEX-ERCO"), ElementsAre(kErcot));
  EXPECT_THAT(KeylessSources("US-MIDW-MISO"), ElementsAre(kMiso));
  EXPECT_THAT(KeylessSources("US-CENT-SWPP"), ElementsAre(kSpp));
  EXPECT_THAT(KeylessSources("CA-ON"), ElementsAre(kIeso));
  EXPECT_THAT(KeylessSources("AU-NSW"), ElementsAre(kOpenElectricity));
  EXPECT_TRUE(KeylessSources("AU-WA").empty()) << "its values come a day late";
  EXPECT_TRUE(KeylessSources("JP-TK").empty());
  EXPECT_TRUE(KeylessSources("").empty());
}

TEST(MakeFeed, ALiveSourceSaysWhatItNeedsAndShowsNoSecret) {
  const auto message = [](SignalSource source, auto change) {
    SignalOptions options;
    options.source = source;
    options.zone = "DE";
    change(options);
    const auto made = ProviderOf(options);
    EXPECT_FALSE(made);
    return made ? "" : made.error().Message();
  };
  ::unsetenv("ELECTRICITYMAPS_API_KEY");
  ::setenv("EBB_TEST_TOKEN", "s3cret", 1);
  ::setenv("EBB_TEST_BAD_TOKEN", "s3cret\x01", 1);
  const auto keep = [](SignalOptions&) {};
  EXPECT_THAT(message(SignalSource::kElectricityMaps, keep), HasSubstr("ELECTRICITYMAPS_API_KEY"));
  EXPECT_THAT(message(SignalSource::kElectricityMaps, [](SignalOptions& o) { o.zone = ""; }),
              HasSubstr("which zone"));
  EXPECT_THAT(message(SignalSource::kUkCarbonIntensity, keep), HasSubstr("GB-RG41"));
  EXPECT_THAT(message(SignalSource::kWattTime, keep), HasSubstr("WATTTIME_USER"));
  EXPECT_THAT(message(SignalSource::kCarbonAwareSdk, keep), HasSubstr("--signal-kind"));
  EXPECT_THAT(message(SignalSource::kCarbonAwareSdk,
                      [](SignalOptions& o) { o.kind = core::SignalKind::kMarginal; }),
              HasSubstr("web address"));
  const auto open = [](SignalOptions& o) {
    o.url = "http://localhost.example/v3";
    o.auth_env = "EBB_TEST_TOKEN";
  };
  EXPECT_THAT(message(SignalSource::kElectricityMaps, open), HasSubstr("not sent unencrypted"));
  const auto forged = [](SignalOptions& o) { o.auth_env = "EBB_TEST_BAD_TOKEN"; };
  const std::string refused = message(SignalSource::kElectricityMaps, forged);
  EXPECT_THAT(refused, HasSubstr("control character"));
  EXPECT_THAT(refused, ::testing::Not(HasSubstr("s3cret")));
  EXPECT_THAT(message(SignalSource::kHttp,
                      [](SignalOptions& o) {
                        o.url = "https://x";
                        o.json.unit = "percentile";
                      }),
              HasSubstr("lb/MWh"));
}

// A service forgets its secrets once its feed is made (cli/serving.h), so links keep them.
TEST(SourceChain, ALinkThatIsOpenedLaterStillHasItsSecret) {
  ::setenv(kElectricityMapsKeyVariable, "the-key", 1);
  SignalOptions options;
  options.source = SignalSource::kHttp;
  options.fallbacks = {SignalSource::kElectricityMaps};
  options.url = "https://grid.example/now";
  options.zone = "DE";
  options.outage = {Duration{0}, Duration{0}};
  options.cache_directory = "";
  std::atomic<bool> asked_with_key = false;
  const auto feed = MakeFeed(
      options, [&](const platform::HttpRequest& request) -> Result<platform::HttpResponse> {
        if (request.url.starts_with("https://grid.example"))
          return platform::HttpResponse{200, R"({"carbonIntensity": 300})"};
        for (const std::string& header : request.headers)
          if (header == "auth-token: the-key") asked_with_key = true;
        return platform::HttpResponse{404, "{}"};
      });
  ::unsetenv(kElectricityMapsKeyVariable);
  ASSERT_TRUE(feed) << feed.error().Message();
  EXPECT_FALSE(asked_with_key) << "the first source stands";
  const Time now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  std::ignore = (*feed)->Observe(now + std::chrono::hours{3}, {});
  for (int i = 0; i < 2000 && !asked_with_key; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  EXPECT_TRUE(asked_with_key);
}

TEST(SourceChain, IsSpelledOutAndNeverFallsBackToAModelWhereNoKeyIsNeeded) {
  SignalOptions options;
  options.zone = "GB";
  ::unsetenv("ELECTRICITYMAPS_API_KEY");
  EXPECT_EQ(*ChooseSource(options, ChoiceOf::kAnySource), SignalSource::kUkCarbonIntensity);
  EXPECT_EQ(DescribeChain(options),
            "electricity-maps (not used: ELECTRICITYMAPS_API_KEY is not set), uk-carbon-intensity "
            "(needs no key), energy-charts (not used: only when named), profile (not used: "
            "modelled, only when named)");
  ::setenv("ELECTRICITYMAPS_API_KEY", "s3cret", 1);
  EXPECT_EQ(*ChooseSource(options, ChoiceOf::kAnySource), SignalSource::kElectricityMaps)
      << "a key of one's own goes before what anybody gets";
  EXPECT_THAT(DescribeChain(options), HasSubstr("uk-carbon-intensity (not used: only when named)"));
  ::unsetenv("ELECTRICITYMAPS_API_KEY");
}

// A service that publishes late is better than a model, and worse than a live source.
TEST(SourceChain, KeysOfLateServicesComeAfterLiveSourcesAndBeforeModels) {
  for (const char* variable : {"ELECTRICITYMAPS_API_KEY", "EIA_API_KEY", "ENTSOE_API_KEY"})
    ::unsetenv(variable);
  SignalOptions options;
  options.zone = "US-MIDA-PJM";
  EXPECT_EQ(*ChooseSource(options, ChoiceOf::kAnySource), SignalSource::kProfile);
  EXPECT_THAT(DescribeChain(options), HasSubstr("eia-930 (not used: EIA_API_KEY is not set)"));
  options.eia_secret.file = "/where/it/is";
  EXPECT_EQ(*ChooseSource(options, ChoiceOf::kAnySource), SignalSource::kEia930);
  EXPECT_THAT(DescribeChain(options),
              HasSubstr("eia-930 (a key is set: what plants generate, hours"));
  EXPECT_THAT(ProviderOf([&] {
                SignalOptions eia = options;
                eia.source = SignalSource::kEia930;
                return eia;
              }())
                  .error()
                  .Message(),
              HasSubstr("/where/it/is"));
  options.zone = "US-NY-NYIS";
  EXPECT_EQ(*ChooseSource(options, ChoiceOf::kAnySource), SignalSource::kNyiso);
  EXPECT_THAT(DescribeChain(options), HasSubstr("eia-930 (not used: only when named)"));
  ::setenv("EIA_API_KEY", "s3cret", 1);
  options = {};
  options.zone = "US-TEN-TVA";
  EXPECT_EQ(*ChooseSource(options, ChoiceOf::kAnySource), SignalSource::kEia930);
  ::unsetenv("EIA_API_KEY");
}

TEST(SourceChain, ATokenOfEntsoeServesZonesOfEuropeThatNobodyElseDoes) {
  SignalOptions options;
  for (const char* variable : {"ELECTRICITYMAPS_API_KEY", "ENTSOE_API_KEY"}) ::unsetenv(variable);
  options.zone = "DK-DK1";
  EXPECT_EQ(*ChooseSource(options, ChoiceOf::kAnySource), SignalSource::kProfile);
  ::setenv("ENTSOE_API_KEY", "s3cret", 1);
  EXPECT_EQ(*ChooseSource(options, ChoiceOf::kAnySource),
            MissingLibraryOf(SignalSource::kEntsoe).empty() ? SignalSource::kEntsoe
                                                            : SignalSource::kProfile);
  options.zone = "DE";
  EXPECT_EQ(*ChooseSource(options, ChoiceOf::kAnySource), SignalSource::kEnergyCharts);
  ::unsetenv("ENTSOE_API_KEY");
}

TEST(SourceChain, EndsInTypicalDaysAndThenTheYearlyMeanAndSaysHowGoodTheyAre) {
  SignalOptions options;
  ::unsetenv("ELECTRICITYMAPS_API_KEY");
  EXPECT_EQ(LiveWithoutKey("DE"), SignalSource::kEnergyCharts);
  EXPECT_EQ(LiveWithoutKey("US-TEN-TVA"), std::nullopt);
  options.zone = "US-TEN-TVA";
  EXPECT_EQ(*ChooseSource(options, ChoiceOf::kAnySource), SignalSource::kProfile);
  EXPECT_THAT(DescribeChain(options), HasSubstr("profile (modelled: in 2024 the six hours that "
                                                "they call cleanest lay 2.6 % below the mean)"));
  options.zone = "KE";
  EXPECT_EQ(*ChooseSource(options, ChoiceOf::kAnySource), SignalSource::kYearlyAverage);
  EXPECT_THAT(DescribeChain(options),
              HasSubstr("yearly-average (modelled, one value for all hours)"));
  const auto live = ChooseSource(options, ChoiceOf::kLiveOnly);
  ASSERT_FALSE(live);
  EXPECT_THAT(live.error().Message(), HasSubstr("ELECTRICITYMAPS_API_KEY is not set"));
  ::setenv("ELECTRICITYMAPS_API_KEY", "s3cret", 1);
  EXPECT_EQ(*ChooseSource(options, ChoiceOf::kAnySource), SignalSource::kElectricityMaps);
  EXPECT_THAT(DescribeChain(options), HasSubstr("yearly-average (not used: modelled, only when"));
  ::unsetenv("ELECTRICITYMAPS_API_KEY");
  options.zone = "AQ";
  EXPECT_THAT(DescribeChain(options), HasSubstr("profile (not used: no typical days of this zone"));
}

TEST(SourceChain, ASourceWhoseReaderIsNotInstalledIsNotTaken) {
  ::unsetenv("ELECTRICITYMAPS_API_KEY");
  SignalOptions options;
  options.zone = "CA-ON";
  const bool can_read = LibExpat().has_value();
  const auto chosen = can_read ? SignalSource::kIeso : SignalSource::kProfile;
  EXPECT_EQ(*ChooseSource(options, ChoiceOf::kAnySource), chosen);
  EXPECT_EQ(LiveWithoutKey("CA-ON").has_value(), can_read);
  EXPECT_THAT(DescribeChain(options),
              HasSubstr(can_read ? "ieso (needs no key)"
                                 : "ieso (not used: libexpat.so.1 is not installed)"));
}

// An answer of Energy-Charts: values until half an hour ago, and expected ones after.
platform::HttpResponse EnergyChartsAnswer(Time now) {
  std::string times, measured, expected;
  const auto hour = std::chrono::floor<std::chrono::hours>(now);
  for (int i = -8; i < 96; ++i) {
    const std::string comma = i > -8 ? "," : "";
    const auto at = hour + std::chrono::minutes{15 * i};
    times += comma + std::to_string(
                         std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count());
    measured += comma + (at <= now - std::chrono::minutes{30} ? "300" : "null");
    expected += comma + std::to_string(250 + i);
  }
  return {200, "{\"unix_seconds\":[" + times + "],\"co2eq\":[" + measured +
                   "],\"co2eq_forecast\":[" + expected + "],\"deprecated\":false}"};
}

// New York ISO's answer for a day: rows until now, in its local standard time.
platform::HttpResponse NewYorkAnswer(const std::string& url, Time now) {
  const std::string day = url.substr(url.find("rtfuelmix/") + 10, 8);
  const std::string iso = day.substr(0, 4) + "-" + day.substr(4, 2) + "-" + day.substr(6, 2);
  std::string text = "Time Stamp,Time Zone,Fuel Category,Gen MW\r\n";
  for (int minute = 0; minute < 24 * 60; minute += 5) {
    char clock[16];
    std::snprintf(clock, sizeof clock, "%02d:%02d:00", minute / 60, minute % 60);
    if (*ParseTime(iso + "T" + clock + "-05:00") > now) break;
    const int wind = minute / 60 > 8 && minute / 60 < 17 ? 2000 : 500;
    for (const std::string fuel : {"Natural Gas,3200", "Nuclear,3100", "Hydro,2800"})
      text += day.substr(4, 2) + "/" + day.substr(6, 2) + "/" + day.substr(0, 4) + " " + clock +
              ",EST," + fuel + "\r\n";
    text += day.substr(4, 2) + "/" + day.substr(6, 2) + "/" + day.substr(0, 4) + " " + clock +
            ",EST,Wind," + std::to_string(wind) + "\r\n";
  }
  return {200, text};
}

// The sources that a new user without a key gets for a zone, while the services answer.
TEST(SourceChain, HoursAreKnownInElevenOfTwelvePlacesOfTheWorld) {
  ::unsetenv("ELECTRICITYMAPS_API_KEY");
  const Time now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const auto answer = [&](const platform::HttpRequest& request) -> Result<platform::HttpResponse> {
    if (request.url.find("/co2eq") != std::string::npos) return EnergyChartsAnswer(now);
    if (request.url.find("/rtfuelmix/") != std::string::npos)
      return NewYorkAnswer(request.url, now);
    return platform::HttpResponse{404, "{}"};
  };
  std::vector<std::string> without_hours;
  for (const char* zone : {"US-NY-NYIS", "NL", "CH", "FR", "KR", "US-MIDA-PJM", "AU-WA", "JP-TK",
                           "IN-WE", "BR-CS", "ZA", "KE"}) {
    SignalOptions options;
    options.zone = zone;
    options.cache_directory = "";
    options.source = *ChooseSource(options, ChoiceOf::kAnySource);
    const auto feed = MakeFeed(options, answer);
    ASSERT_TRUE(feed) << zone << ": " << feed.error().Message();
    const auto view = (*feed)->Observe(now, std::chrono::hours{20});
    ASSERT_TRUE(view) << zone << ": " << view.error().Message();
    if (view->forecast.series.empty() || !core::KnowsHours(*view)) without_hours.push_back(zone);
  }
  EXPECT_THAT(without_hours, ::testing::ElementsAre("KE")) << "of it the yearly mean is known";
}

TEST(MakeFeed, ALiveSourceBeginsWithTheTypicalDaysOfItsZone) {
  const Time now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  SignalOptions options;
  options.source = SignalSource::kNyiso;
  options.zone = "US-NY-NYIS";
  options.cache_directory = "";
  const auto feed = MakeFeed(options, [&](const platform::HttpRequest& request) {
    return Result<platform::HttpResponse>(NewYorkAnswer(request.url, now));
  });
  ASSERT_TRUE(feed) << feed.error().Message();
  const auto view = (*feed)->Observe(now, hours{20});
  ASSERT_TRUE(view) << view.error().Message();
  EXPECT_EQ(view->forecast.method, forecast::kTypicalMethod);
}

TEST(CheckCoverage, RefusesATimeThatTheTraceDoesNotHold) {
  const auto feed = *MakeFeed(Replay());
  EXPECT_TRUE(CheckCoverage(*feed, {kDay, kDay + hours{2}}));
  const auto outside = CheckCoverage(*feed, {kDay + days{1}, kDay + days{2}});
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().code, ExitCode::kConfiguration);
  EXPECT_THAT(outside.error().Message(),
              HasSubstr("the trace covers 2023-05-01T00:00:00Z to 2023-05-01T02:00:00Z"));
  SignalOptions profile;
  profile.zone = "DE";
  EXPECT_TRUE(CheckCoverage(**MakeFeed(profile), {kDay, kDay + days{900}}));
}

TEST(Names, OfSourcesAndForecastsReadBack) {
  for (const std::string& name : SignalSourceNames())
    EXPECT_EQ(Name(*SignalSourceFromName(name)), name);
  for (const auto mode : {ForecastMode::kAuto, ForecastMode::kArchived, ForecastMode::kHistory,
                          ForecastMode::kPerfect})
    EXPECT_EQ(ForecastModeFromName(Name(mode)), mode);
  EXPECT_FALSE(SignalSourceFromName("oracle"));
}

TEST(MakeFeed, ATraceThatIsNotThereSaysHowToGetIt) {
  SignalOptions options;
  options.source = SignalSource::kReplay;
  options.trace_path = "/no/such/trace.csv";
  options.how_to_get = "download it from there";
  const auto feed = MakeFeed(options, nullptr);
  ASSERT_FALSE(feed);
  EXPECT_EQ(feed.error().code, ExitCode::kUnavailable);
  EXPECT_THAT(feed.error().Message(), HasSubstr("/no/such/trace.csv"));
  EXPECT_THAT(feed.error().Message(), HasSubstr("(download it from there)"));
}

// The user's settings hold for every command. So a secret named there is never sent to another
// server, and this command and the provider's own variable come first.
TEST(MakeFeed, TheSecretOfTheSettingsIsForTheProviderItselfAlone) {
  ::unsetenv("ELECTRICITYMAPS_API_KEY");
  SignalOptions options;
  options.source = SignalSource::kElectricityMaps;
  options.zone = "DE";
  options.electricity_maps_secret = {"", "/nonexistent/of-settings"};
  EXPECT_THAT(ProviderOf(options).error().Message(), HasSubstr("/nonexistent/of-settings"));
  SignalOptions elsewhere = options;
  elsewhere.url = "https://elsewhere.example/v4";
  EXPECT_THAT(ProviderOf(elsewhere).error().Message(), HasSubstr("ELECTRICITYMAPS_API_KEY"));
  SignalOptions given = options;
  given.auth_file = "/nonexistent/given";
  EXPECT_THAT(ProviderOf(given).error().Message(), HasSubstr("/nonexistent/given"));
  ::setenv("ELECTRICITYMAPS_API_KEY", "s3cret", 1);
  EXPECT_TRUE(ProviderOf(options));
  ::unsetenv("ELECTRICITYMAPS_API_KEY");
  options.source = SignalSource::kWattTime;
  options.watttime_secret = {"EBB_TEST_NO_SUCH", ""};
  ::unsetenv("WATTTIME_USER");
  EXPECT_THAT(ProviderOf(options).error().Message(), HasSubstr("EBB_TEST_NO_SUCH"));
}

}  // namespace
}  // namespace ebb::signals
