#include "train/language/adapter/adapter_config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/json_node.h"
#include "base/text.h"
#include "train/language/model/known_keys.h"

namespace ebb::train {
namespace {

using nlohmann::ordered_json;

constexpr double kLargestRank = 1 << 20;
constexpr const char* kSavedEmbedding = "embed_tokens";
constexpr const char* kSavedOutput = "lm_head";

// True for letters, digits and underscores only: such a name is the same as text and as an
// expression.
bool IsPlainName(const std::string& text) {
  return std::ranges::all_of(text, [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  });
}

std::optional<Projection> ProjectionNamed(const std::string& name) {
  for (std::size_t i = 0; i < kProjectionCount; ++i)
    if (name == kProjectionNames[i].name) return static_cast<Projection>(i);
  return std::nullopt;
}

tl::unexpected<Error> Unsupported(const std::string& name, std::string what) {
  return Fail({ExitCode::kConfiguration, std::move(what), name,
               "supported are LoRA adapters of the layers' projections, lm_head and embed_tokens, "
               "without trained biases"});
}

// Keys of PEFT 0.21: Ebb reads them below, or they do not change what the adapter computes.
constexpr std::string_view kKnownKeys[] = {"peft_type",
                                           "bias",
                                           "target_modules",
                                           "r",
                                           "lora_alpha",
                                           "lora_dropout",
                                           "use_rslora",
                                           "use_dora",
                                           "init_lora_weights",
                                           "task_type",
                                           "megatron_core",
                                           "qalora_group_size",
                                           "auto_mapping",
                                           "base_model_name_or_path",
                                           "revision",
                                           "inference_mode",
                                           "peft_version",
                                           "runtime_config",
                                           "eva_config",
                                           "loftq_config",
                                           "corda_config",
                                           "lora_ga_config",
                                           "ensure_weight_tying",
                                           "rank_pattern",
                                           "alpha_pattern",
                                           "exclude_modules",
                                           "modules_to_save",
                                           "layers_to_transform",
                                           "layers_pattern"};

// Initialisations that leave the base model as it is. The others (PiSSA, OLoRA, CorDA, LoftQ,
// LoRA-GA) take something out of its weights, and the adapter then supplements what is left.
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

// A text or a list of texts.
Result<std::vector<std::string>> TextsOf(const JsonNode& node, const char* key,
                                         const std::string& name) {
  if (node.type == JsonNode::Type::kText) return std::vector{node.text};
  std::vector<std::string> texts;
  for (const JsonNode& item : node.items) {
    if (item.type != JsonNode::Type::kText) break;
    texts.push_back(item.text);
  }
  if (!node.is_list() || texts.size() != node.items.size())
    return Unsupported(name, std::string(key) + " is not a text or a list of texts");
  return texts;
}

Result<ModuleChoice> ReadChoice(const JsonNode& node, const char* key, const std::string& name) {
  if (node.type == JsonNode::Type::kText) return ModuleChoice{{}, node.text};
  EBB_ASSIGN_OR_RETURN(auto names, TextsOf(node, key, name));
  return ModuleChoice{std::move(names), ""};
}

// The names of the seven projections become the settings' own targets; anything else becomes a
// rule.
Status ReadTargets(const JsonNode& root, const std::string& name, LoraSettings& settings) {
  const JsonNode* node = root.Find("target_modules");
  if (node == nullptr || SaysNothing(*node))
    return Unsupported(name, "target_modules names nothing");
  if (node->AsText() == "all-linear") return {};
  EBB_ASSIGN_OR_RETURN(ModuleChoice choice, ReadChoice(*node, "target_modules", name));
  std::set<Projection> targets;
  for (const std::string& entry : choice.names)
    if (const auto target = ProjectionNamed(entry)) targets.insert(*target);
  if (choice.expression.empty() && targets.size() == choice.names.size())
    settings.targets = std::move(targets);
  else
    settings.rules.targets = std::move(choice);
  return {};
}

Status ReadLayers(const JsonNode& root, const std::string& name, ModuleRules& rules) {
  const JsonNode* lists = root.Find("layers_pattern");
  if (lists != nullptr && !SaysNothing(*lists)) {
    EBB_ASSIGN_OR_RETURN(rules.layer_lists, TextsOf(*lists, "layers_pattern", name));
    for (const std::string& list : rules.layer_lists)
      if (!IsPlainName(list))
        return Unsupported(name, "layers_pattern " + Quoted(list) + " is not supported");
  }
  const JsonNode* layers = root.Find("layers_to_transform");
  const bool by_expression = rules.targets && !rules.targets->expression.empty();
  if (layers == nullptr || layers->is_null()) {
    if (!rules.layer_lists.empty())
      return Unsupported(name, "layers_pattern needs layers_to_transform");
    return {};
  }
  if (by_expression || root.TextOf("target_modules") == "all-linear")
    return Unsupported(name, "layers_to_transform needs a list of target_modules");
  rules.layers.emplace();
  const auto take = [&](const JsonNode& node) -> Status {
    constexpr double kMostLayers = 1 << 20;
    if (node.type != JsonNode::Type::kNumber || !(node.number >= 0 && node.number < kMostLayers) ||
        node.number != std::floor(node.number))
      return Unsupported(name, "layers_to_transform has something that is no layer");
    rules.layers->push_back(static_cast<std::int64_t>(node.number));
    return {};
  };
  if (!layers->is_list()) return take(*layers);
  for (const JsonNode& item : layers->items) EBB_RETURN_IF_ERROR(take(item));
  return {};
}

// PEFT takes every module whose name ends with an entry.
Status ReadSaved(const JsonNode& root, const std::string& name, ModuleRules& rules) {
  rules.keeps_ties = root.IsTrue("ensure_weight_tying");
  const JsonNode* node = root.Find("modules_to_save");
  if (node == nullptr || SaysNothing(*node)) return {};
  EBB_ASSIGN_OR_RETURN(const auto entries, TextsOf(*node, "modules_to_save", name));
  for (const std::string& entry : entries) {
    if (entry == kSavedOutput)
      rules.saved_output = true;
    else if (entry == kSavedEmbedding || entry == std::string("model.") + kSavedEmbedding)
      rules.saved_embedding = true;
    else
      return Unsupported(name, "modules_to_save with " + Quoted(entry) + " is not supported");
  }
  return {};
}

Result<ModulePatterns> ReadPatterns(const JsonNode& root, const char* key,
                                    const std::string& name) {
  ModulePatterns patterns;
  const JsonNode* node = root.Find(key);
  if (node == nullptr || SaysNothing(*node)) return patterns;
  if (!node->is_object())
    return Unsupported(name, std::string(key) + " is not an object of numbers");
  for (const JsonMember& member : node->members) {
    const JsonNode& value = member.value;
    if (value.type != JsonNode::Type::kNumber || !std::isfinite(value.number))
      return Unsupported(name, std::string(key) + " of " + Quoted(member.name) + " is no number");
    patterns.emplace_back(member.name, value.number);
  }
  return patterns;
}

Status ReadRules(const JsonNode& root, const std::string& name, LoraSettings& settings) {
  EBB_RETURN_IF_ERROR(ReadTargets(root, name, settings));
  ModuleRules& rules = settings.rules;
  const JsonNode* excluded = root.Find("exclude_modules");
  if (excluded != nullptr && !SaysNothing(*excluded)) {
    EBB_ASSIGN_OR_RETURN(rules.excluded, ReadChoice(*excluded, "exclude_modules", name));
  }
  EBB_RETURN_IF_ERROR(ReadLayers(root, name, rules));
  EBB_RETURN_IF_ERROR(ReadSaved(root, name, rules));
  EBB_ASSIGN_OR_RETURN(rules.ranks, ReadPatterns(root, "rank_pattern", name));
  EBB_ASSIGN_OR_RETURN(rules.alphas, ReadPatterns(root, "alpha_pattern", name));
  for (const auto& [expression, rank] : rules.ranks)
    if (rank < 1 || rank != std::floor(rank) || rank > kLargestRank)
      return Unsupported(name, "rank_pattern of " + Quoted(expression) + " is not a rank");
  return {};
}

ordered_json SavedJson(const ModuleRules& rules) {
  ordered_json names;
  if (rules.saved_embedding) names.push_back(kSavedEmbedding);
  if (rules.saved_output) names.push_back(kSavedOutput);
  return names;
}

ordered_json ChoiceJson(const ModuleChoice& choice) {
  return choice.expression.empty() ? ordered_json(choice.names) : ordered_json(choice.expression);
}

ordered_json TargetsJson(const LoraSettings& settings) {
  if (settings.rules.targets) return ChoiceJson(*settings.rules.targets);
  ordered_json targets = ordered_json::array();
  for (const Projection target : settings.targets)
    targets.push_back(kProjectionNames[Index(target)].name);
  return targets;
}

ordered_json PatternsJson(const ModulePatterns& patterns, bool whole) {
  ordered_json json = ordered_json::object();
  for (const auto& [expression, number] : patterns)
    json[expression] =
        whole ? ordered_json(static_cast<std::int64_t>(number)) : ordered_json(number);
  return json;
}

// Values as JSON; null where PEFT has None.
template <typename Values>
ordered_json OrNull(const Values& values) {
  return values.empty() ? ordered_json() : ordered_json(values);
}

}  // namespace

std::string AdapterConfigJson(const LoraSettings& settings, const std::string& base_model) {
  const ModuleRules& rules = settings.rules;
  const ordered_json json = {
      {"peft_type", "LORA"},
      {"task_type", "CAUSAL_LM"},
      {"base_model_name_or_path", base_model},
      {"r", settings.rank},
      {"lora_alpha", settings.alpha},
      {"lora_dropout", settings.dropout},
      {"target_modules", TargetsJson(settings)},
      {"exclude_modules", rules.excluded ? ChoiceJson(*rules.excluded) : ordered_json()},
      {"bias", "none"},
      {"use_rslora", settings.rank_stabilised},
      {"use_dora", settings.decomposed},
      {"fan_in_fan_out", false},
      {"inference_mode", true},
      {"init_lora_weights", true},
      {"layers_to_transform", rules.layers ? ordered_json(*rules.layers) : ordered_json()},
      {"layers_pattern", OrNull(rules.layer_lists)},
      {"modules_to_save", SavedJson(rules)},
      {"rank_pattern", PatternsJson(rules.ranks, true)},
      {"alpha_pattern", PatternsJson(rules.alphas, false)},
      {"revision", nullptr}};
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Result<LoraSettings> ParseAdapterConfig(std::string_view text, const std::string& name) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(text, name));
  EBB_RETURN_IF_ERROR(RefuseUnsupported(root, name));
  LoraSettings settings;
  EBB_RETURN_IF_ERROR(ReadRules(root, name, settings));
  const auto number = [&](const char* key) {
    const JsonNode* found = root.Find(key);
    return found == nullptr ? std::nullopt : found->AsNumber();
  };
  const auto rank = number("r"), alpha = number("lora_alpha");
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
