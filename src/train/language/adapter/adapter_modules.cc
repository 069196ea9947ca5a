#include "train/language/adapter/adapter_modules.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/text.h"
#include "train/language/adapter/adapter_config.h"
#include "train/text/tokenizer/pattern.h"
#include "train/text/tokenizer/python_pattern.h"

namespace ebb::train {
namespace {

// The modules of transformers' decoders that Ebb does not adapt. Those of a layer follow its
// prefix.
constexpr std::string_view kOtherModules[] = {
    "", "model", "model.layers", "model.norm", "model.rotary_emb", "model.rotary_emb_local"};
constexpr const char* kEmbedding = "model.embed_tokens";
constexpr const char* kOutput = "lm_head";
constexpr std::string_view kOtherLayerModules[] = {"",
                                                   ".self_attn",
                                                   ".self_attn.q_norm",
                                                   ".self_attn.k_norm",
                                                   ".mlp",
                                                   ".mlp.act_fn",
                                                   ".input_layernorm",
                                                   ".post_attention_layernorm",
                                                   ".pre_feedforward_layernorm",
                                                   ".post_feedforward_layernorm"};
constexpr std::string_view kLayerList = "layers";

std::string LayerName(std::int64_t layer) { return "model.layers." + std::to_string(layer); }

std::string ModuleName(std::int64_t layer, std::size_t projection) {
  return LayerName(layer) + "." + kProjectionNames[projection].path;
}

tl::unexpected<Error> Refuse(std::string what, const std::string& file) {
  return Fail({ExitCode::kConfiguration, std::move(what), file, ""});
}

// Compiles an expression that must match a whole name, after the part that may stand `before` it.
Result<Pattern> Compiled(const std::string& before, const std::string& expression,
                         const std::string& key, const std::string& file) {
  const auto refused = [&](const Error& error) { return Refuse(key + ": " + error.what, file); };
  if (const Status common = RequireCommonSyntax(expression); !common)
    return refused(common.error());
  auto pattern = Pattern::CompilePcre2("\\A" + before + "(?:" + expression + ")\\z");
  if (!pattern) return refused(pattern.error());
  return pattern;
}

Result<bool> Fits(const Pattern& pattern, const std::string& name) {
  EBB_ASSIGN_OR_RETURN(const auto found, pattern.Matches(name));
  return !found.empty();
}

// A choice of modules, compiled, to be asked for each name.
class Chooser {
 public:
  static Result<Chooser> Of(const ModuleChoice& choice, const std::string& key,
                            const std::string& file) {
    Chooser chooser;
    chooser.names_ = choice.names;
    if (!choice.expression.empty()) {
      EBB_ASSIGN_OR_RETURN(chooser.pattern_, Compiled("", choice.expression, key, file));
    }
    return chooser;
  }

  Result<bool> Chooses(const std::string& name) const {
    if (pattern_) return Fits(*pattern_, name);
    return std::ranges::any_of(names_, [&](const std::string& entry) {
      return name == entry || name.ends_with("." + entry);
    });
  }

 private:
  std::vector<std::string> names_;
  std::optional<Pattern> pattern_;
};

// Numbers by pattern, with one for all other names.
class Numbers {
 public:
  static Result<Numbers> Of(const ModulePatterns& patterns, double otherwise,
                            const std::string& key, const std::string& file) {
    Numbers numbers;
    numbers.otherwise_ = otherwise;
    for (const auto& [expression, number] : patterns) {
      EBB_ASSIGN_OR_RETURN(Pattern pattern, Compiled("(?:.*\\.)?", expression, key, file));
      numbers.patterns_.emplace_back(std::move(pattern), number);
    }
    return numbers;
  }

  Result<double> For(const std::string& name) const {
    for (const auto& [pattern, number] : patterns_) {
      EBB_ASSIGN_OR_RETURN(const bool fits, Fits(pattern, name));
      if (fits) return number;
    }
    return otherwise_;
  }

 private:
  std::vector<std::pair<Pattern, double>> patterns_;
  double otherwise_ = 0;
};

ModuleChoice ByProjection(const LoraSettings& settings) {
  ModuleChoice choice;
  for (const Projection target : settings.targets)
    choice.names.emplace_back(kProjectionNames[Index(target)].name);
  return choice;
}

// The names that the rules choose.
class Selection {
 public:
  static Result<Selection> Of(const LoraSettings& settings, const std::string& file) {
    const ModuleRules& rules = settings.rules;
    EBB_ASSIGN_OR_RETURN(
        Chooser targets,
        Chooser::Of(rules.targets.value_or(ByProjection(settings)), "target_modules", file));
    EBB_ASSIGN_OR_RETURN(Chooser excluded, Chooser::Of(rules.excluded.value_or(ModuleChoice{}),
                                                       "exclude_modules", file));
    return Selection(std::move(targets), std::move(excluded), rules);
  }

  // `layer` is absent for a name that is not in a layer's list.
  Result<bool> Chooses(const std::string& name, std::optional<std::int64_t> layer) const {
    EBB_ASSIGN_OR_RETURN(const bool excluded, excluded_.Chooses(name));
    if (excluded || !(every_layer_ || (layer && Has(*layer)))) return false;
    return targets_.Chooses(name);
  }

 private:
  Selection(Chooser targets, Chooser excluded, const ModuleRules& rules)
      : targets_(std::move(targets)),
        excluded_(std::move(excluded)),
        every_layer_(!rules.layers || rules.layers->empty()) {
    const bool named = rules.layer_lists.empty() ||
                       std::ranges::find(rules.layer_lists, kLayerList) != rules.layer_lists.end();
    if (rules.layers && named) layers_ = *rules.layers;
  }

