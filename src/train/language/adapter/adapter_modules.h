#pragma once
// The modules of a model that an adapter adapts, with rank and alpha of each: the rules of PEFT's
// adapter_config.json (PEFT 0.21: check_target_module_exists, get_pattern_key). Pure.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "train/language/model/projection.h"

namespace ebb::train {

struct LoraSettings;

/// Modules by their names. With a list, a module is chosen if its name is in the list, or ends with
/// "." and an entry. An expression (Python's syntax) must match the whole name, such as
/// "model.layers.3.self_attn.q_proj".
struct ModuleChoice {
  std::vector<std::string> names;
  std::string expression;  ///< empty: the names count
};

/// The first expression that matches a name, or the rest of a name behind one of its dots, gives
/// its number.
using ModulePatterns = std::vector<std::pair<std::string, double>>;

/// The rules of a configuration beyond one rank and one list of projections for all layers.
struct ModuleRules {
  std::optional<ModuleChoice> targets;              ///< absent: LoraSettings::targets
  std::optional<ModuleChoice> excluded;             ///< exclude_modules
  std::optional<std::vector<std::int64_t>> layers;  ///< layers_to_transform; absent: all
  std::vector<std::string> layer_lists;  ///< layers_pattern: names of the lists of layers
  ModulePatterns ranks;                  ///< rank_pattern
  ModulePatterns alphas;                 ///< alpha_pattern
  bool saved_embedding = false;          ///< modules_to_save has embed_tokens
  bool saved_output = false;             ///< modules_to_save has lm_head
  bool keeps_ties = false;               ///< ensure_weight_tying

  bool empty() const { return !targets && !excluded && !layers && ranks.empty() && alphas.empty(); }
};

struct ModuleLora {
  std::int64_t rank = 0;
  double scaling = 1;  ///< factor of the product B A
};

struct AdaptedModules {
  std::vector<std::array<std::optional<ModuleLora>, kProjectionCount>> layers;
  std::optional<ModuleLora> embedding;  ///< model.embed_tokens
  std::optional<ModuleLora> output;     ///< lm_head
};

/// Ranks and scalings for each of the model's layers and projections, its embedding and its output,
/// as the settings say. An Error with ExitCode::kConfiguration names a module that Ebb cannot adapt
/// (norms, whole layers) or an expression that Python may read otherwise, or says that no module is
/// chosen. `file` is the configuration's, for messages.
Result<AdaptedModules> ModulesOf(const LoraSettings& settings, std::int64_t layers,
                                 const std::string& file);

}  // namespace ebb::train
