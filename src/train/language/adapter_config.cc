#include "train/language/adapter_config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/json_node.h"
#include "base/text.h"
#include "train/language/known_keys.h"

namespace ebb::train {
namespace {

std::optional<Projection> ProjectionNamed(const std::string& name) {
  for (std::size_t i = 0; i < kProjectionCount; ++i)
    if (name == kProjectionNames[i].name) return static_cast<Projection>(i);
  return std::nullopt;
}

tl::unexpected<Error> Unsupported(const std::string& name, std::string what) {
  return Fail({ExitCode::kConfiguration, std::move(what), name,
               "supported are LoRA adapters of one rank without trained biases or modules"});
}

// Of PEFT 0.21: read below, or without a say in what the adapter computes.
constexpr std::string_view kKnownKeys[] = {"peft_type",          "bias",
                                           "target_modules",     "r",
                                           "lora_alpha",         "lora_dropout",
                                           "use_rslora",         "use_dora",
                                           "init_lora_weights",  "task_type",
                                           "megatron_core",      "qalora_group_size",
                                           "auto_mapping",       "base_model_name_or_path",
                                           "revision",           "inference_mode",
                                           "peft_version",       "runtime_config",
                                           "eva_config",         "loftq_config",
                                           "corda_config",       "lora_ga_config",
                                           "ensure_weight_tying"};

// Ways to begin that leave the base model as it is. The others (PiSSA, OLoRA, CorDA, LoftQ,
// LoRA-GA) take something out of its weights, to which the adapter is then a supplement.
constexpr std::string_view kPlainBeginnings[] = {"gaussian", "eva", "orthogonal"};

Status RefuseOtherBase(const JsonNode& root, const std::string& name) {
  const JsonNode* begun = root.Find("init_lora_weights");
  const auto text = begun == nullptr ? std::nullopt : begun->AsText();
  if (!text || std::ranges::find(kPlainBeginnings, *text) != std::end(kPlainBeginnings)) return {};
  return Fail(
      {ExitCode::kConfiguration,
       "the adapter began with init_lora_weights " + Quoted(*text) +
           ", so it belongs to other weights than those of its base model",
       name,
       "convert it in PEFT: save_pretrained(..., path_initial_model_for_weight_conversion=...)"});
}

Status RefuseUnsupported(const JsonNode& root, const std::string& name) {
  if (root.TextOf("peft_type") != "LORA")
    return Unsupported(name, "peft_type \"" + root.TextOf("peft_type") + "\" is not supported");
  const std::string bias = root.TextOf("bias");
  if (!bias.empty() && bias != "none")
    return Unsupported(name, "bias \"" + bias + "\" is not supported");
  const std::string task = root.TextOf("task_type");
  if (!task.empty() && task != "CAUSAL_LM")
    return Unsupported(name, "task_type \"" + task + "\" is not supported");
  for (const JsonMember& member : root.members)
    if (std::ranges::find(kKnownKeys, member.name) == std::end(kKnownKeys) &&
        !SaysNothing(member.value))
      return Unsupported(name, member.name + " is not supported");
  return RefuseOtherBase(root, name);
}

Result<std::set<Projection>> ReadTargets(const JsonNode& root, const std::string& name) {
  const JsonNode* list = root.Find("target_modules");
  if (list != nullptr && list->AsText() == "all-linear") return LoraSettings{}.targets;
  if (list == nullptr || !list->is_list())
    return Unsupported(name, "target_modules is not a list of names");
  std::set<Projection> targets;
  for (const JsonNode& item : list->items) {
    const auto target = ProjectionNamed(item.text);
    if (!target)
      return Unsupported(name, "the target module \"" + item.text + "\" is not supported");
    targets.insert(*target);
  }
  return targets;
}

}  // namespace

double LoraSettings::scaling() const {
  const auto r = static_cast<double>(rank);
  return alpha / (rank_stabilised ? std::sqrt(r) : r);
}

std::string AdapterConfigJson(const LoraSettings& settings, const std::string& base_model) {
  nlohmann::ordered_json targets = nlohmann::ordered_json::array();
  for (const Projection target : settings.targets)
    targets.push_back(kProjectionNames[Index(target)].name);
  const nlohmann::ordered_json json = {{"peft_type", "LORA"},
                                       {"task_type", "CAUSAL_LM"},
                                       {"base_model_name_or_path", base_model},
                                       {"r", settings.rank},
                                       {"lora_alpha", settings.alpha},
                                       {"lora_dropout", settings.dropout},
                                       {"target_modules", std::move(targets)},
                                       {"bias", "none"},
                                       {"use_rslora", settings.rank_stabilised},
                                       {"use_dora", settings.decomposed},
                                       {"fan_in_fan_out", false},
                                       {"inference_mode", true},
                                       {"init_lora_weights", true},
                                       {"layers_to_transform", nullptr},
                                       {"layers_pattern", nullptr},
                                       {"modules_to_save", nullptr},
                                       {"rank_pattern", nlohmann::ordered_json::object()},
                                       {"alpha_pattern", nlohmann::ordered_json::object()},
                                       {"revision", nullptr}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result<LoraSettings> ParseAdapterConfig(std::string_view text, const std::string& name) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(text, name));
  EBB_RETURN_IF_ERROR(RefuseUnsupported(root, name));
  LoraSettings settings;
  EBB_ASSIGN_OR_RETURN(settings.targets, ReadTargets(root, name));
  const auto number = [&](const char* key) {
    const JsonNode* found = root.Find(key);
    return found == nullptr ? std::nullopt : found->AsNumber();
  };
  const auto rank = number("r"), alpha = number("lora_alpha");
  constexpr double kLargestRank = 1 << 20;
  if (!rank || *rank < 1 || *rank > kLargestRank || *rank != std::floor(*rank))
    return Unsupported(name, "r is not a rank");
  if (!alpha || !std::isfinite(*alpha)) return Unsupported(name, "lora_alpha is not a number");
  settings.rank = static_cast<std::int64_t>(*rank);
  settings.alpha = *alpha;
  settings.dropout = number("lora_dropout").value_or(0);
  settings.rank_stabilised = root.IsTrue("use_rslora");
  settings.decomposed = root.IsTrue("use_dora");
  return settings;
}

}  // namespace ebb::train
