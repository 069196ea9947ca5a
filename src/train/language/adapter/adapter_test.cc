// Tests adapters as files: read back, merged into their model, of another model, and with embedding
// and output as PEFT writes them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "train/files/tensor_of_bytes.h"
#include "train/language/adapter/merge.h"
#include "train/language/adapter/merged_for_test.h"
#include "train/language/model/language_for_test.h"
#include "train/learning/small_models_for_test.h"

namespace ebb::train {
namespace {

using torch::Tensor;

TEST_F(Language, AnAdapterReadsBackAndMerges) {
  for (const bool decomposed : {false, true}) {
    LoraSettings settings = SmallLora();
    settings.decomposed = decomposed;
    const Decoder decoder = Load(TinyConfig("qwen2"), torch::kFloat32);
    const Adapter adapter = Busy(decoder, settings);
    ASSERT_TRUE(SaveAdapter(directory_ / "adapter", adapter, "base"));
    const auto loaded = LoadAdapter(directory_ / "adapter", decoder);
    ASSERT_TRUE(loaded) << loaded.error().Message();
    EXPECT_EQ(AdapterSha256(*loaded), AdapterSha256(adapter));
    const torch::NoGradGuard no_grad;
    const TokenBatch batch{RandomIds(1, 10), {}, {}};
    EXPECT_LT(RelativeDifference({HiddenStates(Merged(decoder, adapter), nullptr, batch, {})},
                                 {HiddenStates(decoder, &adapter, batch, {})}),
              1e-5);
  }
}

TEST_F(Language, AMergedModelIsTheModelWithItsAdapter) {
  const Decoder decoder = Load(TinyConfig("qwen2"), torch::kFloat32);
  const Adapter adapter = Busy(decoder, SmallLora());
  ASSERT_TRUE(SaveAdapter(directory_ / "adapter", adapter, "base"));
  ASSERT_TRUE(platform::WriteFileAtomically(directory_ / "tokenizer.json", "{}"));
  const torch::NoGradGuard no_grad;
  const TokenBatch batch{RandomIds(1, 10), {}, {}};
  const Tensor wanted = HiddenStates(Merged(decoder, adapter), nullptr, batch, {});
  for (const std::uint64_t shard_bytes : {kShardBytes, std::uint64_t{2000}}) {
    const platform::Path output = ScratchDirectory("merged") / "model";
    const MergeOptions options{directory_.string(), (directory_ / "adapter").string(),
                               output.string()};
    const Status done = Merge(options, shard_bytes);
    ASSERT_TRUE(done) << done.error().Message();
    const auto merged = LoadDecoder(output, torch::dtype(torch::kFloat32));
    ASSERT_TRUE(merged) << merged.error().Message();
    EXPECT_TRUE(torch::equal(HiddenStates(*merged, nullptr, batch, {}), wanted));
    EXPECT_TRUE(std::filesystem::exists(output / "tokenizer.json"));
    EXPECT_EQ(std::filesystem::exists(output / "model.safetensors"), shard_bytes == kShardBytes);
    EXPECT_FALSE(Merge(options)) << "it is there already";
  }
}

TEST_F(Language, AMergeThatFailsLeavesNothing) {
  const Decoder decoder = Load(TinyConfig("qwen2"), torch::kFloat32);
  ASSERT_TRUE(SaveAdapter(directory_ / "adapter", Busy(decoder, SmallLora()), "base"));
  nlohmann::json other = TinyConfig("qwen2");
  other["intermediate_size"] = 28;
  Load(other, torch::kFloat32);
  const platform::Path parent = ScratchDirectory("merged");
  const Status refused =
      Merge({directory_.string(), (directory_ / "adapter").string(), (parent / "model").string()});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().Message(), testing::HasSubstr("gate_proj"));
  EXPECT_TRUE(std::filesystem::is_empty(parent));
  const Status missing = Merge({"no/model", (directory_ / "adapter").string(), "merged"});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().Message(), testing::HasSubstr("no/model: is not a folder"));
}

TEST_F(Language, AnAdapterOfAnotherModelIsRefused) {
  const Decoder small = Load(TinyConfig("qwen2"), torch::kFloat32);
  ASSERT_TRUE(SaveAdapter(directory_ / "adapter", MakeAdapter(small, SmallLora(), 1), "base"));
  nlohmann::json config = TinyConfig("qwen2");
  config["intermediate_size"] = 28;
  const auto refused = LoadAdapter(directory_ / "adapter", Load(config, torch::kFloat32));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().Message(), testing::HasSubstr("gate_proj"));
}

// Embedding and output as PEFT writes them, in both forms: learned whole (modules_to_save), and as
// two matrices.
class OuterAdapter : public Language {
 protected:
  OuterAdapter() { torch::manual_seed(5); }

