#pragma once
// A model folder with random weights, small enough for tests and written without LibTorch, and
// sequences to learn.

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "platform/file.h"
#include "train/files/safetensors.h"
#include "train/language/model/decoder_shapes.h"

namespace ebb::train {

inline nlohmann::json TinyConfig(const std::string& model_type) {
  return {{"model_type", model_type},     {"vocab_size", 48},       {"hidden_size", 16},
          {"intermediate_size", 24},      {"num_hidden_layers", 2}, {"num_attention_heads", 4},
          {"num_key_value_heads", 2},     {"head_dim", 4},          {"max_position_embeddings", 64},
          {"rms_norm_eps", 1e-6},         {"rope_theta", 10000.0},  {"hidden_act", "silu"},
          {"tie_word_embeddings", false}, {"eos_token_id", 2}};
}

/// Gemma 3 with one layer that sees a window of three tokens, and one layer that sees all.
inline nlohmann::json TinyGemma() {
  nlohmann::json config = TinyConfig("gemma3_text");
  config.erase("hidden_act");
  config.update({{"hidden_activation", "gelu_pytorch_tanh"},
                 {"query_pre_attn_scalar", 6},
                 {"sliding_window", 3},
                 {"sliding_window_pattern", 2},
                 {"rope_local_base_freq", 100.0},
                 {"rope_scaling", {{"rope_type", "linear"}, {"factor", 2.0}}},
                 {"tie_word_embeddings", true}});
  return config;
}

/// Writes every tensor that the configuration asks for, with random fp32 values.
inline void WriteModel(const platform::Path& folder, const nlohmann::json& config) {
  const std::string text = config.dump();
  const auto parsed = ParseModelConfig(text, "config.json");
  EBB_CHECK(parsed.has_value());
  Random random(11);
  std::vector<std::vector<float>> storage;
  std::vector<TensorBytes> tensors;
  for (const NamedShape& wanted : ShapesOf(*parsed)) {
    std::size_t count = 1;
    for (const std::int64_t size : wanted.shape) count *= static_cast<std::size_t>(size);
    std::vector<float> values(count);
    const bool is_norm = wanted.name.find("norm") != std::string::npos;
    for (float& value : values)
      value = static_cast<float>((is_norm ? 1 : 0) + random.Uniform(-0.3, 0.3));
    storage.push_back(std::move(values));
    tensors.push_back({wanted.name, "F32", wanted.shape, {}});
  }
  for (std::size_t i = 0; i < tensors.size(); ++i)
    tensors[i].data = {reinterpret_cast<const char*>(storage[i].data()),
                       storage[i].size() * sizeof(float)};
  EBB_CHECK(platform::EnsureWritableDirectory(folder).has_value());
  EBB_CHECK(platform::WriteFileAtomically(folder / "config.json", text).has_value());
  EBB_CHECK(platform::WriteFileAtomically(folder / "model.safetensors",
                                          EncodeSafetensors(tensors, {{"format", "pt"}}))
                .has_value());
}

/// JSON lines of sequences of different lengths that repeat a pattern.
inline std::string TinySequences(std::size_t count) {
  Random random(5);
  std::string lines;
  for (std::size_t i = 0; i < count; ++i) {
    nlohmann::json ids = nlohmann::json::array(), mask = nlohmann::json::array();
    const std::uint64_t length = 6 + random.Below(12), step = 1 + random.Below(3);
    for (std::uint64_t k = 0; k < length; ++k) {
      ids.push_back(3 + (k * step) % 40);
      mask.push_back(k < 3 ? 0 : 1);
    }
    lines += nlohmann::json{{"input_ids", ids}, {"loss_mask", mask}}.dump() + "\n";
  }
  return lines;
}

}  // namespace ebb::train
