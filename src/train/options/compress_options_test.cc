#include "train/options/compress_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "train/options/evaluate_options.h"

namespace ebb::train {
namespace {

using Arguments = std::vector<std::string>;
using ::testing::HasSubstr;

TEST(CompressFlags, SayHow) {
  const auto request =
      ParseCompressOptions(Arguments{"a.safetensors", "--prune", "0.8", "--int8", "--output", "b"});
  ASSERT_TRUE(request) << request.error().Message();
  const auto& options = std::get<CompressOptions>(*request);
  EXPECT_EQ(options.model, "a.safetensors");
  EXPECT_EQ(options.output, "b");
  EXPECT_EQ(options.pruned, 0.8);
  EXPECT_TRUE(options.int8);
}

TEST(CompressFlags, MistakesAreUsageErrors) {
  for (const auto& [arguments, said] :
       {std::pair<Arguments, std::string>{{"a", "--output", "b"}, "--int8, --prune SHARE or both"},
        {{"a", "--int8"}, "--output"},
        {{"--int8", "--output", "b"}, "model"},
        {{"a", "--prune", "1", "--output", "b"}, "from 0 to 0.9999"},
        {{"a", "--int", "--output", "b"}, "did you mean \"--int8\"?"},
        {{"a", "b", "--int8", "--output", "c"}, "unknown argument \"b\""}}) {
    const auto request = ParseCompressOptions(arguments);
    ASSERT_FALSE(request) << said;
    EXPECT_EQ(request.error().code, ExitCode::kUsage);
    EXPECT_THAT(request.error().Message(), HasSubstr(said));
  }
}

TEST(EvaluateFlags, NameAModelAndImages) {
  const auto request = ParseEvaluateOptions(
      Arguments{"a.safetensors", "--data", "digits", "--test-samples", "100", "--repeat", "5"});
  ASSERT_TRUE(request) << request.error().Message();
  const auto& options = std::get<EvaluateOptions>(*request);
  EXPECT_EQ(options.model, "a.safetensors");
  EXPECT_EQ(options.data, DataSource::kDigits);
  EXPECT_EQ(options.test_samples, 100);
  EXPECT_EQ(options.repeat, 5);
  for (const auto& [arguments, said] :
       {std::pair<Arguments, std::string>{{}, "model is required"},
        {{"a", "--data", "digit"}, "did you mean \"digits\"?"},
        {{"a", "--train-samples", "5"}, "unknown argument \"--train-samples\""}}) {
    const auto refused = ParseEvaluateOptions(arguments);
    ASSERT_FALSE(refused) << said;
    EXPECT_THAT(refused.error().Message(), HasSubstr(said));
  }
}

}  // namespace
}  // namespace ebb::train
