#include "app/options/user_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "app/jobs/service_place.h"
#include "app/options/missing_zone.h"
#include "signals/choose_source.h"
#include "testing/scratch_directory.h"

namespace ebb::app {
namespace {

using ::testing::HasSubstr;

class Settings : public ::testing::Test {
 protected:
  Settings() { environment_["HOME"] = home_.string(); }
  std::string Write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    std::filesystem::permissions(path, std::filesystem::perms{0644});
    return path.string();
  }
  std::string WriteOwn(const std::string& text) {
    return Write(home_ / ".config/ebb/config.yaml", text);
  }
  UserSettings Load() { return LoadUserSettings(Variable(), (home_ / "etc.yaml").string()); }
  store::Variables Variable() {
    return [this](const char* name) -> const char* {
      const auto found = environment_.find(name);
      return found == environment_.end() ? nullptr : found->second.c_str();
    };
  }
  FlagValues With(const FlagValues& given, SettingsFor what = SettingsFor::kRun) {
    const auto values = WithSettings(given, what, Load());
    EXPECT_TRUE(values);
    return values.value_or(FlagValues{});
  }

  const std::filesystem::path home_ = ScratchDirectory("home");
  std::map<std::string, std::string> environment_;
};

TEST_F(Settings, TheUsersFileGoesBeforeTheMachines) {
  const std::string own = WriteOwn("zone: DE\n");
  const std::string machine = Write(home_ / "etc.yaml", "metering: {pue: 1.3}\nzone: FR\n");
  const UserSettings settings = Load();
  ASSERT_TRUE(settings.Check());
  EXPECT_EQ(settings.Find("zone")->value, "DE");
  EXPECT_EQ(settings.Find("zone")->Where(), own + ":1");
  EXPECT_EQ(settings.Find("metering.pue")->Where(), machine + ":1");
  EXPECT_EQ(settings.Find("signal"), nullptr);
}

TEST_F(Settings, TheFileIsWhereTheEnvironmentSays) {
  WriteOwn("zone: DE\n");
  const std::string other = Write(home_ / "xdg/ebb/config.yaml", "zone: GB\n");
  environment_["XDG_CONFIG_HOME"] = (home_ / "xdg").string();
  EXPECT_EQ(Load().Find("zone")->value, "GB");
  environment_["EBB_CONFIG"] = Write(home_ / "mine.yaml", "zone: PL\n");
  Write(home_ / "etc.yaml", "signal: profile\n");
  EXPECT_EQ(Load().Find("zone")->value, "PL");
  EXPECT_EQ(Load().Find("signal"), nullptr) << "it alone is read";
  environment_["EBB_CONFIG"] = "none";
  EXPECT_TRUE(Load().values.empty());
  environment_["EBB_CONFIG"] = (home_ / "gone.yaml").string();
  ASSERT_FALSE(Load().Check());
  EXPECT_THAT(Load().Check().error().Message(), HasSubstr("EBB_CONFIG names it"));
}

TEST_F(Settings, ValuesAreThoseOfTheFlagsAndMistakesNameTheirLines) {
  WriteOwn(
      "zone: aws/nowhere\nsignal: wattime\nmetering:\n  pue: 0.2\n  scope: all\n"
      "time_zone: Europe/Berlim\nservice: {server: here}\n"
      "electricity_maps: {token_env: my-secret!}\n");
  const Status checked = Load().Check();
  ASSERT_FALSE(checked);
  const std::string message = checked.error().Message();
  for (const char* part : {"config.yaml:1: zone: ", "config.yaml:2: signal: ", "watttime",
                           "config.yaml:4: metering.pue: ", "config.yaml:5: metering.scope: ",
                           "config.yaml:6: time_zone: ", "Europe/Berlin",
                           "config.yaml:7: service.server: ", "config.yaml:8: electricity_maps"})
    EXPECT_THAT(message, HasSubstr(part));
  EXPECT_THAT(message, ::testing::Not(HasSubstr("my-secret")));
  EXPECT_THAT(message, ::testing::Not(HasSubstr("--pue"))) << "a key is no flag";
  EXPECT_TRUE(Load().values.empty()) << "nothing of a wrong file counts";
  EXPECT_FALSE(WithSettings({}, SettingsFor::kRun, Load()));
}

// A user who can write to the file could decide where tokens go.
TEST_F(Settings, AFileThatOthersCanWriteIsNotRead) {
  const std::string own = WriteOwn("zone: DE\n");
  std::filesystem::permissions(own, std::filesystem::perms{0666});
  ASSERT_FALSE(Load().Check());
  EXPECT_THAT(Load().Check().error().Message(), HasSubstr("chmod go-w " + own));
}

TEST_F(Settings, FlagsGoBeforeThem) {
  WriteOwn("metering: {pue: 1.4, scope: machine}\nsignal: watttime\nzone: CAISO_NORTH\n");
  FlagValues expected{
      {"pue", "1.4"}, {"scope", "machine"}, {"signal", "watttime"}, {"zone", "CAISO_NORTH"}};
  EXPECT_EQ(With({}), expected);
  expected["pue"] = "1.1";
  EXPECT_EQ(With({{"pue", "1.1"}}), expected);
  EXPECT_FALSE(With({}, SettingsFor::kQueue).contains("scope"));
  EXPECT_EQ(With({}, SettingsFor::kSignal),
            (FlagValues{{"signal", "watttime"}, {"zone", "CAISO_NORTH"}}));
}

// A source of the command line is not mixed with one of the settings.
TEST_F(Settings, ASourceOfTheCommandLineLeavesOutThatOfTheSettings) {
  WriteOwn("signal: carbon-aware-sdk\nsignal_kind: marginal\napi_url: http://127.0.0.1:1\n");
  for (const FlagValues& given :
       {FlagValues{{"trace", "a.csv"}}, FlagValues{{"constant", "5"}},
        FlagValues{{"signal", "profile"}}, FlagValues{{"grid-start", "2023-05-01T17:00Z"}}})
    EXPECT_EQ(With(given), given);
  EXPECT_EQ(With({{"zone", "westus"}}).at("signal"), "carbon-aware-sdk");
}

TEST_F(Settings, PathsAreThoseOfTheHomeOrOfTheFile) {
  WriteOwn("electricity_maps: {token_file: ~/key}\nwatttime: {token_file: wt}\n");
  EXPECT_EQ(Load().Find("electricity_maps.token_file")->value, home_.string() + "/key");
  EXPECT_EQ(Load().Find("watttime.token_file")->value, home_.string() + "/.config/ebb/wt");
}

TEST_F(Settings, ATokenThatTheyNameChoosesTheSourceThatNeedsIt) {
  WriteOwn("electricity_maps: {token_file: ~/key}\n");
  signals::SignalOptions options;
  options.zone = "ZA";
  ::unsetenv("ELECTRICITYMAPS_API_KEY");
  EXPECT_EQ(signals::ChooseSource(options, signals::ChoiceOf::kAnySource),
            signals::SignalSource::kProfile);
  ApplySecretSettings(options, Load());
  EXPECT_EQ(signals::ChooseSource(options, signals::ChoiceOf::kAnySource),
            signals::SignalSource::kElectricityMaps);
}

TEST_F(Settings, MeteringIsWhatARunsOwnFileBeginsWith) {
  WriteOwn("metering: {pue: 1.4, scope: machine, cpu_tdp_w: 65}\n");
  RunOptions options;
  ASSERT_TRUE(ApplyMeteringSettings(options, Load()));
  const auto config =
      config::ParseTrainConfig("metering: {scope: process, pue: 1}\n", "f.yaml", options.metering);
  ASSERT_TRUE(config);
  EXPECT_EQ(config->metering.scope, core::MeterScope::kProcessTree);
  EXPECT_EQ(config->metering.pue.ratio, 1);
  EXPECT_EQ(config->metering.cpu_tdp->watts, 65) << "the file says nothing of it";
}

TEST_F(Settings, TheServiceIsTheirsUnlessTheEnvironmentNamesOne) {
  const std::string own =
      WriteOwn("service: {server: http://elsewhere:1, token_file: ~/token, store: ~/my.db}\n");
  const UserSettings settings = Load();
  ServiceSources sources;
  sources.variable = Variable();
  sources.settings = &settings;
  const auto found = FindService({}, sources);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->url, "http://elsewhere:1");
  EXPECT_EQ(found->token_file, home_.string() + "/token");
  EXPECT_EQ(found->origin, own + ":1");
  environment_["EBB_SERVER"] = "http://other:2";
  EXPECT_EQ(FindService({}, sources)->url, "http://other:2");
  EXPECT_EQ(FindService({}, sources)->token_file, "") << "their token is for their address";
}

// The user's address does not get the token that the machine's file names for its own address.
TEST_F(Settings, ATokenIsForTheAddressInTheSameFile) {
  WriteOwn("service: {server: http://elsewhere:1}\n");
  Write(home_ / "etc.yaml", "service: {server: http://machine:1, token_file: /secret}\n");
  const UserSettings settings = Load();
  ServiceSources sources;
  sources.variable = Variable();
  sources.settings = &settings;
  EXPECT_EQ(FindService({}, sources)->url, "http://elsewhere:1");
  EXPECT_EQ(FindService({}, sources)->token_file, "");
}

}  // namespace
}  // namespace ebb::app
