#pragma once
// How many floating-point operations the arithmetic of a model asks for (multiply and add count as
// two), and how many this machine reaches: their ratio is the model FLOP utilisation (Chowdhery et
// al. 2022). What is computed again (gradient checkpointing) and padding do not count as asked for.

#include "train/language/model_config.h"
#include "train/libtorch.h"

namespace ebb::train {

struct TokenCounts {
  double tokens = 0;           ///< through the layers
  double predicted = 0;        ///< through the output projection
  double squared_lengths = 0;  ///< sum over sequences
};

/// Of a forward and a backward pass: the frozen weights have a gradient of their input only.
/// `trained` is how many numbers the adapter's matrices have.
double TrainingFlops(const ModelConfig& config, double trained, const TokenCounts& counts);

/// Of a forward pass alone.
double ForwardFlops(const ModelConfig& config, const TokenCounts& counts);

/// The fastest of some products of two square matrices (linear_product.h), in operations per
/// second. They grow until larger ones are no faster, so that they fill the device.
double MeasuredPeakFlops(torch::Device device, torch::ScalarType type);

}  // namespace ebb::train
