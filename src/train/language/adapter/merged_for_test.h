#pragma once
// A decoder with an adapter in its weights, to check adapters and merged models against.

#include "train/language/adapter/adapter.h"
#include "train/language/model/decoder.h"

namespace ebb::train {

/// The adapter is added into the weights.
inline Decoder Merged(const Decoder& decoder, const Adapter& adapter) {
  Decoder merged = decoder;
  for (std::size_t layer = 0; layer < adapter.layers.size(); ++layer) {
    for (std::size_t i = 0; i < kProjectionCount; ++i) {
      const auto& pair = adapter.layers[layer][i];
      if (!pair) continue;
      FrozenMatrix& weight = merged.layers[layer].projections[i].weight;
      weight = FrozenMatrix(MergedWeight(weight.Whole(), *pair));
    }
  }
  return merged;
}

}  // namespace ebb::train
