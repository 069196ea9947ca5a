#pragma once
// Completes a prompt: one token after the other, with a cache of keys and values, greedy or
// sampled. The same seed gives the same tokens on the same machine.

#include <cstdint>
#include <functional>
#include <vector>

#include "train/language/adapter/adapter.h"
#include "train/language/model/decoder.h"

namespace ebb::train {

struct GenerateSettings {
  std::int64_t max_new_tokens = 128;
  double temperature = 0;  ///< 0: the most likely token each time
  std::int64_t top_k = 0;  ///< only the k most likely; 0: all
  double top_p = 1;        ///< only the most likely tokens that together reach this probability
  std::uint64_t seed = 1;
  std::vector<std::int64_t> end_tokens;  ///< tokens that end the text and are not part of it
};

/// Called with each new token; false ends the text.
using OnToken = std::function<bool(std::int64_t)>;

/// The tokens that follow the prompt, which must have at least one. `adapter` may be null.
std::vector<std::int64_t> Generate(const Decoder& decoder, const Adapter* adapter,
                                   const std::vector<std::int64_t>& prompt,
                                   const GenerateSettings& settings, const OnToken& on_token);

/// Chooses one token by the logits {vocabulary}; `draw` is uniform in [0, 1).
std::int64_t ChooseToken(const torch::Tensor& logits, const GenerateSettings& settings,
                         double draw);

}  // namespace ebb::train
