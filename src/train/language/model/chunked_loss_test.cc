// Tests the loss of language models against LibTorch's own operations, with and without a teacher.

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "train/language/model/chunked_loss.h"
#include "train/language/model/language_for_test.h"
#include "train/language/training/lora_task.h"
#include "train/learning/small_models_for_test.h"

namespace ebb::train {
namespace {

using torch::Tensor;

TEST_F(Language, ChunkedLossIsCrossEntropy) {
  // The vocabulary is so large that the tokens are several chunks.
  const auto options = torch::dtype(torch::kFloat64);
  Tensor hidden = torch::randn({300, 4}, options).set_requires_grad(true);
  const Tensor output = torch::randn({70000, 4}, options);
  const Tensor targets = torch::randint(0, 70000, {300}, torch::dtype(torch::kInt64));
  const TokenLoss ours = ChunkedCrossEntropy(hidden, output, targets);
  const Tensor logits = torch::mm(hidden, output.t());
  const Tensor theirs =
      torch::nll_loss(torch::log_softmax(logits, 1), targets, {}, torch::Reduction::Sum);
  EXPECT_NEAR(ours.sum.item<double>(), theirs.item<double>(), 1e-9);
  EXPECT_EQ(ours.correct.item<std::int64_t>(),
            logits.argmax(1).eq(targets).sum().item<std::int64_t>());
  EXPECT_LT(RelativeDifference(torch::autograd::grad({ours.sum * 3}, {hidden}),
                               torch::autograd::grad({theirs * 3}, {hidden})),
            1e-12);
}

// Expected values come from LibTorch's own operations, over the tokens that both vocabularies have.
// The tokens are several chunks.
TEST_F(Language, TheLossWithATeacherIsTheWeightedSumOfBoth) {
  const auto options = torch::dtype(torch::kFloat64);
  constexpr std::int64_t kStudent = 200000, kTeacher = 199990;
  Tensor hidden = torch::randn({40, 4}, options).set_requires_grad(true);
  const Tensor output = torch::randn({kStudent, 4}, options);
  const Tensor targets = torch::randint(0, kTeacher, {40}, torch::dtype(torch::kInt64));
  const TeacherStates teacher{torch::randn({40, 3}, options), torch::randn({kTeacher, 3}, options),
                              2.5, 0.3};
  const TokenLoss ours = ChunkedCrossEntropy(hidden, output, targets, &teacher);
  const Tensor logits = torch::mm(hidden, output.t());
  const Tensor wanted = torch::softmax(torch::mm(teacher.hidden, teacher.output.t()) / 2.5, 1);
  const Tensor found = torch::log_softmax(logits.narrow(1, 0, kTeacher) / 2.5, 1);
  const Tensor theirs =
      0.7 * torch::nll_loss(torch::log_softmax(logits, 1), targets, {}, torch::Reduction::Sum) +
      0.3 * 2.5 * 2.5 * torch::kl_div(found, wanted, torch::Reduction::Sum);
  EXPECT_NEAR(ours.sum.item<double>(), theirs.item<double>(), 1e-9);
  EXPECT_LT(RelativeDifference(torch::autograd::grad({ours.sum * 3}, {hidden}),
                               torch::autograd::grad({theirs * 3}, {hidden})),
            1e-12);
}

TEST_F(Language, ATeacherThatSaysWhatTheModelSaysTeachesNothing) {
  const Decoder decoder = Load(TinyConfig("llama"));
  const TextData data = TinyData(20);
  const Adapter adapter = Busy(decoder, SmallLora());
  const auto gradients = [&](const Teacher* teacher) {
    LoraTask task(decoder, data, adapter, {.micro_batch = 3, .teacher = teacher, .optimizer = {}},
                  {});
    const UpdateLoss loss = task.AddGradients({FirstSamples(7), 0, 1.0});
    return std::pair{loss.mean.item<double>(), GradientsOf(adapter)};
  };
  const auto [alone, gradient] = gradients(nullptr);
  Teacher teacher{decoder, adapter, 3, 0.25};
  const auto [taught, its] = gradients(&teacher);
  EXPECT_NEAR(taught, 0.75 * alone, 1e-12);
  for (std::size_t i = 0; i < its.size(); ++i)
    EXPECT_LT(RelativeDifference({its[i]}, {gradient[i] * 0.75}), 1e-10);
  // Another teacher changes the loss.
  torch::manual_seed(7);
  teacher.adapter = Busy(decoder, SmallLora());
  EXPECT_GT(gradients(&teacher).first, taught);
}

// If a model has only the teacher to learn from, its predictions become the teacher's.
TEST_F(Language, AModelLearnsWhatItsTeacherSays) {
  const Decoder decoder = Load(TinyConfig("qwen2"), torch::kFloat32);
  const TextData data = TinyData(20);
  const Teacher teacher{decoder, Busy(decoder, SmallLora()), 2, 1};
  LoraTask task(decoder, data, MakeAdapter(decoder, SmallLora(), 4),
                {.micro_batch = 8, .teacher = &teacher, .optimizer = {}}, {});
  std::vector<double> losses;
  for (int step = 1; step <= 60; ++step) {
    losses.push_back(
        task.AddGradients({FirstSamples(task.samples()), step, 1.0}).mean.item<double>());
    task.optimizer().Step(0.01);
    task.optimizer().ClearGradients();
  }
  EXPECT_LT(losses.back(), 0.2 * losses.front());
}

}  // namespace
}  // namespace ebb::train