  // Writes the folder of an adapter of q_proj with more keys and tensors.
  platform::Path Written(const Decoder& decoder, const nlohmann::json& keys,
                         const NamedTensors& more) {
    const platform::Path folder = directory_ / "adapter";
    LoraSettings settings = SmallLora();
    settings.targets = {Projection::kQuery};
    const Adapter adapter = MakeAdapter(decoder, settings, 1);
    NamedTensors tensors = adapter.Tensors();
    for (auto& [name, tensor] : tensors) tensor = tensor.detach();
    tensors.insert(tensors.end(), more.begin(), more.end());
    nlohmann::json config = nlohmann::json::parse(AdapterConfigJson(settings, "base"));
    config.update(keys);
    EXPECT_TRUE(platform::EnsureWritableDirectory(folder));
    EXPECT_TRUE(platform::WriteFileAtomically(folder / "adapter_config.json", config.dump()));
    EXPECT_TRUE(platform::WriteFileAtomically(folder / "adapter_model.safetensors",
                                              EncodeSafetensors(BytesOf(tensors), {})));
    return folder;
  }

  const Tensor saved_ = torch::randn({48, 16}), a_ = torch::randn({3, 16}),
               b_ = torch::randn({48, 3}), embedding_a_ = torch::randn({3, 48}),
               embedding_b_ = torch::randn({16, 3});
};

TEST_F(OuterAdapter, ChangesEmbeddingAndOutput) {
  Decoder decoder = Load(TinyConfig("qwen2"), torch::kFloat32);
  const Decoder base = decoder;
  const auto folder = Written(
      decoder, {{"target_modules", {"q_proj", "lm_head"}}, {"modules_to_save", {"embed_tokens"}}},
      {{"base_model.model.model.embed_tokens.weight", saved_},
       {"base_model.model.lm_head.base_layer.weight", decoder.output},
       {"base_model.model.lm_head.lora_A.weight", a_},
       {"base_model.model.lm_head.lora_B.weight", b_}});
  OuterWeights outer;
  const auto adapter = LoadAdapter(folder, decoder, &outer);
  ASSERT_TRUE(adapter) << adapter.error().Message();
  Use(outer, decoder);
  EXPECT_TRUE(torch::equal(decoder.embedding, saved_));
  EXPECT_LT(RelativeDifference({decoder.output}, {base.output + 2 * b_.mm(a_)}), 1e-6);
  const platform::Path merged = ScratchDirectory("merged") / "model";
  const Status done = Merge({directory_.string(), folder.string(), merged.string()});
  ASSERT_TRUE(done) << done.error().Message();
  const auto loaded = LoadDecoder(merged, torch::dtype(torch::kFloat32));
  ASSERT_TRUE(loaded) << loaded.error().Message();
  EXPECT_TRUE(torch::equal(loaded->embedding, decoder.embedding));
  EXPECT_TRUE(torch::equal(loaded->output, decoder.output));
  const auto trained = LoadAdapter(folder, base);
  ASSERT_FALSE(trained) << "it would go on without them";
  EXPECT_THAT(trained.error().Message(), testing::HasSubstr("which Ebb does not train"));
}

TEST_F(OuterAdapter, MayUntieAModelButIsNotMergedThen) {
  nlohmann::json config = TinyConfig("qwen2");
  config["tie_word_embeddings"] = true;
  Decoder decoder = Load(config, torch::kFloat32);
  const Tensor before = decoder.output;
  const auto folder =
      Written(decoder, {{"target_modules", {"q_proj", "embed_tokens"}}},
              {{"base_model.model.model.embed_tokens.lora_embedding_A", embedding_a_},
               {"base_model.model.model.embed_tokens.lora_embedding_B", embedding_b_}});
  OuterWeights outer;
  ASSERT_TRUE(LoadAdapter(folder, decoder, &outer));
  Use(outer, decoder);
  EXPECT_LT(
      RelativeDifference({decoder.embedding}, {before + 2 * embedding_b_.mm(embedding_a_).t()}),
      1e-6);
  EXPECT_TRUE(torch::equal(decoder.output, before));
  const Status merged =
      Merge({directory_.string(), folder.string(), (ScratchDirectory("merged") / "m").string()});
  ASSERT_FALSE(merged);
  EXPECT_THAT(merged.error().Message(), testing::HasSubstr("tie_word_embeddings"));
}

TEST_F(OuterAdapter, OfAnotherBaseIsRefused) {
  const Decoder decoder = Load(TinyConfig("qwen2"), torch::kFloat32);
  const auto folder = Written(decoder, {{"target_modules", {"q_proj", "lm_head"}}},
                              {{"base_model.model.lm_head.base_layer.weight", saved_},
                               {"base_model.model.lm_head.lora_A.weight", a_},
                               {"base_model.model.lm_head.lora_B.weight", b_}});
  OuterWeights outer;
  const auto refused = LoadAdapter(folder, decoder, &outer);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().Message(), testing::HasSubstr("lm_head.base_layer.weight"));
}

}  // namespace
}  // namespace ebb::train
