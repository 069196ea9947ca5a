#include <gtest/gtest.h>
#include <torch/optim/adam.h>

#include <limits>

#include "train/learning/adam.h"
#include "train/learning/loss_scaler.h"
#include "train/learning/small_models_for_test.h"

namespace ebb::train {
namespace {

void SetGradients(torch::nn::Module& module, std::int64_t seed) {
  torch::manual_seed(seed);
  for (torch::Tensor parameter : module.parameters())
    parameter.mutable_grad() = torch::randn_like(parameter);
}

std::vector<torch::Tensor> Copies(const std::vector<torch::Tensor>& tensors) {
  std::vector<torch::Tensor> copies;
  for (const torch::Tensor& tensor : tensors) copies.push_back(tensor.detach().clone());
  return copies;
}

class AdamTest : public testing::Test {
 protected:
  AdamTest() {
    at::set_num_threads(1);
    torch::manual_seed(1);
    ours_ = std::make_shared<TinyCnn>();
    torch::manual_seed(1);
    theirs_ = std::make_shared<TinyCnn>();
  }

  void ExpectEqualAfterSteps(double tolerance) {
    Adam adam(*ours_);
    torch::optim::Adam reference(theirs_->parameters(), torch::optim::AdamOptions(1e-2));
    for (int step = 0; step < 50; ++step) {
      SetGradients(*ours_, step);
      SetGradients(*theirs_, step);
      adam.Step(1e-2);
      reference.step();
    }
    EXPECT_LE(RelativeDifference(ours_->parameters(), theirs_->parameters()), tolerance);
  }

  std::shared_ptr<TinyCnn> ours_;
  std::shared_ptr<TinyCnn> theirs_;
};

TEST_F(AdamTest, TheFusedUpdateEqualsLibTorchs) { ExpectEqualAfterSteps(1e-6); }

TEST_F(AdamTest, TheUnfusedUpdateEqualsLibTorchs) {
  ours_->to(torch::kFloat64);
  theirs_->to(torch::kFloat64);
  // The coefficients are rounded to float once, hence the tolerance.
  ExpectEqualAfterSteps(1e-6);
}

TEST_F(AdamTest, TheNumberOfThreadsDoesNotChangeABit) {
  const auto train = [](int threads) {
    at::set_num_threads(threads);
    torch::manual_seed(1);
    const auto model = std::make_shared<torch::nn::LinearImpl>(512, 300);
    Adam adam(*model);
    for (int step = 0; step < 3; ++step) {
      SetGradients(*model, step);
      adam.Step(1e-2);
    }
    at::set_num_threads(1);
    return Copies(model->parameters());
  };
  const auto one = train(1);
  const auto two = train(2);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(torch::equal(one[i], two[i]));
}

TEST_F(AdamTest, AParameterWithoutGradientIsLeftAlone) {
  Adam adam(*ours_);
  const auto before = Copies(ours_->parameters());
  adam.ClearGradients();
  adam.Step(1e-2);
  EXPECT_EQ(RelativeDifference(ours_->parameters(), before), 0.0);
  EXPECT_TRUE(adam.Gradients().empty());
}

// Trains with the scaler around given gradients: scaled, unscaled, applied if finite.
class LossScalerTest : public testing::Test {
 protected:
  LossScalerTest() {
    at::set_num_threads(1);
    torch::manual_seed(1);
    model_ = std::make_shared<TinyCnn>();
  }

  bool ScaledStep(Adam& adam, LossScaler& scaler, std::int64_t seed, bool inject_infinity = false) {
    SetGradients(*model_, seed);
    for (torch::Tensor gradient : adam.Gradients()) gradient.mul_(scaler.scale());
    if (inject_infinity) adam.Gradients()[1][0] = std::numeric_limits<float>::infinity();
    const bool finite = scaler.Unscale(adam.Gradients());
    scaler.Update(finite);
    if (finite) adam.Step(1e-2);
    return finite;
  }

  std::shared_ptr<TinyCnn> model_;
};

TEST_F(LossScalerTest, APowerOfTwoGivesBitEqualUpdates) {
  const auto initial = Copies(model_->parameters());
  const auto train = [&](double scale) {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < initial.size(); ++i) model_->parameters()[i].copy_(initial[i]);
    Adam adam(*model_);
    LossScaler scaler({scale, 0});
    for (int step = 0; step < 5; ++step) ScaledStep(adam, scaler, step);
    return Copies(model_->parameters());
  };
  const auto unscaled = train(1);
  const auto scaled = train(65536);
  for (std::size_t i = 0; i < scaled.size(); ++i) EXPECT_TRUE(torch::equal(scaled[i], unscaled[i]));
}

TEST_F(LossScalerTest, AnInfiniteGradientSkipsTheStepAndHalvesTheScale) {
  Adam adam(*model_);
  LossScaler scaler({1024, 5});
  const auto before = Copies(model_->parameters());
  EXPECT_FALSE(ScaledStep(adam, scaler, 1, /*inject_infinity=*/true));
  EXPECT_EQ(RelativeDifference(model_->parameters(), before), 0.0);
  EXPECT_EQ(adam.steps(), 0);
  EXPECT_EQ(scaler.scale(), 512);
  EXPECT_EQ(scaler.state().good_steps, 0);
}

TEST_F(LossScalerTest, TheScaleDoublesAfterTheGrowthInterval) {
  Adam adam(*model_);
  LossScaler scaler({1024, 0}, /*growth_interval=*/3);
  for (int step = 0; step < 2; ++step) ScaledStep(adam, scaler, step);
  EXPECT_EQ(scaler.scale(), 1024);
  ScaledStep(adam, scaler, 2);
  EXPECT_EQ(scaler.scale(), 2048);
}

TEST_F(LossScalerTest, TheScaleStaysPositiveHoweverOftenItHalves) {
  LossScaler scaler({1, 0});
  for (int i = 0; i < 200; ++i) scaler.Update(false);
  EXPECT_GT(scaler.scale(), 0);
}

}  // namespace
}  // namespace ebb::train
