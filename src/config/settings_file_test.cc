#include "config/settings_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kKeys{"zone", "service.server", "metering.pue",
                                     "electricity_maps.token_file"};

Status Check(const std::string& key, const std::string& value) {
  if (key == "metering.pue" && value != "1.2")
    return Fail({ExitCode::kUsage, "\"" + value + "\" is not accepted", "", "give 1.2"});
  return {};
}

Result<Settings> Parse(const std::string& text) { return ParseSettings(text, "f", kKeys, Check); }

TEST(SettingsFile, KeysAreReadWithTheirLines) {
  const auto settings = Parse("# mine\nzone: DE\nmetering:\n  pue: 1.2\n");
  ASSERT_TRUE(settings) << settings.error().Message();
  EXPECT_EQ(settings->size(), 2u);
  EXPECT_EQ(settings->at("zone").value, "DE");
  EXPECT_EQ(settings->at("zone").Where(), "f:2");
  EXPECT_EQ(settings->at("metering.pue").Where(), "f:4");
  EXPECT_TRUE(Parse("")->empty());
  EXPECT_TRUE(Parse("zone:\n")->empty()) << "a key without a value is not given";
}

TEST(SettingsFile, AllMistakesAreReportedWithLineAndCorrection) {
  const auto settings =
      Parse("zome: DE\nmetering:\n  pue: 0.5\n  server: x\nservice: 3\nzone: [a]\n");
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().code, ExitCode::kConfiguration);
  const std::string message = settings.error().Message();
  for (const char* part :
       {"f:1: unknown key \"zome\" at the top level (did you mean \"zone\"?)",
        "f:3: metering.pue: \"0.5\" is not accepted (give 1.2)",
        "f:4: unknown key \"server\" in metering (it belongs in service)",
        "f:5: service must be a section of keys", "f:6: zone must be a text", "5 mistakes"})
    EXPECT_THAT(message, HasSubstr(part));
}

TEST(SettingsFile, ASecretIsRefusedAndNotShown) {
  for (const char* key : {"token", "api_key", "password"}) {
    const auto settings = Parse("electricity_maps:\n  " + std::string(key) + ": hush-hush\n");
    ASSERT_FALSE(settings) << key;
    EXPECT_THAT(settings.error().Message(), HasSubstr("f:2: the key " + std::string(key)));
    EXPECT_THAT(settings.error().Message(), HasSubstr("token_file"));
    EXPECT_THAT(settings.error().Message(), Not(HasSubstr("hush")));
  }
}

}  // namespace
}  // namespace ebb::config
