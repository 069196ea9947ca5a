#include "train/model.h"

#include <vector>

#include "base/check.h"
#include "base/text.h"

namespace ebb::train {
namespace {

// A function's static, because registrations run before main in any order.
std::map<std::string, ModelInfo>& Registry() {
  static std::map<std::string, ModelInfo> registry;
  return registry;
}

}  // namespace

ModelRegistration::ModelRegistration(ModelInfo info) {
  const std::string name = info.name;
  EBB_CHECK(Registry().emplace(name, std::move(info)).second);
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
