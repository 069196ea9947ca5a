#pragma once
// The codes of weight_codes.h by LibTorch's operations, for devices other than the CPU: the same
// bits, tested on the CPU against that file.

#include <cstdint>

#include "train/language/weights/base_weights.h"
#include "train/libtorch.h"

namespace ebb::train {

/// Codes of int8 {rows, columns} with scales {rows, 1}, or of NF4 {rows, Nf4RowBytes} with scales
/// {rows, Nf4Blocks}; scales are fp32.
struct WeightTensors {
  torch::Tensor codes;
  torch::Tensor scales;
};

/// Encodes fp32 values {rows, columns} where they are. `as` is kInt8 or kNf4.
WeightTensors EncodeByOperations(const torch::Tensor& values, BaseWeights as);

/// Decodes to {rows, columns} of `type`: multiplied in fp32 and rounded once.
torch::Tensor DecodeByOperations(const WeightTensors& weights, BaseWeights as, std::int64_t columns,
                                 torch::ScalarType type);

/// Decodes scales of NF4 in 8 bits: codes {rows, blocks}, of which the first is number `first` of
/// all, and the scales of all blocks of codes.
torch::Tensor DecodeScalesByOperations(const torch::Tensor& codes, std::int64_t first,
                                       const torch::Tensor& block_scales, float mean);

}  // namespace ebb::train
