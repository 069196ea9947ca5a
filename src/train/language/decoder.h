#pragma once
// A decoder-only transformer of the families in model_config.h, loaded from a Hugging Face folder:
// frozen weights as tensors. What they compute is in forward.h. Weights that the file has in the
// wanted type, on the CPU and aligned, are the mapped file itself; all others are copies. Those of
// the projections may be kept in fewer bits; embedding, output and norms never are.

#include <array>
#include <vector>

#include "base/result.h"
#include "platform/file.h"
#include "train/language/base_weights.h"
#include "train/language/decoder_shapes.h"
#include "train/language/frozen_matrix.h"
#include "train/libtorch.h"

namespace ebb::train {

struct Linear {
  FrozenMatrix weight;
  torch::Tensor bias;  ///< {out}, or undefined
};

struct DecoderLayer {
  torch::Tensor input_norm;             ///< before attention
  torch::Tensor mlp_norm;               ///< before the MLP
  torch::Tensor attention_output_norm;  ///< of what attention gives, or undefined
  torch::Tensor mlp_output_norm;        ///< of what the MLP gives, or undefined
  torch::Tensor query_norm;             ///< {head_size}, or undefined
  torch::Tensor key_norm;
  std::array<Linear, kProjectionCount> projections;
};

struct Decoder {
  ModelConfig config;
  BaseWeights base_weights = BaseWeights::kPlain;
  torch::Tensor embedding;  ///< {vocabulary, hidden}
  std::vector<DecoderLayer> layers;
  torch::Tensor final_norm;
  torch::Tensor output;  ///< {vocabulary, hidden}; the embedding itself where they are tied

  torch::ScalarType type() const { return embedding.scalar_type(); }
  torch::Device device() const { return embedding.device(); }
};

/// What all weights take in memory, a mapped file as if it were read.
std::int64_t WeightBytes(const Decoder& decoder);

/// Type and device of the arithmetic, and how the projections' weights are kept.
struct DecoderOptions {
  DecoderOptions(const torch::TensorOptions& arithmetic, BaseWeights weights = BaseWeights::kPlain)
      : wanted(arithmetic), base_weights(weights) {}
  torch::TensorOptions wanted;
  BaseWeights base_weights;
};

/// Every tensor that the configuration asks for must be there with its shape, and no other: what is
/// missing, unknown or of another shape or type is named. Errors have ExitCode::kConfiguration.
Result<Decoder> LoadDecoder(const platform::Path& folder, const DecoderOptions& options);

/// The model that config.json describes, with random weights: for trials without a trained model.
Result<Decoder> RandomDecoder(const platform::Path& folder, const DecoderOptions& options,
                              std::uint64_t seed);

}  // namespace ebb::train
