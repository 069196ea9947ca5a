// Tests that the update of an adapter does not depend on how its sequences are put together.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "train/language/model/language_for_test.h"
#include "train/language/training/lora_task.h"
#include "train/learning/small_models_for_test.h"

namespace ebb::train {
namespace {

using torch::Tensor;

TEST_F(Language, GradientsDoNotDependOnMicroBatches) {
  const Decoder decoder = Load(TinyConfig("llama"));
  const TextData data = TinyData(20);
  const auto samples = FirstSamples(7);
  std::vector<std::vector<Tensor>> gradients;
  for (const std::size_t micro_batch : {7U, 2U, 1U}) {
    torch::manual_seed(1);
    LoraTask task(decoder, data, Busy(decoder, SmallLora()),
                  {.micro_batch = micro_batch, .optimizer = {}}, {});
    const UpdateLoss loss = task.AddGradients({samples, 0, 1.0});
    EXPECT_GT(loss.weight, 7);
    gradients.push_back(GradientsOf(task.adapter()));
  }
  EXPECT_LT(RelativeDifference(gradients[1], gradients[0]), 1e-12);
  EXPECT_LT(RelativeDifference(gradients[2], gradients[0]), 1e-12);
}

TEST_F(Language, TryingMicroBatchesChangesNoLoss) {
  const Decoder decoder = Load(TinyConfig("qwen2"));
  const TextData data = TinyData(20);
  struct Run {
    std::vector<double> losses;
    std::vector<std::size_t> sizes;
    MicroBatchState early;  // after five updates
  };
  const auto run = [&](std::int64_t search_updates, const MicroBatchState* kept) {
    torch::manual_seed(1);
    LoraTask task(
        decoder, data, Busy(decoder, SmallLora()),
        {.micro_batch = 2, .search_updates = search_updates, .update_samples = 8, .optimizer = {}},
        {});
    if (kept != nullptr) task.UseMicroBatch(*kept);
    Run done;
    for (std::int64_t step = 0; step < 12; ++step) {
      done.sizes.push_back(task.micro_batch_state().size);
      done.losses.push_back(task.AddGradients({FirstSamples(8), step, 1.0}).mean.item<double>());
      task.optimizer().Step(0.01);
      task.optimizer().ClearGradients();
      if (step == 4) done.early = task.micro_batch_state();
    }
    EXPECT_FALSE(task.micro_batch_state().searching);
    return done;
  };
  const Run fixed = run(0, nullptr), searched = run(10, nullptr);
  ASSERT_TRUE(searched.early.searching);
  const Run resumed = run(10, &searched.early);
  EXPECT_THAT(fixed.sizes, testing::Each(2U));
  EXPECT_GT(std::set(searched.sizes.begin(), searched.sizes.end()).size(), 1U);
  EXPECT_EQ(resumed.sizes[0], searched.early.size);
  for (std::size_t i = 0; i < fixed.losses.size(); ++i) {
    EXPECT_NEAR(searched.losses[i], fixed.losses[i], 1e-11) << i;
    EXPECT_NEAR(resumed.losses[i], fixed.losses[i], 1e-11) << i;
  }
}

// An update with less memory is the same update in smaller micro-batches.
TEST_F(Language, MemoryThatRunsOutMakesMicroBatchesSmaller) {
  nlohmann::json config = TinyConfig("llama");
  config["intermediate_size"] = 100'000;  // some 10 MB for each of the tensors of a sequence
  config["num_hidden_layers"] = 1;
  const Decoder decoder = Load(config);
  const TextData data = TinyData(20);
  std::size_t used = 0;
  const auto gradients = [&](std::size_t micro_batch) {
    torch::manual_seed(1);
    LoraTask task(decoder, data, Busy(decoder, SmallLora()),
                  {.micro_batch = micro_batch, .optimizer = {}}, {});
    task.AddGradients({FirstSamples(8), 0, 1.0});
    used = task.micro_batch_state().size;
    return GradientsOf(task.adapter());
  };
  const auto wanted = gradients(1);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::size_t now = pages * static_cast<std::size_t>(::getpagesize());
  const rlimit limited{now + (200U << 20), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &limited), 0);
  const auto found = gradients(8);
  ::setrlimit(RLIMIT_AS, &before);
  EXPECT_LT(used, 8U);
  EXPECT_LT(RelativeDifference(found, wanted), 1e-12);
}

// The loss of all sequences does not depend on how they are packed into rows.
TEST_F(Language, PackedRowsHaveTheGradientsOfTheirSequences) {
  const Decoder decoder = Load(TinyConfig("qwen3"));
  std::vector<std::vector<Tensor>> gradients;
  for (const bool packed : {false, true}) {
    const TextData data = TinyData(20, packed);
    torch::manual_seed(1);
    LoraTask task(decoder, data, Busy(decoder, SmallLora()), {.micro_batch = 3, .optimizer = {}},
                  {});
    task.AddGradients({FirstSamples(task.samples()), 0, 1.0});
    gradients.push_back(GradientsOf(task.adapter()));
  }
  EXPECT_LT(RelativeDifference(gradients[1], gradients[0]), 1e-12);
}

TEST_F(Language, ClippingIsOfTheWholeNorm) {
  std::vector<Tensor> gradients = {torch::full({2}, 3.0), torch::full({2}, 4.0)};
  ClipGradients(gradients, 1);
  EXPECT_NEAR(
      gradients[0].square().sum().item<double>() + gradients[1].square().sum().item<double>(), 1,
      1e-5);
  const Tensor before = gradients[1].clone();
  ClipGradients(gradients, 10);
  EXPECT_TRUE(torch::equal(gradients[1], before));
}

}  // namespace
}  // namespace ebb::train
