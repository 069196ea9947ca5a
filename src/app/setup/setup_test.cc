#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "app/options/missing_zone.h"
#include "app/setup/doctor.h"
#include "app/setup/new_settings.h"
#include "app/setup/shown_settings.h"
#include "app/setup/zone_knowledge.h"
#include "platform/file.h"
#include "signals/http/scripted_http_for_test.h"
#include "testing/scratch_directory.h"

namespace ebb::app {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

unsigned ModeOf(const std::string& path) {
  struct stat facts {};
  EXPECT_EQ(::stat(path.c_str(), &facts), 0) << path;
  return facts.st_mode & 0777;
}

class NewSettingsTest : public ::testing::Test {
 protected:
  UserSettings Load() {
    return LoadUserSettings(
        [this](const char* name) {
          return std::string(name) == "EBB_CONFIG" ? path_.c_str() : nullptr;
        },
        "");
  }
  const std::string path_ = (ScratchDirectory() / "ebb/config.yaml").string();
};

TEST_F(NewSettingsTest, WhatIsWrittenIsRead) {
  ASSERT_TRUE(WriteSettings({"US-CAL-CISO", "machine", "MY_KEY", "", ""}, path_));
  const UserSettings settings = Load();
  ASSERT_TRUE(settings.Check()) << settings.Check().error().Message();
  EXPECT_EQ(settings.Find("zone")->value, "US-CAL-CISO");
  EXPECT_EQ(settings.Find("metering.scope")->value, "machine");
  EXPECT_EQ(settings.Find("electricity_maps.token_env")->value, "MY_KEY");
}

TEST_F(NewSettingsTest, ATokenHasAFileOfItsOwn) {
  ASSERT_TRUE(WriteSettings({"DE", "process", "", "", "hush-hush"}, path_));
  EXPECT_THAT(*platform::ReadFile(path_), Not(HasSubstr("hush")));
  const UserSettings settings = Load();
  const std::string file = settings.Find("electricity_maps.token_file")->value;
  EXPECT_EQ(*platform::ReadFile(file), "hush-hush\n");
  EXPECT_EQ(ModeOf(file), 0600u);
}

TEST(ZoneKnowledge, SaysWhichCaseAZoneIs) {
  EXPECT_THAT(WhatIsKnownOf("GB"),
              HasSubstr("live values without a token, by uk-carbon-intensity"));
  EXPECT_THAT(WhatIsKnownOf("DE"), HasSubstr("live values without a token, by energy-charts"));
  EXPECT_THAT(WhatIsKnownOf("ZA"),
              AllOf(HasSubstr("typical days"), HasSubstr("lay 4.0 % below the mean. Live")));
  EXPECT_THAT(WhatIsKnownOf("AR"),
              AllOf(HasSubstr("typical hours are worth nothing here"), Not(HasSubstr("can wait"))));
  EXPECT_THAT(WhatIsKnownOf("KE"),
              AllOf(HasSubstr("only the yearly mean of Kenya"),
                    HasSubstr("nothing is known about its hours, so nothing can be gained")));
  EXPECT_THAT(WhatIsKnownOf("AQ"), HasSubstr("not known at all"));
  EXPECT_THAT(WhatIsKnownOf("aws/af-south-1"),
              AllOf(HasSubstr("draws from the zone ZA"), HasSubstr("typical days")))
      << "of a cloud region what its zone has";
}

TEST(ZoneKnowledge, ATokenIsTriedOnceAndWhatCameBackIsSaid) {
  const Time now = *ParseTime("2026-05-06T12:10Z");
  NewSettings wanted;
  wanted.zone = "aws/eu-central-1";
  signals::ScriptedHttp http;
  EXPECT_EQ(WhatComesOfToken(wanted, http.Get(), now), "");
  EXPECT_TRUE(http.requests.empty());
  wanted.token = "hush-hush";
  http.Say("/latest", R"({"error":"Invalid auth-token"})", 401);
  const std::string refused = WhatComesOfToken(wanted, http.Get(), now);
  EXPECT_THAT(refused,
              AllOf(HasSubstr("refuses the token (HTTP status 401)"), HasSubstr("is kept")));
  ASSERT_EQ(http.requests.size(), 1u);
  EXPECT_THAT(http.requests[0].url, HasSubstr("zone=DE"));
  EXPECT_THAT(refused, Not(HasSubstr("hush")));

  signals::ScriptedHttp takes;
  takes.Say("/latest", R"({"zone":"DE","carbonIntensity":302,"datetime":"2026-05-06T12:00:00Z"})");
  EXPECT_EQ(WhatComesOfToken(wanted, takes.Get(), now),
            "Electricity Maps takes the token; DE is at 302 g/kWh.");
  takes.unreachable = true;
  EXPECT_THAT(WhatComesOfToken(wanted, takes.Get(), now),
              AllOf(HasSubstr("cannot be reached (request failed: cannot resolve host)"),
                    HasSubstr("not checked")));
  wanted.token = "two\nlines";
  EXPECT_THAT(WhatComesOfToken(wanted, takes.Get(), now), Not(HasSubstr("takes the token")));
}

TEST(ZoneKnowledge, WhatWouldBeBetterIsOfferedWithWhereAFreeKeyIsHad) {
  const auto names = [](const std::string& zone) {
    std::vector<std::string> offered;
    for (const signals::KeyService* service : TokensFor(zone))
      offered.emplace_back(service->settings);
    return offered;
  };
  EXPECT_THAT(names("US-MIDA-PJM"), ElementsAre("electricity_maps", "eia"));
  EXPECT_THAT(names("aws/us-east-1"), ElementsAre("electricity_maps", "eia"))
      << "of a cloud region what its zone has";
  EXPECT_THAT(names("JP-TK"), ElementsAre("electricity_maps"));
  EXPECT_TRUE(names("GB").empty()) << "it is live without one";
  EXPECT_TRUE(names("aws/eu-west-2").empty());
  EXPECT_THAT(WhatIsKnownOf("US-MIDA-PJM"),
              AllOf(HasSubstr("https://portal.electricitymaps.com: hours with imports"),
                    HasSubstr("EIA (https://www.eia.gov/opendata: what plants generate, hours")));
}

TEST(ZoneKnowledge, AKeyOfEiaIsTriedAndItsLatestHourIsSaid) {
  const Time now = *ParseTime("2026-05-06T12:10Z");
  NewSettings wanted;
  wanted.zone = "US-MIDA-PJM";
  wanted.token_of = "eia";
  wanted.token = "hush-hush";
  signals::ScriptedHttp refuses;
  refuses.Say("/v2/electricity", R"({"error":{"code":"API_KEY_INVALID"}})", 403);
  EXPECT_THAT(WhatComesOfToken(wanted, refuses.Get(), now),
              AllOf(HasSubstr("EIA refuses the token (HTTP status 403)"),
                    HasSubstr("https://www.eia.gov/opendata"), Not(HasSubstr("hush"))));
  ASSERT_EQ(refuses.requests.size(), 1u);
  EXPECT_THAT(refuses.requests[0].url, HasSubstr("=PJM&"));
  signals::ScriptedHttp takes;
  takes.Say("/v2/electricity",
            R"({"response":{"total":"2","dateFormat":"YYYY-MM-DD\"T\"HH24","data":[
    {"period":"2026-05-06T08","respondent":"PJM","fueltype":"NG","value":"50","value-units":"megawatthours"},
    {"period":"2026-05-06T08","respondent":"PJM","fueltype":"WND","value":"50","value-units":"megawatthours"}]}})");
  EXPECT_THAT(WhatComesOfToken(wanted, takes.Get(), now),
              AllOf(HasSubstr("EIA takes the token; US-MIDA-PJM was at"),
                    HasSubstr("at 2026-05-06T07:00:00Z")));
}

