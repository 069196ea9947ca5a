#include "train/language/training/lora_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ebb::train {
namespace {

using Arguments = std::vector<std::string>;

const Arguments kLeast = {"--base", "m", "--tokens", "t"};

Arguments With(Arguments more) {
  more.insert(more.begin(), kLeast.begin(), kLeast.end());
  return more;
}

LoraOptions Parsed(const Arguments& arguments, const Environment& environment = {}) {
  const auto request = ParseLoraOptions(arguments, environment);
  EXPECT_TRUE(request) << request.error().Message();
  return request ? std::get<LoraOptions>(*request) : LoraOptions{};
}

std::string UsageErrorOf(const Arguments& arguments) {
  const auto request = ParseLoraOptions(arguments, {});
  if (request) return "accepted";
  EXPECT_EQ(request.error().code, ExitCode::kUsage);
  return request.error().Message();
}

TEST(LoraOptions, DefaultsAreThePublishedBaseline) {
  const LoraOptions options = Parsed(kLeast);
  EXPECT_EQ(options.lora.rank, 16);
  EXPECT_EQ(options.lora.alpha, 32);
  EXPECT_EQ(options.lora.targets.size(), kProjectionCount);
  EXPECT_EQ(options.batch_size * options.accumulation, 8);
  EXPECT_EQ(options.learning_rate.kind, ScheduleKind::kCosine);
  EXPECT_EQ(options.data.max_tokens, 512U);
  EXPECT_EQ(options.data.split_seed, 42U);
  EXPECT_EQ(options.weight_decay, 0.01);
  EXPECT_EQ(options.warm_up, 0.03);
  EXPECT_EQ(options.adapter_dir, "runs/lora/adapter");
}

TEST(LoraOptions, ReadsFlagsAndTheContractsEnvironment) {
  const LoraOptions options =
      Parsed(With({"--targets", "q_proj, v_proj", "--precision", "fp32", "--rslora"}),
             {{"EBB_RUN_DIR", "r"}, {"EBB_RESUME", "1"}});
  EXPECT_EQ(options.lora.targets, (std::set<Projection>{Projection::kQuery, Projection::kValue}));
  EXPECT_TRUE(options.lora.rank_stabilised);
  EXPECT_TRUE(options.resume);
  EXPECT_EQ(options.checkpoint_dir, "r/checkpoints");
}

TEST(LoraOptions, MistakesAreNamed) {
  EXPECT_THAT(UsageErrorOf({"--base", "m"}), testing::HasSubstr("--tokens"));
  EXPECT_THAT(UsageErrorOf(With({"--rnk", "4"})), testing::HasSubstr("did you mean \"--rank\"?"));
  EXPECT_THAT(UsageErrorOf(With({"--targets", "q_prj"})), testing::HasSubstr("q_proj"));
  EXPECT_THAT(UsageErrorOf(With({"--precision", "fp16"})), testing::HasSubstr("bf16 or fp32"));
  EXPECT_THAT(UsageErrorOf(With({"--dropout", "1"})), testing::HasSubstr("0.95"));
  EXPECT_THAT(UsageErrorOf(With({"--temperature", "2"})), testing::HasSubstr("--teacher"));
  EXPECT_THAT(UsageErrorOf(With({"--base-weights", "int4"})), testing::HasSubstr("int8 or nf4"));
  EXPECT_THAT(UsageErrorOf(With({"--base-weights", "fp32"})),
              testing::HasSubstr("is for --precision fp32"));
}

TEST(LoraOptions, AMicroBatchIsANumberOrFound) {
  EXPECT_FALSE(Parsed(kLeast).micro_batch);
  EXPECT_EQ(Parsed(With({"--micro-batch", "auto"})).micro_batch, kFindMicroBatch);
  EXPECT_EQ(Parsed(With({"--micro-batch", "4"})).micro_batch, 4);
  for (const char* wrong : {"0", "-1", "all", "65537", "2.5"})
    EXPECT_THAT(UsageErrorOf(With({"--micro-batch", wrong})),
                testing::HasSubstr("auto or a number from 1 to 65536"));
  // A size that was found is in the checkpoint, so a continuation may leave the flag out.
  EXPECT_EQ(Fingerprint(Parsed(kLeast)), Fingerprint(Parsed(With({"--micro-batch", "auto"}))));
}

TEST(LoraOptions, FlagsChangeThePresetOfTheData) {
  const LoraOptions published = Parsed({"--base", "m", "--data", "d", "--preset", "helpsteer2"});
  EXPECT_EQ(published.data.first_records, 5000U);
  EXPECT_EQ(published.data.loss_on, LossOn::kEverything);
  EXPECT_TRUE(published.data.pad_to_max);
  const LoraOptions corrected =
      Parsed({"--base", "m", "--data", "d", "--data", "e", "--preset", "helpsteer2", "--loss-on",
              "answer", "--no-pad-to-max", "--filter", "helpfulness>=3"});
  EXPECT_EQ(corrected.data.files.size(), 2U);
  EXPECT_EQ(corrected.data.loss_on, LossOn::kAnswer);
  EXPECT_FALSE(corrected.data.pad_to_max);
  EXPECT_EQ(corrected.data.filters.at(0).field, "helpfulness");
  EXPECT_THAT(UsageErrorOf({"--base", "m", "--data", "d", "--tokens", "t"}),
              testing::HasSubstr("not both"));
  EXPECT_THAT(UsageErrorOf({"--base", "m", "--data", "d", "--preset", "x"}),
              testing::HasSubstr("helpsteer2"));
}

TEST(LoraOptions, BaseWeightsAreAsThePrecisionUnlessTheyAreInFewerBits) {
  const auto weights = [](const Arguments& more) { return Parsed(With(more)).base_weights; };
  EXPECT_EQ(weights({}), BaseWeights::kPlain);
  EXPECT_EQ(weights({"--base-weights", "bf16"}), BaseWeights::kPlain);
  EXPECT_EQ(weights({"--base-weights", "fp32", "--precision", "fp32"}), BaseWeights::kPlain);
  EXPECT_EQ(weights({"--base-weights", "bf16", "--precision", "fp32"}), BaseWeights::kBf16);
  EXPECT_EQ(weights({"--base-weights", "nf4"}), BaseWeights::kNf4);
  EXPECT_EQ(weights({"--base-weights", "nf4-double"}), BaseWeights::kNf4Double);
}

TEST(LoraOptions, APresetOfChatsIsAChat) {
  const LoraOptions chat = Parsed({"--base", "m", "--data", "d", "--preset", "chat"});
  ASSERT_TRUE(chat.data.chat);
  EXPECT_EQ(chat.data.chat->messages, "messages");
  EXPECT_NE(
      Fingerprint(chat),
      Fingerprint(Parsed({"--base", "m", "--data", "d", "--preset", "chat-prompt-response"})));
  EXPECT_FALSE(
      Parsed({"--base", "m", "--data", "d", "--preset", "chat", "--pattern", "{x}"}).data.chat);
}

TEST(LoraOptions, EveryFlagThatChangesTheAdapterIsInTheFingerprint) {
  const auto before = Fingerprint(Parsed(kLeast));
  for (const Arguments& change : {Arguments{"--rank", "8"},
                                  {"--alpha", "8"},
                                  {"--dropout", "0.5"},
                                  {"--targets", "q_proj"},
                                  {"--rslora"},
                                  {"--dora"},
                                  {"--batch-size", "2"},
                                  {"--accumulation", "2"},
                                  {"--micro-batch", "2"},
                                  {"--epochs", "9"},
                                  {"--learning-rate", "1"},
                                  {"--lr-schedule", "constant"},
                                  {"--warm-up", "0.5"},
                                  {"--lr-floor", "0.5"},
                                  {"--weight-decay", "1"},
                                  {"--clip-norm", "3"},
                                  {"--precision", "fp32"},
                                  {"--base-weights", "int8"},
                                  {"--seed", "5"},
                                  {"--max-length", "9"},
                                  {"--loss-on", "answer"},
                                  {"--pack"},
                                  {"--pad-to-max"},
                                  {"--no-append-end"},
                                  {"--tokenizer-rules", "transformers-4"},
                                  {"--filter", "a>1"},
                                  {"--pattern", "{x}"},
                                  {"--first-records", "7"},
                                  {"--random-weights"},
                                  {"--start-adapter", "x"},
                                  {"--teacher", "x"},
                                  {"--validation-share", "0.3"},
                                  {"--data-seed", "3"}})
    EXPECT_NE(before, Fingerprint(Parsed(With(change)))) << change[0];
  const auto taught = Fingerprint(Parsed(With({"--teacher", "x"})));
  for (const Arguments& change :
       {Arguments{"--teacher-adapter", "a"}, {"--temperature", "9"}, {"--distillation-mix", "0.9"}})
    EXPECT_NE(taught, Fingerprint(Parsed(With({"--teacher", "x", change[0], change[1]}))));
}

}  // namespace
}  // namespace ebb::train
