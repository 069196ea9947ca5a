#pragma once
// The configuration of a decoder-only transformer, from config.json of a Hugging Face model folder.
// Six families are known: Qwen2 (also Qwen2.5), Qwen3, Llama (2 and 3), Mistral, Ministral and
// Gemma 3 (text). The differences between them are values here, so that the model itself knows no
// family. A setting that would change the numbers and is not supported is an error that names it.
// Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ebb::train {

/// Methods that stretch rotary frequencies for contexts beyond those of the pre-training.
enum class RotaryScalingKind { kNone, kLinear, kDynamic, kLlama3, kYarn };

struct RotaryScaling {
  RotaryScalingKind kind = RotaryScalingKind::kNone;
  double factor = 1;
  double original_positions = 0;     ///< context of the pre-training; llama3 and yarn
  double low_frequency_factor = 1;   ///< llama3
  double high_frequency_factor = 4;  ///< llama3
  double beta_fast = 32;             ///< yarn
  double beta_slow = 1;              ///< yarn
  bool truncate = true;              ///< yarn: round the bounds of the ramp to whole dimensions
  std::optional<double> attention_factor;  ///< yarn
  std::optional<double> mscale;            ///< yarn
  std::optional<double> mscale_all_dim;    ///< yarn
};

enum class Activation {
  kSilu,
  kGeluTanh,  ///< GELU by its approximation with tanh
};

struct ModelConfig {
  std::string model_type;  ///< "qwen2", "qwen3", "llama", "mistral", "ministral", "gemma3_text"
  std::int64_t vocabulary = 0;
  std::int64_t hidden = 0;
  std::int64_t intermediate = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t key_value_heads = 0;  ///< divides `heads` (grouped-query attention)
  std::int64_t head_size = 0;
  std::int64_t positions = 0;
  double norm_epsilon = 1e-6;
  double rotary_base = 10000;
  RotaryScaling rotary_scaling;
  std::optional<double> window_rotary_base;  ///< for layers with a window, which then scale nothing
  bool tied_embeddings = false;              ///< the output projection is the embedding
  bool query_key_value_bias = false;
  bool output_bias = false;
  bool mlp_bias = false;
  bool query_key_norm = false;
  bool output_norms = false;       ///< outputs of attention and MLP are normalised, too
  bool norms_around_one = false;   ///< files store a norm's weight less 1
  bool scaled_embeddings = false;  ///< embeddings are multiplied by the root of the width
  double query_scalar = 0;         ///< scores are divided by the root of this; 0: head_size
  Activation activation = Activation::kSilu;
  std::int64_t window = 0;               ///< a token sees itself and window - 1 before it; 0: all
  std::vector<bool> has_window;          ///< one entry for each layer; empty: none has a window
  std::vector<std::int64_t> end_tokens;  ///< eos_token_id: one, several or none
};

/// Reads eos_token_id of generation_config.json: one, several or none. `name` is the file.
Result<std::vector<std::int64_t>> ParseGenerationEnds(std::string_view text,
                                                      const std::string& name);

/// `name` is the file, for messages.
Result<ModelConfig> ParseModelConfig(std::string_view text, const std::string& name);

}  // namespace ebb::train
