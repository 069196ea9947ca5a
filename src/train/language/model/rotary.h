#pragma once
// Rotary position embeddings (Su et al. 2021): the frequency at which each pair of dimensions
// turns, with the usual scalings (linear; dynamic NTK; llama3; YaRN, Peng et al. 2023) by the
// formulas of transformers' modeling_rope_utils. Pure.

#include <cstdint>
#include <vector>

#include "train/language/model/model_config.h"

namespace ebb::train {

struct RotaryFrequencies {
  std::vector<float> radians_per_position;  ///< head_size / 2; rounded to fp32, as in training
  double amplitude = 1;                     ///< factor of cosine and sine (YaRN)
};

/// `sequence_length`: the last position + 1; only the dynamic scaling depends on it.
RotaryFrequencies FrequenciesFor(const ModelConfig& config, std::int64_t sequence_length);

/// The frequencies of layers with a window, if these have a base of their own.
RotaryFrequencies WindowFrequenciesFor(const ModelConfig& config);

}  // namespace ebb::train
