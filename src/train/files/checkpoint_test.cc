#include "train/files/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "testing/no_room.h"
#include "testing/scratch_directory.h"
#include "train/files/model_file.h"
#include "train/files/safetensors.h"
#include "train/learning/small_models_for_test.h"

namespace ebb::train {
namespace {

class CheckpointTest : public ::testing::Test {
 protected:
  CheckpointTest() {
    at::set_num_threads(1);
    path_ = directory_ / "checkpoint.safetensors";
    torch::manual_seed(1);
    model_ = std::make_shared<TinyCnn>();
    optimizer_ = std::make_unique<Adam>(*model_);
  }

  CheckpointTensors Tensors() {
    return {ModelTensors(*model_, "model.", "buffer."), *optimizer_, torch::kCPU};
  }

  void TakeSteps(int count) {
    for (int i = 0; i < count; ++i) {
      for (torch::Tensor parameter : model_->parameters())
        parameter.mutable_grad() = torch::randn_like(parameter);
      optimizer_->Step(1e-2);
    }
    state_.optimizer_steps = optimizer_->steps();
    state_.step = optimizer_->steps();
  }

  std::string Refusal() {
    const std::string before = ParametersSha256(*model_);
    const auto loaded = LoadCheckpoint(path_, Tensors(), {{Fingerprint(options_), {}}});
    if (loaded) return "accepted";
    EXPECT_EQ(ParametersSha256(*model_), before) << "a refused checkpoint changed the model";
    return loaded.error().Message();
  }

  const platform::Path directory_ = ScratchDirectory("checkpoint");
  platform::Path path_;
  std::shared_ptr<TinyCnn> model_;
  std::unique_ptr<Adam> optimizer_;
  TrainingState state_;
  Options options_;
};

TEST_F(CheckpointTest, ContinuesBitExactlyWithOptimizerAndRandomState) {
  TakeSteps(3);
  ASSERT_TRUE(SaveCheckpoint(path_, Tensors(), state_, {Fingerprint(options_), {}}));
  TakeSteps(4);
  const std::string straight = ParametersSha256(*model_);
  torch::manual_seed(99);
  model_ = std::make_shared<TinyCnn>();
  optimizer_ = std::make_unique<Adam>(*model_);
  const auto state = LoadCheckpoint(path_, Tensors(), {{Fingerprint(options_), {}}});
  ASSERT_TRUE(state) << state.error().Message();
  EXPECT_EQ(state->step, 3);
  TakeSteps(4);
  EXPECT_EQ(ParametersSha256(*model_), straight);
}

TEST_F(CheckpointTest, EveryFlippedByteIsRefused) {
  TakeSteps(1);
  ASSERT_TRUE(SaveCheckpoint(path_, Tensors(), state_, {Fingerprint(options_), {}}));
  const std::string file = *platform::ReadFile(path_);
  for (std::size_t at = 0; at < file.size(); at += 997) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    ASSERT_TRUE(platform::WriteFileAtomically(path_, damaged));
    EXPECT_NE(Refusal(), "accepted") << "byte " << at;
  }
}

TEST_F(CheckpointTest, ATruncatedFileIsRefused) {
  ASSERT_TRUE(SaveCheckpoint(path_, Tensors(), state_, {Fingerprint(options_), {}}));
  const std::string file = *platform::ReadFile(path_);
  ASSERT_TRUE(platform::WriteFileAtomically(path_, file.substr(0, file.size() / 2)));
  EXPECT_THAT(Refusal(), ::testing::HasSubstr("damaged"));
}

TEST_F(CheckpointTest, AnotherConfigurationIsNamed) {
  ASSERT_TRUE(SaveCheckpoint(path_, Tensors(), state_, {Fingerprint(options_), {}}));
  options_.learning_rate.initial = 0.5;
  EXPECT_THAT(Refusal(), ::testing::HasSubstr("--learning-rate 0.001, not 0.5"));
}

TEST_F(CheckpointTest, AnotherModelIsNamed) {
  ASSERT_TRUE(SaveCheckpoint(path_, Tensors(), state_, {Fingerprint(options_), {}}));
  const auto other = FindModel("mlp")->make();
  Adam optimizer(*other);
  const auto loaded =
      LoadCheckpoint(path_, {ModelTensors(*other, "model.", "buffer."), optimizer, torch::kCPU},
                     {{Fingerprint(options_), {}}});
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().Message(), ::testing::HasSubstr("lacks the tensor model.fc1"));
}

TEST_F(CheckpointTest, AModelFileIsNotACheckpoint) {
  ASSERT_TRUE(SaveModel(path_, *model_, "tiny"));
  EXPECT_THAT(Refusal(), ::testing::HasSubstr("not a checkpoint"));
}

TEST_F(CheckpointTest, AFullDiskLeavesThePreviousCheckpointValid) {
  TakeSteps(1);
  ASSERT_TRUE(SaveCheckpoint(path_, Tensors(), state_, {Fingerprint(options_), {}}));
  TakeSteps(1);
  auto no_room = std::make_optional<ebb::testing::NoRoomForFiles>(2000);
  const Status saved = SaveCheckpoint(path_, Tensors(), state_, {Fingerprint(options_), {}});
  no_room.reset();
  ASSERT_FALSE(saved);
  EXPECT_THAT(saved.error().Message(), ::testing::HasSubstr("checkpoint.safetensors"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1)
      << "a temporary file was left";
  const auto state = LoadCheckpoint(path_, Tensors(), {{Fingerprint(options_), {}}});
  ASSERT_TRUE(state) << state.error().Message();
  EXPECT_EQ(state->step, 1);
}

TEST_F(CheckpointTest, ChannelsLastWeightsAreStoredInTheirPlainOrder) {
  ASSERT_TRUE(SaveModel(path_, *model_, "tiny"));
  const std::string plain = *platform::ReadFile(path_);
  torch::Tensor weight = model_->parameters()[0];
  weight.set_data(weight.detach().contiguous(torch::MemoryFormat::ChannelsLast));
  ASSERT_TRUE(SaveModel(path_, *model_, "tiny"));
  EXPECT_EQ(*platform::ReadFile(path_), plain);
}

TEST(Registry, FindsModelsAndSuggestsNames) {
  ASSERT_TRUE(FindModel("simple-cnn"));
  EXPECT_EQ(FindModel("simple-cnn")->input, (ImageShape{28, 28}));
  const auto missing = FindModel("simple-cn");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ExitCode::kUsage);
  EXPECT_THAT(missing.error().Message(), ::testing::HasSubstr("did you mean \"simple-cnn\"?"));
}

TEST(Registry, EveryModelTakesItsShapeAndGivesLogProbabilities) {
  for (const auto& [name, info] : Models()) {
    const auto model = info.make();
    model->eval();
    const torch::NoGradGuard no_grad;
    const torch::Tensor scores =
        model->forward(torch::zeros({2, 1, static_cast<std::int64_t>(info.input.rows),
                                     static_cast<std::int64_t>(info.input.columns)}));
    EXPECT_EQ(scores.sizes(), (std::vector<std::int64_t>{2, kClasses})) << name;
    EXPECT_TRUE(torch::allclose(scores.exp().sum(1), torch::ones({2}))) << name;
  }
}

}  // namespace
}  // namespace ebb::train
