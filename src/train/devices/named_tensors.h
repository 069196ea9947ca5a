#pragma once
// Tensors under the names that files give them.

#include <string>
#include <utility>
#include <vector>

#include "train/libtorch.h"

namespace ebb::train {

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

}  // namespace ebb::train
