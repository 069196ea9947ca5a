#pragma once
// The tensors of a decoder, under the names that transformers gives them, and their shapes. Pure.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "train/language/model/model_config.h"
#include "train/language/model/projection.h"

namespace ebb::train {

struct NamedShape {
  std::string name;
  std::vector<std::int64_t> shape;
};

/// Shape {out, in} of a projection.
std::array<std::int64_t, 2> ShapeOf(const ModelConfig& config, Projection projection);
bool HasBias(const ModelConfig& config, Projection projection);

/// "model.layers.3."
std::string LayerPrefix(std::int64_t layer);

/// All tensors, in the order of the model.
std::vector<NamedShape> ShapesOf(const ModelConfig& config);

/// The number of weights of the model; a tied output projection counts once.
std::int64_t ParameterCount(const ModelConfig& config);

}  // namespace ebb::train
