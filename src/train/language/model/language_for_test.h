#pragma once
// A fixture with a tiny language model in a folder of its own, for the tests of its computation.

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "testing/scratch_directory.h"
#include "train/language/adapter/adapter.h"
#include "train/language/generation/token_file.h"
#include "train/language/model/decoder.h"
#include "train/language/model/forward.h"
#include "train/language/model/tiny_model_for_test.h"

namespace ebb::train {

inline torch::Tensor RandomIds(std::int64_t rows, std::int64_t length) {
  return torch::randint(3, 48, {rows, length}, torch::dtype(torch::kInt64));
}

class Language : public testing::Test {
 protected:
  Language() {
    at::set_num_threads(1);
    torch::manual_seed(3);
  }

  Decoder Load(const nlohmann::json& config, torch::ScalarType type = torch::kFloat64,
               BaseWeights base_weights = BaseWeights::kPlain) {
    WriteModel(directory_, config);
    auto decoder = LoadDecoder(directory_, {torch::dtype(type), base_weights});
    EXPECT_TRUE(decoder) << decoder.error().Message();
    return std::move(*decoder);
  }

  // An adapter that changes the model, as after some training.
  static Adapter Busy(const Decoder& decoder, const LoraSettings& settings) {
    Adapter adapter = MakeAdapter(decoder, settings, 9);
    const torch::NoGradGuard no_grad;
    for (auto [name, tensor] : adapter.Tensors()) tensor.add_(0.1 * torch::randn_like(tensor));
    return adapter;
  }

  // Expects the same bits whether layers keep their intermediates or compute them again, all or
  // those of the MLP, with these settings.
  static void ExpectSameBitsWithCheckpoints(const Decoder& decoder, const Adapter& adapter,
                                            ForwardSettings settings) {
    const torch::Tensor ids = RandomIds(2, 12);
    std::vector<std::vector<torch::Tensor>> gradients;
    for (const Recompute recompute : {Recompute::kNothing, Recompute::kMlp, Recompute::kLayers}) {
      settings.recompute = recompute;
      HiddenStates(decoder, &adapter, {ids, {}, {}}, settings).square().sum().backward();
      gradients.push_back(GradientsOf(adapter));
    }
    for (std::size_t i = 0; i < gradients[0].size(); ++i) {
      EXPECT_TRUE(torch::equal(gradients[0][i], gradients[1][i])) << i;
      EXPECT_TRUE(torch::equal(gradients[0][i], gradients[2][i])) << i;
    }
  }

  static std::vector<torch::Tensor> GradientsOf(const Adapter& adapter) {
    std::vector<torch::Tensor> gradients;
    for (auto [name, tensor] : adapter.Tensors()) {
      gradients.push_back(tensor.grad().clone());
      tensor.mutable_grad().reset();
    }
    return gradients;
  }

  const platform::Path directory_ = ScratchDirectory("language");
};

inline TextData TinyData(std::size_t count, bool packed = false) {
  const platform::Path file = ScratchDirectory("sequences") / "tokens.jsonl";
  EXPECT_TRUE(platform::WriteFileAtomically(file, TinySequences(count)));
  return *LoadTokenFile({.path = file, .vocabulary = 48, .max_tokens = 64, .packed = packed});
}

inline LoraSettings SmallLora() { return {.rank = 3, .alpha = 6}; }

}  // namespace ebb::train