TEST_F(NewSettingsTest, ATokenGoesToTheSettingsOfItsService) {
  NewSettings wanted;
  wanted.zone = "US-MIDA-PJM";
  wanted.token_of = "eia";
  wanted.token = "hush-hush";
  ASSERT_TRUE(CheckNewSettings(wanted));
  ASSERT_TRUE(WriteSettings(wanted, path_));
  EXPECT_EQ(Load().Find("eia.token_file")->value, NewTokenFile(path_, "eia"));
  EXPECT_EQ(*platform::ReadFile(NewTokenFile(path_, "eia")), "hush-hush\n");
  EXPECT_FALSE(Load().Find("electricity_maps.token_file"));
  wanted.token_of = "eai";
  EXPECT_THAT(CheckNewSettings(wanted).error().Message(), HasSubstr("eia"));
}

TEST_F(NewSettingsTest, OddTextsAreQuotedAndWrongOnesRefused) {
  ASSERT_TRUE(WriteSettings({"NO", "process", "", "/a \"b\" #c: d", ""}, path_));
  EXPECT_EQ(Load().Find("zone")->value, "NO") << "and not false";
  EXPECT_EQ(Load().Find("electricity_maps.token_file")->value, "/a \"b\" #c: d");
  EXPECT_FALSE(CheckNewSettings({"DE", "all", "", "", ""}));
  EXPECT_FALSE(CheckNewSettings({"DE", "process", "not a name", "", ""}));
  EXPECT_TRUE(CheckNewSettings({"DE", "process", "NAME", "", ""}));
}