  bool Has(std::int64_t layer) const { return std::ranges::find(layers_, layer) != layers_.end(); }

  Chooser targets_;
  Chooser excluded_;
  bool every_layer_;
  std::vector<std::int64_t> layers_;
};

Status RefuseOthers(const Selection& selection, std::int64_t layers, const std::string& file) {
  const auto refuse = [&](const std::string& name, std::optional<std::int64_t> layer) -> Status {
    EBB_ASSIGN_OR_RETURN(const bool chosen, selection.Chooses(name, layer));
    if (!chosen) return {};
    return Refuse("target_modules chooses " + (name.empty() ? "the whole model" : name) +
                      ", which Ebb does not adapt",
                  file);
  };
  for (const std::string_view name : kOtherModules)
    EBB_RETURN_IF_ERROR(refuse(std::string(name), std::nullopt));
  for (std::int64_t layer = 0; layer < layers; ++layer)
    for (const std::string_view name : kOtherLayerModules) {
      // PEFT finds the number of a layer between two dots only.
      const auto number = name.empty() ? std::nullopt : std::optional(layer);
      EBB_RETURN_IF_ERROR(refuse(LayerName(layer) + std::string(name), number));
    }
  return {};
}

double Scaling(double alpha, std::int64_t rank, bool rank_stabilised) {
  const auto r = static_cast<double>(rank);
  return alpha / (rank_stabilised ? std::sqrt(r) : r);
}

// The rank and scaling that the rules give to the modules that they choose.
class Adapting {
 public:
  static Result<Adapting> By(const LoraSettings& settings, const std::string& file) {
    const ModuleRules& rules = settings.rules;
    EBB_ASSIGN_OR_RETURN(Selection selection, Selection::Of(settings, file));
    EBB_ASSIGN_OR_RETURN(Numbers ranks, Numbers::Of(rules.ranks, static_cast<double>(settings.rank),
                                                    "rank_pattern", file));
    EBB_ASSIGN_OR_RETURN(Numbers alphas,
                         Numbers::Of(rules.alphas, settings.alpha, "alpha_pattern", file));
    return Adapting(std::move(selection), std::move(ranks), std::move(alphas),
                    settings.rank_stabilised);
  }

  // Nothing if the module is not chosen.
  Result<std::optional<ModuleLora>> Of(const std::string& name,
                                       std::optional<std::int64_t> layer) const {
    EBB_ASSIGN_OR_RETURN(const bool chosen, selection_.Chooses(name, layer));
    if (!chosen) return std::nullopt;
    EBB_ASSIGN_OR_RETURN(const double rank, ranks_.For(name));
    EBB_ASSIGN_OR_RETURN(const double alpha, alphas_.For(name));
    const auto whole = static_cast<std::int64_t>(rank);
    return ModuleLora{whole, Scaling(alpha, whole, rank_stabilised_)};
  }

  const Selection& selection() const { return selection_; }

 private:
  Adapting(Selection selection, Numbers ranks, Numbers alphas, bool rank_stabilised)
      : selection_(std::move(selection)),
        ranks_(std::move(ranks)),
        alphas_(std::move(alphas)),
        rank_stabilised_(rank_stabilised) {}

  Selection selection_;
  Numbers ranks_, alphas_;
  bool rank_stabilised_;
};

Status RefuseOfOuter(const AdaptedModules& modules, const LoraSettings& settings,
                     const std::string& file) {
  const ModuleRules& rules = settings.rules;
  if (modules.embedding && settings.decomposed)
    return Refuse("use_dora with model.embed_tokens is not supported", file);
  if ((modules.embedding && rules.saved_embedding) || (modules.output && rules.saved_output))
    return Refuse("target_modules and modules_to_save both choose lm_head or embed_tokens", file);
  const bool any =
      modules.embedding || modules.output || rules.saved_embedding || rules.saved_output;
  if (any && rules.keeps_ties)
    return Refuse("ensure_weight_tying with lm_head or embed_tokens is not supported", file);
  return {};
}

}  // namespace

Result<AdaptedModules> ModulesOf(const LoraSettings& settings, std::int64_t layers,
                                 const std::string& file) {
  EBB_ASSIGN_OR_RETURN(const Adapting adapting, Adapting::By(settings, file));
  EBB_RETURN_IF_ERROR(RefuseOthers(adapting.selection(), layers, file));
  AdaptedModules modules;
  modules.layers.resize(static_cast<std::size_t>(layers));
  EBB_ASSIGN_OR_RETURN(modules.embedding, adapting.Of(kEmbedding, std::nullopt));
  EBB_ASSIGN_OR_RETURN(modules.output, adapting.Of(kOutput, std::nullopt));
  bool any = modules.embedding || modules.output;
  for (std::int64_t layer = 0; layer < layers; ++layer)
    for (std::size_t i = 0; i < kProjectionCount; ++i) {
      auto& module = modules.layers[static_cast<std::size_t>(layer)][i];
      EBB_ASSIGN_OR_RETURN(module, adapting.Of(ModuleName(layer, i), layer));
      any = any || module;
    }
  if (!any) return Refuse("target_modules chooses no module of this model", file);
  EBB_RETURN_IF_ERROR(RefuseOfOuter(modules, settings, file));
  return modules;
}

}  // namespace ebb::train
