#pragma once
// A decoder-only transformer of the families in model_config.h, loaded from a Hugging Face folder:
// frozen weights as tensors. forward.h computes with them. Weights that the file has in the wanted
// type, on the CPU and aligned, are the mapped file itself; all others are copies. Weights of the
// projections may be kept in fewer bits; embedding, output and norms never are.

#include <array>
#include <vector>

#include "base/result.h"
#include "platform/file.h"
#include "train/language/model/decoder_shapes.h"
#include "train/language/products/frozen_matrix.h"
#include "train/language/weights/base_weights.h"
#include "train/libtorch.h"

namespace ebb::train {

struct Linear {
  FrozenMatrix weight;
  torch::Tensor bias;  ///< {out}, or undefined
};

struct DecoderLayer {
  torch::Tensor input_norm;             ///< before attention
  torch::Tensor mlp_norm;               ///< before the MLP
  torch::Tensor attention_output_norm;  ///< for attention's output, or undefined
  torch::Tensor mlp_output_norm;        ///< for the MLP's output, or undefined
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
  torch::Tensor output;  ///< {vocabulary, hidden}; the embedding itself if tied

  torch::ScalarType type() const { return embedding.scalar_type(); }
  torch::Device device() const { return embedding.device(); }
};

/// Bytes that all weights take in memory; a mapped file counts as if it were read.
std::int64_t WeightBytes(const Decoder& decoder);

/// Type and device of the arithmetic, and the form of the projections' weights.
struct DecoderOptions {
  DecoderOptions(const torch::TensorOptions& arithmetic, BaseWeights weights = BaseWeights::kPlain)
      : wanted(arithmetic), base_weights(weights) {}
  torch::TensorOptions wanted;
  BaseWeights base_weights;
};

/// Every tensor that the configuration asks for must be there with its shape, and no other. The
/// Error names a tensor that is missing, unknown or of another shape or type, with
/// ExitCode::kConfiguration.
Result<Decoder> LoadDecoder(const platform::Path& folder, const DecoderOptions& options);

/// The model that config.json describes, with random weights: for trials without a trained model.
Result<Decoder> RandomDecoder(const platform::Path& folder, const DecoderOptions& options,
                              std::uint64_t seed);

}  // namespace ebb::train
