#pragma once
// The forms in which the frozen weights of the seven projections of each layer can be kept in
// memory. frozen_matrix.h implements them. Pure.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "train/options/command.h"

namespace ebb::train {

enum class BaseWeights {
  kPlain,     ///< type of the arithmetic
  kBf16,      ///< bf16 under arithmetic in fp32
  kInt8,      ///< 8 bits, and a scale for each output
  kNf4,       ///< 4 bits, and a scale for each 64 inputs of an output
  kNf4Double  ///< kNf4 with scales in 8 bits
};

/// "bf16", "int8", "nf4", "nf4-double"; for plain weights the name of the precision.
std::string Name(BaseWeights weights, Precision precision);

/// The name in files: "bf16", "int8", "nf4", "nf4-double"; kPlain has no name there.
std::string Name(BaseWeights weights);
std::optional<BaseWeights> BaseWeightsNamed(std::string_view name);

inline constexpr const char* kBaseWeightsHelp =
    "bf16 | fp32 | int8 | nf4 | nf4-double: how the projections' weights are kept in memory "
    "(default: as "
    "--precision)";

/// The value of --base-weights; empty means plain. fp32 weights with arithmetic in bf16 are
/// refused.
Result<BaseWeights> ParseBaseWeights(const std::string& text, Precision precision);

}  // namespace ebb::train
