#pragma once
// What a low-rank adapter (LoRA, Hu et al. 2021) is, and PEFT's adapter_config.json. Pure.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "train/language/adapter_modules.h"
#include "train/language/projection.h"

namespace ebb::train {

struct LoraSettings {
  std::int64_t rank = 16;
  double alpha = 32;
  double dropout = 0;  ///< of the adapter's input, while training
  std::set<Projection> targets = {Projection::kQuery,  Projection::kKey,  Projection::kValue,
                                  Projection::kOutput, Projection::kGate, Projection::kUp,
                                  Projection::kDown};
  bool rank_stabilised =
      false;                ///< alpha / sqrt(rank) instead of alpha / rank (Kalajdzievski 2023)
  bool decomposed = false;  ///< magnitude and direction apart (DoRA, Liu et al. 2024)
  ModuleRules rules = {};   ///< of adapters that others made
};

/// The text of adapter_config.json. `base_model` is the folder or name that the adapter belongs to.
std::string AdapterConfigJson(const LoraSettings& settings, const std::string& base_model);

/// `name` is the file, for messages. What PEFT knows and this does not (trained biases, fully
/// trained modules, other kinds of adapters) is named. Which modules are meant, and with which
/// ranks, says ModulesOf. Errors have ExitCode::kConfiguration.
Result<LoraSettings> ParseAdapterConfig(std::string_view text, const std::string& name);

}  // namespace ebb::train
