#include "train/loop/training_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "testing/scratch_directory.h"
#include "train/files/checkpoint.h"

namespace ebb::train {
namespace {

using ::testing::HasSubstr;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// A task with two parameters. The test sets the loss and the gradients of each update, which takes
// one sample.
class ScriptedTask : public Task {
 public:
  explicit ScriptedTask(std::size_t samples) : samples_(samples), optimizer_(Parameters()) {}

  std::size_t samples() const override { return samples_; }
  torch::Device device() const override { return torch::kCPU; }
  Adam& optimizer() override { return optimizer_; }
  NamedTensors TrainedTensors() override {
    return {{"first", optimizer_.slots()[0].parameter},
            {"second", optimizer_.slots()[1].parameter}};
  }
  UpdateLoss AddGradients(const UpdateRequest& request) override {
    const auto of = [&](const std::map<std::int64_t, double>& script) {
      const auto found = script.find(request.step + 1);
      return found == script.end() ? 0.5 : found->second;
    };
    const double gradients[] = {0.5, of(gradient_at_)};
    for (std::size_t i = 0; i < 2; ++i)
      optimizer_.slots()[i].parameter.mutable_grad() =
          torch::full({3}, gradients[i] * request.loss_scale);
    if (request.step + 1 == found_at_) micro_batch_ = {8, false, micro_batch_.trials};
    return {torch::full({}, of(loss_at_)), 1, tokens_};
  }
  MicroBatchState micro_batch_state() const override { return micro_batch_; }
  void UseMicroBatch(const MicroBatchState& state) override { micro_batch_ = state; }
  Evaluation Evaluate() override { return {validation_loss_, 0.5}; }
  Result<std::string> Finish(const TrainingState& state) override {
    finished_ = state;
    return std::string("done");
  }

  /// Values by the number of the update, from 1 on.
  std::map<std::int64_t, double> loss_at_, gradient_at_;
  std::int64_t found_at_ = 0;  ///< the update after which a size of micro-batches is chosen
  MicroBatchState micro_batch_;
  double validation_loss_ = 1;
  std::int64_t tokens_ = 0;  ///< of each update
  std::optional<TrainingState> finished_;

 private:
  static NamedTensors Parameters() {
    return {{"first", torch::ones({3})}, {"second", torch::ones({3})}};
  }

  std::size_t samples_;
  Adam optimizer_;
};

class TrainingLoop : public ::testing::Test {
 protected:
  TrainingLoop() { at::set_num_threads(1); }

  // Trains two epochs of five updates, with a checkpoint after every second update.
  Result<Outcome> Train(ScriptedTask& task, const std::function<void(LoopSettings&)>& change = {}) {
    auto ranks = Ranks::Join({}, 1, nullptr);
    EXPECT_TRUE(ranks) << ranks.error().Message();
    LoopSettings settings;
    settings.epochs = 2;
    settings.learning_rate.initial = 1e-3;
    settings.checkpoint_every = 2;
    settings.run_dir = directory_.string();
    settings.checkpoint_dir = directory_.string();
    settings.progress = ProgressStyle::kNone;
    settings.ranks = &*ranks;
    settings.identity.fingerprint = {{"--task", "scripted"}};
    if (change) change(settings);
    const TensorMemoryScope memory(torch::kCPU);
    return RunTraining(task, settings, memory);
  }

  // Returns the step of the checkpoint, and expects its tensors to be finite.
  std::int64_t CheckpointStep() const {
    ScriptedTask task(1);
    const auto state = LoadCheckpoint(directory_ / "checkpoint.safetensors",
                                      {task.TrainedTensors(), task.optimizer(), torch::kCPU},
                                      {{{{"--task", "scripted"}}, {}}});
    return state ? state->step : -1;
  }

  std::optional<std::int64_t> DivergedInProgress() const {
    std::ifstream file(directory_ / "progress.jsonl");
    std::optional<std::int64_t> step;
    for (std::string line; std::getline(file, line);) {
      const auto json = nlohmann::json::parse(line);
      if (json.at("event") == "diverged") step = json.at("step");
    }
    return step;
  }

  void ExpectStopped(ScriptedTask& task, const Result<Outcome>& outcome, const std::string& what,
                     std::int64_t step) {
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ExitCode::kConfiguration);
    EXPECT_THAT(outcome.error().Message(),
                HasSubstr("diverged at step " + std::to_string(step) + " of 10: " + what));
    EXPECT_FALSE(task.finished_) << "a model was written";
    EXPECT_EQ(DivergedInProgress(), step);
  }

