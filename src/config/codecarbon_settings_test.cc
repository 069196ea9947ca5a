#include "config/codecarbon_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "platform/file.h"
#include "testing/scratch_directory.h"

namespace ebb::config {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST(CodeCarbonSettings, ReadsFilesAsPythonDoes) {
  // The expected values are those that Python's configparser gives, compared key by key.
  const auto settings = ParseCodeCarbonFile(
      "# mine\r\n"
      "[DEFAULT]\r\n"
      "log_level = error\r\n"
      "pue = 9\r\n"
      "[codecarbon]\r\n"
      "Project_Name = a = b: c  \r\n"
      "pue: 1.2\r\n"
      "; not this\r\n"
      "gpu_ids = 0,\r\n"
      "   1,\r\n"
      "   2\r\n"
      "logger_preamble = 100 %% # not a comment\r\n"
      "empty =\r\n"
      "[other]\r\n"
      "wue = 5\r\n",
      "f");
  ASSERT_TRUE(settings) << settings.error().Message();
  EXPECT_THAT(*settings, SizeIs(6));
  EXPECT_EQ(settings->at("project_name").value, "a = b: c");
  EXPECT_EQ(settings->at("project_name").origin, "f:6");
  EXPECT_EQ(settings->at("pue").value, "1.2");
  EXPECT_EQ(settings->at("gpu_ids").value, "0,\n1,\n2");
  EXPECT_EQ(settings->at("logger_preamble").value, "100 % # not a comment");
  EXPECT_EQ(settings->at("log_level").value, "error");
  EXPECT_EQ(settings->at("empty").value, "");
}

TEST(CodeCarbonSettings, AFileWithoutTheSectionSaysNothing) {
  EXPECT_THAT(*ParseCodeCarbonFile("", "f"), IsEmpty());
  EXPECT_THAT(*ParseCodeCarbonFile("[DEFAULT]\npue = 2\n[other]\nx = 1\n", "f"), IsEmpty());
}

TEST(CodeCarbonSettings, MistakesAreNamedWithTheirLineAndShowNoValue) {
  const struct {
    const char *text, *message;
  } mistakes[] = {
      {"pue = 1\n", "f:1: stands before the first section"},
      {"[codecarbon\n", "f:1: is not a section"},
      {"[codecarbon]\n\nsecret-token\n", "f:3: is no \"key = value\""},
      {"[codecarbon]\n= 1\n", "f:2: is no \"key = value\""},
      {"[codecarbon]\npue = 1\nPUE = 2\n", "f:3: the key pue is given twice"},
      {"[codecarbon]\n[x]\n[codecarbon]\n", "f:3: the section [codecarbon] is given twice"},
      {"[codecarbon]\napi_key = %(secret)s\n", "f:2: api_key refers to another key"},
  };
  for (const auto& mistake : mistakes) {
    const auto settings = ParseCodeCarbonFile(mistake.text, "f");
    ASSERT_FALSE(settings) << mistake.text;
    EXPECT_EQ(settings.error().code, ExitCode::kConfiguration);
    EXPECT_THAT(settings.error().Message(), HasSubstr(mistake.message));
    EXPECT_THAT(settings.error().Message(), Not(HasSubstr("secret")));
  }
}

TEST(CodeCarbonSettings, TheEnvironmentIsReadInAnyCase) {
  const std::vector<std::string> environment{"CODECARBON_PUE=1.1", "codecarbon_wue=2", "PUE=3",
                                             "CodeCarbon_Log_Level=", "CODECARBON_=x"};
  const auto settings = CodeCarbonFromEnvironment(environment);
  EXPECT_THAT(settings, SizeIs(3));
  EXPECT_EQ(settings.at("pue").value, "1.1");
  EXPECT_EQ(settings.at("pue").origin, "CODECARBON_PUE");
  EXPECT_EQ(settings.at("wue").origin, "codecarbon_wue");
  EXPECT_EQ(settings.at("log_level").value, "");
}

TEST(CodeCarbonSettings, LaterOnesWin) {
  const auto root = ScratchDirectory("codecarbon");
  for (const char* name : {"home", "work", "none"})
    std::filesystem::create_directories(root / name);
  ASSERT_TRUE(platform::WriteFileAtomically(root / "home" / kCodeCarbonFile,
                                            "[codecarbon]\npue=1.1\nwue=1\nlog_level=info\n"));
  ASSERT_TRUE(platform::WriteFileAtomically(root / "work" / kCodeCarbonFile,
                                            "[codecarbon]\npue=1.2\nwue=2\n"));
  const std::vector<std::string> environment{"CODECARBON_PUE=1.3"};
  const auto settings =
      LoadCodeCarbonSettings((root / "home").string(), (root / "work").string(), environment);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->at("pue").value, "1.3");
  EXPECT_EQ(settings->at("wue").value, "2");
  EXPECT_THAT(settings->at("wue").origin, HasSubstr("work/.codecarbon.config:3"));
  EXPECT_EQ(settings->at("log_level").value, "info");
  EXPECT_THAT(*LoadCodeCarbonSettings("", (root / "none").string(), {}), IsEmpty());
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace ebb::config
