#include "train/learning/learning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <memory>
#include <vector>

#include "train/data/digits.h"
#include "train/devices/autocast.h"
#include "train/devices/device.h"
#include "train/devices/tensor_memory.h"
#include "train/learning/adam.h"
#include "train/learning/recorded_gradients.h"
#include "train/learning/small_models_for_test.h"

namespace ebb::train {
namespace {

class Learning : public testing::Test {
 protected:
  Learning() { at::set_num_threads(1); }

  // The gradients of one update over `samples` samples cut into micro-batches.
  std::vector<torch::Tensor> Gradients(torch::ScalarType type, std::size_t samples,
                                       std::size_t micro_batch,
                                       Precision precision = Precision::kFp32) {
    torch::manual_seed(4);
    TinyCnn model;
    model.to(type);
    loss_ = AddGradients(model, source_, FirstSamples(samples), {micro_batch, precision, 1.0})
                .item<double>();
    std::vector<torch::Tensor> gradients;
    for (const torch::Tensor& parameter : model.parameters())
      gradients.push_back(parameter.grad().clone());
    return gradients;
  }

  Dataset data_ = DrawDigits({1, Split::kTrain}, 128);
  BatchSource source_{data_, torch::kCPU};
  double loss_ = 0;
};

TEST_F(Learning, AccumulatedGradientsEqualThoseOfTheFullBatch) {
  for (const std::size_t accumulation : {1U, 2U, 4U, 8U, 16U}) {
    const std::size_t micro_batch = 64 / accumulation;
    EXPECT_LE(RelativeDifference(Gradients(torch::kFloat32, 64, micro_batch),
                                 Gradients(torch::kFloat32, 64, 64)),
              1e-4)
        << accumulation;
    EXPECT_LE(RelativeDifference(Gradients(torch::kFloat64, 64, micro_batch),
                                 Gradients(torch::kFloat64, 64, 64)),
              1e-12)
        << accumulation;
  }
}

TEST_F(Learning, AnUnevenTailCountsByItsSamples) {
  // 61 samples in micro-batches of 16 are 16 + 16 + 16 + 13, in micro-batches of 60 they are 60
  // + 1.
  for (const std::size_t micro_batch : {16U, 60U, 7U}) {
    EXPECT_LE(RelativeDifference(Gradients(torch::kFloat32, 61, micro_batch),
                                 Gradients(torch::kFloat32, 61, 61)),
              1e-4);
    EXPECT_LE(RelativeDifference(Gradients(torch::kFloat64, 61, micro_batch),
                                 Gradients(torch::kFloat64, 61, 61)),
              1e-12);
  }
}

TEST_F(Learning, TheReportedLossIsTheMeanOverSamples) {
  Gradients(torch::kFloat64, 61, 61);
  const double whole = loss_;
  Gradients(torch::kFloat64, 61, 16);
  EXPECT_NEAR(loss_, whole, 1e-12);
}

TEST_F(Learning, TheLossScaleMultipliesGradientsAndNotTheReportedLoss) {
  torch::manual_seed(4);
  TinyCnn model;
  const double loss =
      AddGradients(model, source_, FirstSamples(32), {32, Precision::kFp32, 1024.0}).item<double>();
  const auto plain = Gradients(torch::kFloat32, 32, 32);
  std::size_t i = 0;
  for (const torch::Tensor& parameter : model.parameters())
    EXPECT_TRUE(torch::equal(parameter.grad(), plain[i++] * 1024.0));
  EXPECT_EQ(loss, loss_);
}

TEST_F(Learning, Bf16GradientsAreFp32AndNearThoseOfFp32) {
  const auto low = Gradients(torch::kFloat32, 64, 64, Precision::kBf16);
  const double low_loss = loss_;
  const auto full = Gradients(torch::kFloat32, 64, 64);
  for (const torch::Tensor& gradient : low) EXPECT_EQ(gradient.scalar_type(), torch::kFloat32);
  // bf16 has 8 bits of significand: products are good to 2^-8, sums of products to a few times
  // that.
  EXPECT_LE(RelativeDifference(low, full), 0.03);
  EXPECT_GT(RelativeDifference(low, full), 0.0) << "autocast was not on";
  EXPECT_NEAR(low_loss, loss_, 0.01 * loss_);
}

// Tests of learning from a teacher.
class Distilling : public Learning {
 protected:
  // A TinyCnn other than that of Gradients.
  ClassifierTeacher Teacher(double temperature, double mix) {
    torch::manual_seed(9);
    auto model = std::make_shared<TinyCnn>();
    model->to(torch::kFloat64);
    return {model, temperature, mix};
  }

