#include "train/model.h"

#include <vector>

#include "base/check.h"
#include "base/text.h"

namespace ebb::train {
namespace {

// The map is a function's static, because registrations run before main in any order.
std::map<std::string, ModelInfo>& Registry() {
  static std::map<std::string, ModelInfo> registry;
  return registry;
}

}  // namespace

ModelRegistration::ModelRegistration(ModelInfo info) {
  const std::string name = info.name;
  EBB_CHECK(Registry().emplace(name, std::move(info)).second);
}

NamedTensors ModelTensors(const Classifier& model, const char* parameter_prefix,
                          const char* buffer_prefix) {
  NamedTensors tensors;
  for (const auto& item : model.named_parameters())
    tensors.emplace_back(parameter_prefix + item.key(), item.value());
  for (const auto& item : model.named_buffers())
    tensors.emplace_back(buffer_prefix + item.key(), item.value());
  return tensors;
}

Status RequireShape(const ModelInfo& model, const Dataset& data, const std::string& where) {
  if (model.input == data.shape) return {};
  return Fail({ExitCode::kConfiguration,
               "the model takes images of " + std::to_string(model.input.rows) + " x " +
                   std::to_string(model.input.columns) + ", the data has " +
                   std::to_string(data.shape.rows) + " x " + std::to_string(data.shape.columns),
               where, "choose another one, or another --data-dir"});
}

const std::map<std::string, ModelInfo>& Models() { return Registry(); }

Result<ModelInfo> FindModel(const std::string& name) {
  const auto found = Models().find(name);
  if (found != Models().end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, info] : Models()) names.push_back(known);
  return Fail({ExitCode::kUsage, "there is no model \"" + name + "\"" + SuggestionText(name, names),
               "", "ebb-train --list-models names them"});
}

}  // namespace ebb::train
