#pragma once
// How the frozen weights of the seven projections of each layer are kept in memory, as a choice.
// frozen_matrix.h keeps them so. Pure.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "train/command.h"

namespace ebb::train {

enum class BaseWeights {
  kPlain,     ///< in the type of the arithmetic
  kBf16,      ///< bf16 under arithmetic in fp32
  kInt8,      ///< 8 bits, and a scale for each output
  kNf4,       ///< 4 bits, and a scale for each 64 inputs of an output
  kNf4Double  ///< the same, and the scales in 8 bits
};

/// "bf16", "int8", "nf4", "nf4-double", and for plain ones the precision.
std::string Name(BaseWeights weights, Precision precision);

/// What files say that are written: "bf16", "int8", "nf4", "nf4-double"; kPlain has no name there.
std::string Name(BaseWeights weights);
std::optional<BaseWeights> BaseWeightsNamed(std::string_view name);

inline constexpr const char* kBaseWeightsHelp =
    "bf16 | fp32 | int8 | nf4 | nf4-double: how the projections' weights are kept in memory "
    "(default: as "
    "--precision)";

/// The value of --base-weights; an empty one is plain. fp32 under arithmetic in bf16 is refused.
Result<BaseWeights> ParseBaseWeights(const std::string& text, Precision precision);

}  // namespace ebb::train
