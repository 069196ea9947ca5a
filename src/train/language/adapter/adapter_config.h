#pragma once
// The settings of a low-rank adapter (LoRA, Hu et al. 2021), and PEFT's adapter_config.json. Pure.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "train/language/adapter/adapter_modules.h"
#include "train/language/model/projection.h"

namespace ebb::train {

struct LoraSettings {
  std::int64_t rank = 16;
  double alpha = 32;
  double dropout = 0;  ///< dropout of the adapter's input in training
  std::set<Projection> targets = {Projection::kQuery,  Projection::kKey,  Projection::kValue,
                                  Projection::kOutput, Projection::kGate, Projection::kUp,
                                  Projection::kDown};
  bool rank_stabilised =
      false;                ///< alpha / sqrt(rank) instead of alpha / rank (Kalajdzievski 2023)
  bool decomposed = false;  ///< separate magnitude and direction (DoRA, Liu et al. 2024)
  ModuleRules rules = {};   ///< rules in adapters from other programs
};

/// The text of adapter_config.json. `base_model` is the folder or name that the adapter belongs to.
std::string AdapterConfigJson(const LoraSettings& settings, const std::string& base_model);

/// `name` is the file, for messages. The Error names features of PEFT that Ebb does not support
/// (trained biases, fully trained modules, other kinds of adapters). ModulesOf decides which
/// modules are adapted, and with which ranks. Errors have ExitCode::kConfiguration.
Result<LoraSettings> ParseAdapterConfig(std::string_view text, const std::string& name);

}  // namespace ebb::train
