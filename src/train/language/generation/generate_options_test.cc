#include "train/language/generation/generate_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ebb::train {
namespace {

using Arguments = std::vector<std::string>;

std::string UsageErrorOf(const Arguments& arguments) {
  const auto request = ParseGenerateOptions(arguments);
  if (request) return "accepted";
  EXPECT_EQ(request.error().code, ExitCode::kUsage);
  return request.error().Message();
}

TEST(GenerateOptions, ReadsFlags) {
  const auto request = ParseGenerateOptions(
      Arguments{"--base", "m", "--prompt", "x", "--temperature", "0.5", "--format", "json"});
  ASSERT_TRUE(request) << request.error().Message();
  const auto& options = std::get<GenerateOptions>(*request);
  EXPECT_EQ(options.temperature, 0.5);
  EXPECT_TRUE(options.json);
  EXPECT_EQ(options.precision, Precision::kBf16);
}

TEST(GenerateOptions, MistakesAreNamed) {
  EXPECT_THAT(UsageErrorOf({"--base", "m"}), testing::HasSubstr("--prompt"));
  EXPECT_THAT(UsageErrorOf({"--base", "m", "--prompt", "x", "--topp", "1"}),
              testing::HasSubstr("--top-p"));
  EXPECT_THAT(UsageErrorOf({"--base", "m", "--prompt", "x", "--top-p", "0"}),
              testing::HasSubstr("not a number from"));
  EXPECT_THAT(UsageErrorOf({"--base", "m", "--prompt", "x", "--format", "xml"}),
              testing::HasSubstr("text or json"));
}

}  // namespace
}  // namespace ebb::train