  double Loss(TinyCnn& model, const ClassifierTeacher& teacher, std::size_t micro_batch = 24) {
    model.zero_grad();
    return AddGradients(model, source_, FirstSamples(24),
                        {micro_batch, Precision::kFp32, 1.0, &teacher})
        .item<double>();
  }

  TinyCnn Student() {
    torch::manual_seed(4);
    TinyCnn model;
    model.to(torch::kFloat64);
    return model;
  }
};

// The expected values come from LibTorch's own operations and derivatives.
TEST_F(Distilling, TheLossIsTheWeightedSumOfLabelsAndTeacher) {
  const ClassifierTeacher teacher = Teacher(2.5, 0.3);
  TinyCnn model = Student();
  const double loss = Loss(model, teacher);
  std::vector<torch::Tensor> gradients;
  for (const torch::Tensor& parameter : model.parameters())
    gradients.push_back(parameter.grad().clone());
  const Batch batch = source_.Gather(FirstSamples(24));
  const torch::Tensor scores = model.forward(batch.images);
  const torch::Tensor wanted = torch::softmax(teacher.model->forward(batch.images) / 2.5, 1);
  const torch::Tensor expected = 0.7 * torch::nll_loss(scores, batch.labels) +
                                 0.3 * 2.5 * 2.5 / 24 *
                                     torch::kl_div(torch::log_softmax(scores / 2.5, 1),
                                                   wanted.detach(), torch::Reduction::Sum);
  EXPECT_NEAR(loss, expected.item<double>(), 1e-12);
  EXPECT_LT(RelativeDifference(gradients, torch::autograd::grad({expected}, model.parameters())),
            1e-12);
}

TEST_F(Distilling, GradientsAreThoseOfFiniteDifferences) {
  const ClassifierTeacher teacher = Teacher(3, 0.6);
  TinyCnn model = Student();
  Loss(model, teacher);
  std::vector<double> slopes;
  for (const torch::Tensor& parameter : model.parameters())
    slopes.push_back(parameter.grad().view(-1)[3].item<double>());
  constexpr double kStep = 1e-6;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    torch::Tensor value = model.parameters()[i].detach().view(-1)[3];
    const auto loss = [&](double step) {
      value += step;
      return Loss(model, teacher);
    };
    const double above = loss(kStep), below = loss(-2 * kStep);
    value += kStep;
    EXPECT_NEAR((above - below) / (2 * kStep), slopes[i], 1e-7 + 1e-5 * std::abs(slopes[i]));
  }
}

TEST_F(Distilling, GradientsDoNotDependOnMicroBatchesAndAreMultipliedByTheLossScale) {
  const ClassifierTeacher teacher = Teacher(2, 0.5);
  TinyCnn model = Student(), cut = Student(), scaled = Student();
  EXPECT_NEAR(Loss(model, teacher), Loss(cut, teacher, 7), 1e-12);
  AddGradients(scaled, source_, FirstSamples(24), {24, Precision::kFp32, 1024.0, &teacher});
  std::vector<torch::Tensor> whole, parts, large;
  for (std::size_t i = 0; i < model.parameters().size(); ++i) {
    whole.push_back(model.parameters()[i].grad());
    parts.push_back(cut.parameters()[i].grad());
    large.push_back(scaled.parameters()[i].grad() / 1024);
  }
  EXPECT_LT(RelativeDifference(parts, whole), 1e-12);
  EXPECT_LT(RelativeDifference(large, whole), 1e-12);
}

TEST_F(Distilling, WithNothingButTheTeacherTheModelComesToSayWhatItSays) {
  const ClassifierTeacher teacher = Teacher(2, 1);
  TinyCnn model = Student();
  Adam optimizer(model);
  const double before = Loss(model, teacher);
  double after = before;
  for (int step = 0; step < 80; ++step) {
    optimizer.Step(0.01);
    after = Loss(model, teacher);
  }
  EXPECT_LT(after, 0.05 * before);
}

TEST_F(Learning, AutocastEndsWithItsScope) {
  const torch::Tensor a = torch::ones({4, 4});
  {
    const AutocastScope scope(Precision::kBf16, torch::kCPU);
    EXPECT_EQ(torch::mm(a, a).scalar_type(), torch::kBFloat16);
  }
  EXPECT_EQ(torch::mm(a, a).scalar_type(), torch::kFloat32);
}

TEST_F(Learning, Fp16OnACpuThatCannotIsRefusedWithAnAlternative) {
  const Status status = RequirePrecisionSupported(Precision::kFp16, torch::kCPU);
  if (status) GTEST_SKIP() << "this LibTorch has fp16 autocast on the CPU";
  EXPECT_EQ(status.error().code, ExitCode::kUnavailable);
  EXPECT_THAT(status.error().Message(), testing::HasSubstr("--precision bf16"));
}

TEST_F(Learning, EvaluationCountsEverySampleOnceAndKeepsTheGenerator) {
  torch::manual_seed(4);
  TinyCnn model;
  const torch::Tensor before = at::globalContext().defaultGenerator(torch::kCPU).get_state();
  const Evaluation by_7 = Evaluate(model, source_, {7, Precision::kFp32, 1.0});
  const Evaluation whole = Evaluate(model, source_, {128, Precision::kFp32, 1.0});
  EXPECT_NEAR(by_7.loss, whole.loss, 1e-6);
  EXPECT_EQ(by_7.accuracy, whole.accuracy);
  EXPECT_TRUE(model.is_training());
  EXPECT_TRUE(torch::equal(before, at::globalContext().defaultGenerator(torch::kCPU).get_state()));
}

TEST_F(Learning, BatchesAreGatheredAndNormalised) {
  const std::vector<std::uint32_t> samples = {5, 2};
  const Batch batch = source_.Gather(samples);
  EXPECT_EQ(batch.images.sizes(), (std::vector<std::int64_t>{2, 1, 28, 28}));
  EXPECT_EQ(batch.labels[0].item<std::int64_t>(), data_.labels[5]);
  const float expected = (static_cast<float>(data_.image(2)[300]) / 255.0F - 0.1307F) / 0.3081F;
  EXPECT_NEAR(batch.images.view({2, 784})[1][300].item<float>(), expected, 1e-5);
}

TEST_F(Learning, BatchesOfDataOnTheDeviceHaveTheSameBits) {
  const BatchSource on_device(data_, torch::kCPU, DataPlace::kDevice);
  const std::vector<std::uint32_t> samples{5, 0, 5, 17};
  const Batch wanted = source_.Gather(samples), found = on_device.Gather(samples);
  EXPECT_TRUE(torch::equal(found.images, wanted.images));
  EXPECT_TRUE(torch::equal(found.labels, wanted.labels));
}

// On a CPU, nothing is recorded, but the tensors are the same ones.
TEST_F(Learning, RecordedGradientsHaveTheSameBits) {
  const BatchSource on_device(data_, torch::kCPU, DataPlace::kDevice);
  TinyCnn model;
  const UpdateSettings settings{4, Precision::kFp32, 1};
  RecordedGradients recorded(model, on_device, settings, 6);
  for (const std::vector<std::uint32_t>& samples :
       {std::vector<std::uint32_t>{5, 0, 5, 17, 3, 9}, {1, 2, 3, 4, 5, 6}}) {
    for (torch::Tensor parameter : model.parameters()) parameter.mutable_grad().reset();
    const double wanted = AddGradients(model, source_, samples, settings).item<double>();
    std::vector<torch::Tensor> gradients;
    for (const torch::Tensor& parameter : model.parameters())
      gradients.push_back(parameter.grad().clone());
    EXPECT_EQ(recorded.Replace(samples).item<double>(), wanted);
    for (std::size_t i = 0; i < gradients.size(); ++i)
      EXPECT_TRUE(torch::equal(model.parameters()[i].grad(), gradients[i])) << i;
  }
}

TEST_F(Learning, TheMemoryFormatChangesLayoutAndNotGradients) {
  torch::manual_seed(4);
  TinyCnn model;
  UseFastMemoryFormat(model, torch::kCPU, Precision::kFp32);
  EXPECT_TRUE(model.parameters()[0].is_contiguous(torch::MemoryFormat::ChannelsLast));
  AddGradients(model, source_, FirstSamples(64), {64, Precision::kFp32, 1.0});
  std::vector<torch::Tensor> gradients;
  for (const torch::Tensor& parameter : model.parameters()) gradients.push_back(parameter.grad());
  EXPECT_LE(RelativeDifference(gradients, Gradients(torch::kFloat32, 64, 64)), 1e-4);
}

TEST(TensorMemory, CountsThePeakOfWhatTensorsTookInScope) {
  const TensorMemoryScope scope(torch::kCPU);
  { const torch::Tensor megabyte = torch::empty({1 << 18}); }
  const torch::Tensor half = torch::empty({1 << 17});
  EXPECT_GE(scope.peak_bytes(), 1 << 20);
  EXPECT_LE(scope.peak_bytes(), (1 << 20) + 4096);
}

TEST(TensorMemory, FollowsTheBackwardPass) {
  const auto peak = [](bool backward) {
    const TensorMemoryScope scope(torch::kCPU);
    const torch::Tensor x = torch::ones({256, 256}, torch::requires_grad());
    const torch::Tensor y = torch::mm(x, x).sum();
    if (backward) y.backward();
    return scope.peak_bytes();
  };
  EXPECT_GT(peak(true), peak(false));
}

}  // namespace
}  // namespace ebb::train