  const platform::Path directory_ = ScratchDirectory("training-loop");
};

// The choice depends on times, so nothing may come between it and its checkpoint.
TEST_F(TrainingLoop, AMicroBatchIsStoredAsSoonAsItIsFound) {
  const auto rarely = [](LoopSettings& settings) { settings.checkpoint_every = 0; };
  ScriptedTask task(5);
  task.micro_batch_ = {2, true, {{2, 3, 2, 4096, 1.5, {}, true}}};
  task.found_at_ = 3;
  task.loss_at_ = {{5, kNotANumber}};
  ASSERT_FALSE(Train(task, rarely));
  EXPECT_EQ(CheckpointStep(), 3);
  ScriptedTask next(5);
  ASSERT_TRUE(Train(next, [&](LoopSettings& settings) {
    rarely(settings);
    settings.resume = true;
  }));
  EXPECT_EQ(next.micro_batch_.size, 8U);
  EXPECT_EQ(next.finished_->micro_batch.size, 8U);
  EXPECT_EQ(next.finished_->micro_batch.trials.size(), 1U);
  std::ifstream file(directory_ / "progress.jsonl");
  std::vector<std::string> told;
  for (std::string line; std::getline(file, line);) {
    const auto json = nlohmann::json::parse(line);
    if (json.at("event") == "micro_batch" || json.at("event") == "checkpoint")
      told.push_back(json.at("event").get<std::string>() + " " + json.at("step").dump());
  }
  EXPECT_THAT(
      told, testing::ElementsAre("micro_batch 3", "checkpoint 3", "checkpoint 5", "checkpoint 10"));
}

TEST_F(TrainingLoop, ALossThatIsNotANumberEndsItAndKeepsTheLastFiniteCheckpoint) {
  ScriptedTask task(5);
  task.loss_at_ = {{8, kNotANumber}};
  ExpectStopped(task, Train(task), "the loss is not finite", 8);
  EXPECT_EQ(CheckpointStep(), 6);
}

TEST_F(TrainingLoop, AGradientThatIsNotFiniteEndsItInTheSameWay) {
  for (const double value : {kNotANumber, kInfinite, -kInfinite}) {
    ScriptedTask task(5);
    task.gradient_at_ = {{3, value}};
    ExpectStopped(task, Train(task), "a gradient is not finite", 3);
    EXPECT_EQ(CheckpointStep(), 2);
  }
}

TEST_F(TrainingLoop, AFiniteGradientThatOverflowsAParameterReachesNoFile) {
  ScriptedTask task(5);
  const auto outcome =
      Train(task, [](LoopSettings& settings) { settings.learning_rate.initial = 1e39; });
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().Message(), HasSubstr("the tensor first is not finite"));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "checkpoint.safetensors"));
}

TEST_F(TrainingLoop, AValidationLossThatIsNotFiniteEndsIt) {
  ScriptedTask task(5);
  task.validation_loss_ = kNotANumber;
  ExpectStopped(task, Train(task), "the validation loss is not finite", 5);
  EXPECT_EQ(CheckpointStep(), 4);
}

TEST_F(TrainingLoop, WhoeverWantsToGoesOnAndTheResultSaysSo) {
  const auto go_on = [](LoopSettings& settings) { settings.on_divergence = OnDivergence::kGoOn; };
  ScriptedTask task(5);
  task.gradient_at_ = {{3, kNotANumber}};
  ASSERT_TRUE(Train(task, go_on));
  ASSERT_TRUE(task.finished_);
  EXPECT_EQ(task.finished_->diverged_at_step, 3);
  EXPECT_EQ(task.finished_->step, 10);
  EXPECT_EQ(DivergedInProgress(), 3);
  // A run that stops on divergence refuses the checkpoint.
  EXPECT_EQ(CheckpointStep(), -1);
  ScriptedTask again(5);
  const auto refused = Train(again, [](LoopSettings& settings) { settings.resume = true; });
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().Message(), HasSubstr("the checkpoint's tensor second"));
  ASSERT_TRUE(Train(again, [&](LoopSettings& settings) {
    go_on(settings);
    settings.resume = true;
  }));
  EXPECT_EQ(again.finished_->diverged_at_step, 3) << "what was known before the pause";
}

// The first attempt ends in update 8, after the checkpoint of update 6 in the second epoch.
TEST_F(TrainingLoop, ItsProgressCountsSamplesAndTokensOverAllAttempts) {
  ScriptedTask task(5);
  task.tokens_ = 100;
  task.loss_at_ = {{8, kNotANumber}};
  ASSERT_FALSE(Train(task));
  ScriptedTask again(5);
  again.tokens_ = 100;
  ASSERT_TRUE(Train(again, [](LoopSettings& settings) { settings.resume = true; }));
  std::ifstream file(directory_ / "progress.jsonl");
  std::map<std::string, nlohmann::json> last;  // by event
  for (std::string line; std::getline(file, line);) {
    const auto json = nlohmann::json::parse(line);
    last[json.at("event")] = json;
  }
  EXPECT_EQ(last["resume"]["samples_seen"], 6);
  EXPECT_EQ(last["resume"]["tokens_seen"], 600);
  EXPECT_EQ(last["end"]["step"], 10);
  EXPECT_EQ(last["end"]["samples_seen"], 10);
  EXPECT_EQ(last["end"]["tokens_seen"], 1000);
}

TEST_F(TrainingLoop, AnUpdateThatTheScalerSkipsDoesNotCount) {
  const auto scaled = [](LoopSettings& settings) { settings.scales_loss = true; };
  ScriptedTask task(5);
  task.gradient_at_ = {{3, kInfinite}};
  task.loss_at_ = {{3, kInfinite}};
  ASSERT_TRUE(Train(task, scaled));
  EXPECT_EQ(task.finished_->diverged_at_step, 0);
  EXPECT_EQ(task.finished_->optimizer_steps, 9);
  EXPECT_NEAR(task.finished_->history.front().train_loss, 0.5, 1e-12) << "of the others";
}

TEST_F(TrainingLoop, AScalerThatCannotHelpEndsIt) {
  ScriptedTask task(50);
  for (std::int64_t step = 1; step <= 100; ++step) task.gradient_at_[step] = kNotANumber;
  const auto outcome = Train(task, [](LoopSettings& settings) { settings.scales_loss = true; });
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().Message(), HasSubstr("at the smallest loss scale"));
  EXPECT_FALSE(task.finished_);
}

}  // namespace
}  // namespace ebb::train
