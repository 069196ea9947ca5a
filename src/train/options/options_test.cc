#include "train/options/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::train {
namespace {

using Arguments = std::vector<std::string>;

Options Parsed(const Arguments& arguments, const Environment& environment = {}) {
  const auto request = ParseOptions(arguments, environment);
  EXPECT_TRUE(request) << request.error().Message();
  return request ? std::get<Options>(*request) : Options{};
}

std::string UsageErrorOf(const Arguments& arguments) {
  const auto request = ParseOptions(arguments, {});
  if (request) return "accepted";
  EXPECT_EQ(request.error().code, ExitCode::kUsage);
  return request.error().Message();
}

TEST(Options, DefaultsAreTheArticlesBaseline) {
  const Options options = Parsed({});
  EXPECT_EQ(options.model, "simple-cnn");
  EXPECT_EQ(options.batch_size, 64);
  EXPECT_EQ(options.epochs, 3);
  EXPECT_EQ(options.learning_rate.initial, 1e-3);
  EXPECT_EQ(options.checkpoint_dir, "runs/train/checkpoints");
  EXPECT_EQ(options.model_save_path, "runs/train/model.safetensors");
}

TEST(Options, ReadsFlags) {
  const Options options =
      Parsed({"--data=digits", "--batch-size", "16", "--accumulation", "4", "--precision", "bf16",
              "--lr-schedule", "cosine", "--seed", "9", "--no-download"});
  EXPECT_EQ(options.data, DataSource::kDigits);
  EXPECT_EQ(options.batch_size * options.accumulation, 64);
  EXPECT_EQ(options.precision, Precision::kBf16);
  EXPECT_EQ(options.learning_rate.kind, ScheduleKind::kCosine);
  EXPECT_EQ(options.seed, 9U);
  EXPECT_FALSE(options.download);
}

TEST(Options, TheLastOfARepeatedFlagWins) {
  EXPECT_EQ(Parsed({"--seed", "1", "--seed", "2"}).seed, 2U);
}

TEST(Options, TheContractsEnvironmentGivesDirectoriesAndResume) {
  const Environment environment = {
      {"EBB_RUN_DIR", "/r"}, {"EBB_CHECKPOINT_DIR", "/c"}, {"EBB_RESUME", "1"}};
  const Options options = Parsed({}, environment);
  EXPECT_EQ(options.run_dir, "/r");
  EXPECT_EQ(options.checkpoint_dir, "/c");
  EXPECT_TRUE(options.resume);
  EXPECT_EQ(Parsed({"--run-dir", "here"}, environment).run_dir, "here") << "a flag wins";
  EXPECT_FALSE(Parsed({}, {{"TORCHELASTIC_RESTART_COUNT", "0"}}).resume);
  EXPECT_TRUE(Parsed({}, {{"TORCHELASTIC_RESTART_COUNT", "1"}}).resume) << "torchrun tries again";
}

TEST(Options, TheShareOfARankIsANumberOrFound) {
  EXPECT_FALSE(Parsed({}).rank_share.automatic);
  EXPECT_EQ(Parsed({"--rank-share", "3"}).rank_share.weight, 3);
  const RankShareOptions found = Parsed({"--rank-share", "auto", "--slower-by", "10%"}).rank_share;
  EXPECT_TRUE(found.automatic);
  EXPECT_EQ(found.slower_by.percent, 10);
  EXPECT_FALSE(found.power);
  EXPECT_TRUE(found.grid_file.empty());
  const auto power = Parsed({"--rank-power", "300, 60"}).rank_share.power;
  ASSERT_TRUE(power);
  EXPECT_EQ(power->busy_w, 300);
  EXPECT_EQ(power->waiting_w, 60);
  EXPECT_EQ(Parsed({"--rank-power", "300"}).rank_share.power->waiting_w, 30);
  for (const Arguments& wrong : std::vector<Arguments>{{"--rank-share", "0"},
                                                       {"--rank-share", "most"},
                                                       {"--slower-by", "a little"},
                                                       {"--rank-power", "0"},
                                                       {"--rank-power", "300,"},
                                                       {"--rank-power", "300,-1"}})
    EXPECT_THAT(UsageErrorOf(wrong), testing::HasSubstr(wrong[0].substr(2, 4))) << wrong[1];
}

TEST(Options, ARankHasItsOwnGridWhereverItsFilesGo) {
  const auto share =
      Parsed({"--run-dir", "shared"}, {{"EBB_RUN_DIR", "/r"}, {"CG_CARBON_INTENSITY", "412.5"}})
          .rank_share;
  EXPECT_EQ(share.grid_file, "/r/grid.json");
  EXPECT_EQ(share.g_per_kwh, 412.5);
}

TEST(Options, AMisspeltFlagGetsASuggestion) {
  EXPECT_THAT(UsageErrorOf({"--batchsize", "3"}),
              testing::HasSubstr("did you mean \"--batch-size\"?"));
  EXPECT_THAT(UsageErrorOf({"--acumulation=4"}),
              testing::HasSubstr("did you mean \"--accumulation\"?"));
}

TEST(Options, AMisspeltChoiceGetsASuggestion) {
  EXPECT_THAT(UsageErrorOf({"--precision", "bf61"}), testing::HasSubstr("did you mean \"bf16\"?"));
}

TEST(Options, ValuesOutOfRangeAreRefused) {
  for (const Arguments& arguments : std::vector<Arguments>{{"--batch-size", "0"},
                                                           {"--batch-size", "-3"},
                                                           {"--epochs", "many"},
                                                           {"--learning-rate", "nan"},
                                                           {"--accumulation"},
                                                           {"--seed", "-1"}})
    EXPECT_NE(UsageErrorOf(arguments), "accepted") << arguments.front();
}

TEST(Options, HelpShowsExamplesAndExitCodes) {
  const auto request = ParseOptions(Arguments{"--help"}, {});
  ASSERT_TRUE(request);
  EXPECT_THAT(std::get<TextToPrint>(*request).text,
              testing::AllOf(testing::HasSubstr("Examples:"), testing::HasSubstr("75 paused"),
                             testing::HasSubstr("--accumulation")));
}

}  // namespace
}  // namespace ebb::train