TEST(ShownSettings, EachSaysWhereItComesFrom) {
  const auto file = ScratchDirectory() / "config.yaml";
  ASSERT_TRUE(
      platform::WriteFileAtomically(file, "metering: {pue: 1.3}\nservice: {store: s.db}\n"));
  std::map<std::string, std::string> environment{{"EBB_CONFIG", file.string()},
                                                 {"ELECTRICITYMAPS_API_KEY", "hush-hush"},
                                                 {"EBB_SERVER", "http://here:1"}};
  const store::Variables variable = [&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  };
  const auto all = ShowSettings(LoadUserSettings(variable, ""), variable, {{"zone", "FR"}}, {});
  const auto of = [&](const std::string& key) {
    return *std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.key == key; });
  };
  EXPECT_EQ(of("zone").value, "FR");
  EXPECT_EQ(of("zone").where, "--zone");
  EXPECT_EQ(of("metering.pue").value, "1.3");
  EXPECT_EQ(of("metering.pue").where, file.string() + ":1");
  EXPECT_EQ(of("service.server").where, "EBB_SERVER");
  EXPECT_EQ(of("service.store").from, SettingFrom::kFile);
  EXPECT_EQ(of("metering.scope").value, "process");
  EXPECT_EQ(of("metering.scope").from, SettingFrom::kDefault);
  EXPECT_EQ(of("metering.wue_l_per_kwh").from, SettingFrom::kNothing);
  EXPECT_EQ(of("electricity_maps.token_env").where, "ELECTRICITYMAPS_API_KEY");
  for (const ShownSetting& shown : all) EXPECT_THAT(shown.value, Not(HasSubstr("hush")));
}

TEST(NeoClock, IsTheUsersUnlessOneIsNamed) {
  ::setenv("TZ", "Asia/Kolkata", 1);
  signals::SignalOptions options;
  options.zone = "DE";
  FindMissingNeoClock(options);
  EXPECT_EQ(options.neo_clock.name, "") << "it is for NEO's table alone";
  options.zone = "neo";
  FindMissingNeoClock(options);
  EXPECT_EQ(options.neo_clock.name, "Asia/Kolkata");
  EXPECT_EQ(options.neo_clock.utc_offset(Time{}), Duration{std::chrono::minutes{330}});
  RunOptions named;
  ASSERT_TRUE(ApplyFlags({{"zone", "neo"}, {"neo-time-zone", "UTC-03:30"}}, named));
  EXPECT_EQ(named.scheduler.signal.neo_clock.utc_offset(Time{}),
            Duration{-std::chrono::minutes{210}});
  EXPECT_EQ(ToFlags(named).at("neo-time-zone"), "UTC-03:30") << "a run that is resumed keeps it";
  EXPECT_FALSE(CheckFlag("neo-time-zone", "Europe/Berlim"));
  ::unsetenv("TZ");
}

TEST(Doctor, JudgesClockDiskAndService) {
  EXPECT_EQ(JudgeClock(1970, true).health, Health::kProblem);
  EXPECT_EQ(JudgeClock(2030, false).health, Health::kAdvice);
  EXPECT_EQ(JudgeClock(2030, true).health, Health::kFine);
  EXPECT_EQ(JudgeSpace("runs", "/d", 1'000'000).health, Health::kProblem);
  EXPECT_EQ(JudgeSpace("runs", "/d", 500'000'000).health, Health::kAdvice);
  EXPECT_EQ(JudgeSpace("runs", "/d", 50'000'000'000).health, Health::kFine);
  EXPECT_EQ(JudgeVersion("here", "1", "1").health, Health::kFine);
  EXPECT_THAT(JudgeVersion("here", "1", "2").text, HasSubstr("version 1, and this is 2"));
}

}  // namespace
}  // namespace ebb::app
