#pragma once
// The floating-point operations that the arithmetic of a model needs (multiply and add count as
// two), and the rate that this machine reaches. Their ratio is the model FLOP utilisation
// (Chowdhery et al. 2022). Repeated computation (gradient checkpointing) and padding do not count
// as needed.

#include "train/language/model/model_config.h"
#include "train/libtorch.h"

namespace ebb::train {

struct TokenCounts {
  double tokens = 0;           ///< through the layers
  double predicted = 0;        ///< through the output projection
  double squared_lengths = 0;  ///< sum over sequences
};

/// Operations of a forward and a backward pass; frozen weights only have the gradient of their
/// input. `trained` is the number of elements in the adapter's matrices.
double TrainingFlops(const ModelConfig& config, double trained, const TokenCounts& counts);

/// Operations of a forward pass alone.
double ForwardFlops(const ModelConfig& config, const TokenCounts& counts);

/// The rate of the fastest of some products of two square matrices (linear_product.h), in
/// operations per second. The matrices grow until larger ones are no faster, so that they fill the
/// device.
double MeasuredPeakFlops(torch::Device device, torch::ScalarType type);

}  // namespace ebb::train
