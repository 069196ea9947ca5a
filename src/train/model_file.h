#pragma once
// A trained image classifier in a file: safetensors, the tensors under the names that the model
// registered them by, which other programs expect, and in the metadata which model it is
// ("ebb.model"). Weights in 8 bits (weight_codes.h) are I8 tensors of the same shape, each with
// NAME.scale, fp32 {outputs}; everything else stays as it was.

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "platform/file.h"
#include "train/model.h"

namespace ebb::train {

enum class WeightForm {
  kPlain,
  kInt8  ///< tensors of two dimensions and more, a scale for each output
};

struct LoadedModel {
  ModelInfo info;
  std::shared_ptr<Classifier> model;  ///< in evaluation mode, on the CPU, without gradients
  WeightForm form = WeightForm::kPlain;
  std::uint64_t file_bytes = 0;
};

/// `name` is the model's in the registry. kInt8 refuses weights that are not finite.
Status SaveModel(const platform::Path& path, const Classifier& model, const std::string& name,
                 WeightForm form = WeightForm::kPlain);

/// Draws from torch's generator, because making a model does.
Result<LoadedModel> LoadModel(const platform::Path& path);

/// What a pruning or a form in fewer bits is about: tensors of two dimensions and more.
bool IsWeight(const torch::Tensor& tensor);

}  // namespace ebb::train
