#pragma once
// The file of a trained image classifier: safetensors, with the tensors under the names that the
// model registered, which other programs expect, and the model's name as metadata ("ebb.model").
// Weights in 8 bits (weight_codes.h) are I8 tensors of the same shape, each with NAME.scale, fp32
// {outputs}; all other tensors are as in a file without 8 bits.

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "platform/file.h"
#include "train/model.h"

namespace ebb::train {

enum class WeightForm {
  kPlain,
  kInt8  ///< only tensors of two or more dimensions; one scale for each output
};

struct LoadedModel {
  ModelInfo info;
  std::shared_ptr<Classifier> model;  ///< in evaluation mode, on the CPU, without gradients
  WeightForm form = WeightForm::kPlain;
  std::uint64_t file_bytes = 0;
};

/// `name` is the model's name in the registry. kInt8 refuses weights that are not finite.
Status SaveModel(const platform::Path& path, const Classifier& model, const std::string& name,
                 WeightForm form = WeightForm::kPlain);

/// Draws random numbers from torch's generator, because making a model does.
Result<LoadedModel> LoadModel(const platform::Path& path);

/// True for tensors of two or more dimensions: pruning and 8 bits apply to these.
bool IsWeight(const torch::Tensor& tensor);

}  // namespace ebb::train
