// Tests that the paths for a GPU (compute_paths.h) compute what the paths for a CPU compute: values
// and gradients in fp64.

#include <gtest/gtest.h>

#include "train/language/model/chunked_loss.h"
#include "train/language/model/forward.h"
#include "train/language/model/language_for_test.h"
#include "train/language/model/library_attention.h"
#include "train/language/training/lora_task.h"
#include "train/learning/small_models_for_test.h"

namespace ebb::train {
namespace {

using torch::Tensor;

class ComputePathsTest : public Language {
 protected:
  struct Result {
    Tensor hidden;
    std::vector<Tensor> gradients;
  };

  static Result Compute(const Decoder& decoder, const Adapter& adapter, const TokenBatch& batch,
                        const ComputePaths& paths) {
    const Tensor hidden =
        HiddenStates(decoder, &adapter, batch, {.dropout = true, .seed = 5, .paths = paths});
    hidden.square().sum().backward();
    return {hidden.detach(), GradientsOf(adapter)};
  }

  static void ExpectSame(const Decoder& decoder, const TokenBatch& batch,
                         const ComputePaths& paths) {
    LoraSettings settings = SmallLora();
    settings.dropout = 0.2;
    const Adapter adapter = Busy(decoder, settings);
    const Result wanted = Compute(decoder, adapter, batch, {});
    const Result found = Compute(decoder, adapter, batch, paths);
    EXPECT_LT(RelativeDifference({found.hidden}, {wanted.hidden}), 1e-12)
        << decoder.config.model_type;
    EXPECT_LT(RelativeDifference(found.gradients, wanted.gradients), 1e-10)
        << decoder.config.model_type;
  }

  // Two sequences of 9 and 4 tokens in a row, and one of 13 in the other.
  static TokenBatch Packed() {
    Tensor starts = torch::zeros({2, 13}, torch::kInt64);
    starts[0].slice(0, 9).fill_(9);
    return {.ids = RandomIds(2, 13),
            .positions = torch::arange(13) - starts,
            .starts = starts,
            .sequence_ends = torch::tensor({0, 9, 13, 26}, torch::kInt32),
            .longest_sequence = 13};
  }
};

TEST_F(ComputePathsTest, FusedKernelsComputeTheSame) {
  for (const nlohmann::json& config :
       {TinyConfig("qwen2"), TinyConfig("qwen3"), TinyConfig("llama"), TinyGemma()})
    ExpectSame(Load(config), {RandomIds(2, 9), {}, {}}, {.kernels = Kernels::kFused});
}

TEST_F(ComputePathsTest, TheLibrarysAttentionComputesTheSame) {
  if (!HasLibraryAttention()) GTEST_SKIP() << "this LibTorch is older than 2.5";
  const ComputePaths paths{.attention = AttentionPath::kLibrary};
  for (const char* type : {"qwen2", "qwen3", "llama"}) {
    ExpectSame(Load(TinyConfig(type)), {RandomIds(2, 140), {}, {}}, paths);
    ExpectSame(Load(TinyConfig(type)), Packed(), paths);
  }
}

TEST_F(ComputePathsTest, TheLibrarysAttentionKeepsToWindows) {
  if (!HasLibraryAttention()) GTEST_SKIP() << "this LibTorch is older than 2.5";
  nlohmann::json mistral = TinyConfig("mistral");
  mistral["sliding_window"] = 3;
  for (const nlohmann::json& config : {mistral, nlohmann::json(TinyGemma())}) {
    ExpectSame(Load(config), {RandomIds(2, 20), {}, {}}, {.attention = AttentionPath::kLibrary});
    ExpectSame(Load(config), Packed(), {.attention = AttentionPath::kLibrary});
  }
}

TEST_F(ComputePathsTest, GenerationComputesTheSame) {
  if (!HasLibraryAttention()) GTEST_SKIP() << "this LibTorch is older than 2.5";
  const Decoder decoder = Load(TinyConfig("qwen3"));
  const Tensor ids = RandomIds(1, 12);
  const auto hidden = [&](const ComputePaths& paths) {
    KeyValueCache cache(decoder, 1, 12);
    std::vector<Tensor> parts;
    for (const auto& [begin, count] : {std::pair{0, 6}, {6, 1}, {7, 5}})
      parts.push_back(
          NextHiddenStates(decoder, nullptr, ids.narrow(1, begin, count), cache, {.paths = paths}));
    return torch::cat(parts, 1);
  };
  EXPECT_LT(RelativeDifference({hidden({Kernels::kFused, AttentionPath::kLibrary})}, {hidden({})}),
            1e-12);
}

// A task cuts packed rows itself.
TEST_F(ComputePathsTest, AnUpdateOfPackedRowsHasTheSameGradients) {
  if (!HasLibraryAttention()) GTEST_SKIP() << "this LibTorch is older than 2.5";
  const Decoder decoder = Load(TinyConfig("llama"));
  const TextData data = TinyData(20, /*packed=*/true);
  const std::vector<std::uint32_t> rows = {0, 1};
  std::vector<std::vector<Tensor>> gradients;
  for (const ComputePaths& paths : {ComputePaths{}, {Kernels::kFused, AttentionPath::kLibrary}}) {
    torch::manual_seed(1);
    LoraTask task(decoder, data, Busy(decoder, SmallLora()),
                  {.micro_batch = 2, .paths = paths, .optimizer = {}}, {});
    task.AddGradients({rows, 0, 1.0});
    gradients.push_back(GradientsOf(task.adapter()));
  }
  EXPECT_LT(RelativeDifference(gradients[1], gradients[0]), 1e-10);
}

}  // namespace
}  // namespace ebb::train
