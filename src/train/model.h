#pragma once
// The trainer's view of a model, and the registry by which it finds one. A model is one file under
// models/ that defines a Classifier and a ModelRegistration; nothing else changes
// (docs/adding-a-model.md).

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "train/data/dataset.h"
#include "train/devices/named_tensors.h"
#include "train/libtorch.h"

namespace ebb::train {

class Classifier : public torch::nn::Module {
 public:
  /// images: {batch, 1, rows, columns}, normalised. Returns log-probabilities, {batch, kClasses}.
  virtual torch::Tensor forward(torch::Tensor images) = 0;
};

struct ModelInfo {
  std::string name;         ///< name for --model
  std::string description;  ///< one line
  ImageShape input;
  std::function<std::shared_ptr<Classifier>()>
      make;  ///< draws its initial weights from torch's generator
};

/// A namespace-scope object of this type adds a model before main.
class ModelRegistration {
 public:
  explicit ModelRegistration(ModelInfo info);
};

/// The model's parameters and buffers, each kind with its prefix.
NamedTensors ModelTensors(const Classifier& model, const char* parameter_prefix,
                          const char* buffer_prefix);

/// An Error if the model takes images of another shape. `where` names the model in the message.
Status RequireShape(const ModelInfo& model, const Dataset& data, const std::string& where);

/// All models by name.
const std::map<std::string, ModelInfo>& Models();

/// The model of that name; an unknown one is a usage error with a suggestion.
Result<ModelInfo> FindModel(const std::string& name);

}  // namespace ebb::train
