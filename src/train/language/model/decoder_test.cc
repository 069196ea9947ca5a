// Tests how the weights of a model are read: by mapping its file, with names for what is wrong in
// it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "train/devices/tensor_memory.h"
#include "train/language/model/language_for_test.h"

namespace ebb::train {
namespace {

using torch::Tensor;

TEST_F(Language, WeightsAreTheMappedFile) {
  const Decoder decoder = Load(TinyConfig("qwen2"), torch::kFloat32);
  const TensorMemoryScope memory(torch::kCPU);
  const auto again = LoadDecoder(directory_, torch::dtype(torch::kFloat32));
  ASSERT_TRUE(again);
  EXPECT_LE(memory.peak_bytes(), 64) << "the sum by which they are found to be finite";
  // Writing into the borrowed tensor changes neither the file nor another mapping of it.
  torch::NoGradGuard no_grad;
  Tensor embedding = again->embedding;
  embedding.add_(1);
  EXPECT_FALSE(torch::equal(embedding, decoder.embedding));
  EXPECT_TRUE(torch::equal(LoadDecoder(directory_, torch::dtype(torch::kFloat32))->embedding,
                           decoder.embedding));
}

TEST_F(Language, UnknownMissingAndMisshapenTensorsAreNamed) {
  const auto refusal = [&](const nlohmann::json& written, const nlohmann::json& claimed) {
    WriteModel(directory_, written);
    EXPECT_TRUE(platform::WriteFileAtomically(directory_ / "config.json", claimed.dump()));
    const auto decoder = LoadDecoder(directory_, torch::dtype(torch::kFloat32));
    return decoder ? std::string("accepted") : decoder.error().Message();
  };
  nlohmann::json other = TinyConfig("qwen2");
  other["num_hidden_layers"] = 1;
  EXPECT_THAT(refusal(TinyConfig("qwen2"), other), testing::HasSubstr("model.layers.1."));
  EXPECT_THAT(refusal(other, TinyConfig("qwen2")), testing::HasSubstr("1 layers"));
  EXPECT_THAT(refusal(TinyConfig("qwen2"), TinyConfig("llama")),
              testing::HasSubstr("k_proj.bias is unknown"));
  EXPECT_THAT(refusal(TinyConfig("llama"), TinyConfig("qwen3")),
              testing::HasSubstr("lacks the tensor model.layers.0.self_attn.q_norm"));
  other = TinyConfig("qwen2");
  other["vocab_size"] = 50;
  EXPECT_THAT(refusal(TinyConfig("qwen2"), other),
              testing::HasSubstr("{48, 16}, but config.json says {50, 16}"));
}

}  // namespace
}  // namespace ebb::train
