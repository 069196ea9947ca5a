#include "train/learning/training_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace ebb::train {
namespace {

TrainingState SomeState() {
  TrainingState state;
  state.step = 17;
  state.epoch = 1;
  state.epoch_updates = 3;
  state.epoch_samples = 48;
  state.epoch_loss_sum = 0.1;
  state.epoch_seconds = 2.5;
  state.optimizer_steps = 16;
  state.loss_scale = {1024, 7};
  state.micro_batch = {4, true, {{2, 3, 2, 8192, 1.5, 300.25, true}, {4, 1, 0, 0, 0, {}, false}}};
  state.rank_shares = {{{5, {24, 8}}, {12, {32, 0}}},
                       {{300.5, 0.01, {300, 60, PowerSource::kCounter}, 410}, {{}, 0.01, {}, {}}}};
  state.history = {{0.3, 0.2, 0.9, 4.25}};
  return state;
}

TEST(TrainingState, ReadsBackExactly) {
  const auto text = ToJson(SomeState()).dump();
  const auto state = TrainingStateFromJson(nlohmann::json::parse(text), "file");
  ASSERT_TRUE(state) << state.error().Message();
  EXPECT_EQ(ToJson(*state).dump(), text);
}

TEST(TrainingState, AMissingFieldIsRefused) {
  nlohmann::json json = ToJson(SomeState());
  json.erase("step");
  EXPECT_FALSE(TrainingStateFromJson(json, "file"));
  EXPECT_FALSE(TrainingStateFromJson(nlohmann::json(), "file"));
}

TEST(TrainingState, OlderCheckpointsSayNothingOfMicroBatches) {
  nlohmann::json json = ToJson(SomeState());
  json.erase("micro_batch");
  const auto state = TrainingStateFromJson(json, "file");
  ASSERT_TRUE(state) << state.error().Message();
  EXPECT_EQ(state->micro_batch.size, 0U);
}

TEST(TrainingState, OlderCheckpointsSayNothingOfTheSharesOfRanks) {
  nlohmann::json json = ToJson(SomeState());
  json.erase("rank_shares");
  const auto state = TrainingStateFromJson(json, "file");
  ASSERT_TRUE(state) << state.error().Message();
  EXPECT_TRUE(state->rank_shares.changes.empty());
}

TEST(TrainingState, AHistoryOfAnotherLengthIsRefused) {
  nlohmann::json json = ToJson(SomeState());
  json["history"].clear();
  EXPECT_FALSE(TrainingStateFromJson(json, "file"));
}

TEST(TrainingState, AnUnknownLossStaysUnknown) {
  TrainingState state;
  state.epoch = 1;
  state.history.push_back({.train_loss = 1, .test_loss = std::nan("")});
  const nlohmann::json stored = nlohmann::json::parse(ToJson(state).dump());
  const auto back = TrainingStateFromJson(stored, "file");
  ASSERT_TRUE(back) << back.error().Message();
  EXPECT_TRUE(std::isnan(back->history[0].test_loss));
}

TEST(Fingerprint, NamesTheFlagThatDiffers) {
  Options options;
  nlohmann::json stored = Fingerprint(options);
  EXPECT_TRUE(RequireSameFingerprint(stored, Fingerprint(options), "file"));
  options.batch_size = 16;
  const Status status = RequireSameFingerprint(stored, Fingerprint(options), "file");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().Message(), testing::HasSubstr("--batch-size 64, not 16"));
  options.batch_size = 64;
  stored["--only-sometimes"] = "x";
  const Status more = RequireSameFingerprint(stored, Fingerprint(options), "file");
  ASSERT_FALSE(more);
  EXPECT_THAT(more.error().Message(), testing::HasSubstr("--only-sometimes x, not its default"));
}

TEST(Fingerprint, ThreadsAndDirectoriesMayChange) {
  Options options;
  const nlohmann::json stored = Fingerprint(options);
  options.threads = 7;
  options.run_dir = "elsewhere";
  EXPECT_TRUE(RequireSameFingerprint(stored, Fingerprint(options), "file"));
}

}  // namespace
}  // namespace ebb::train
