#include "config/sweep/sweep_sections.h"

#include <algorithm>
#include <cmath>

#include "config/run/train_config.h"
#include "config/sweep/sweep_values.h"
#include "config/yaml/list_reader.h"
#include "core/options/field_builders.h"
#include "signals/cloud_regions.h"

namespace ebb::config {
namespace {

constexpr double kMostWatts = 1e6;
constexpr double kMostEpochs = 1e6;
constexpr double kMostSeed = 9e15;

void ReadGridParameter(const YamlEntry& entry, sweep::Definition& definition, Problems& problems) {
  if (!IsParameterName(entry.key))
    return problems.Add(entry.line,
                        "\"" + entry.key +
                            "\" is not a valid name for a parameter: letters, digits and '_', "
                            "no digit in front");
  for (const sweep::Parameter& other : definition.grid) {
    if (other.name == entry.key)
      return problems.Add(entry.line, "parameter " + entry.key + " is given twice, also in line " +
                                          std::to_string(other.line));
  }
  sweep::Parameter parameter{entry.key, {}, entry.line};
  if (entry.value.kind == YamlNode::Kind::kScalar) {
    if (const auto value = ReadValue(entry.key, entry.value, problems))
      parameter.values.push_back(*value);
  } else {
    ReadEach(entry.key, entry.value, problems, [&](const YamlNode& item, Problems& found) {
      if (const auto value = ReadValue(entry.key, item, found)) parameter.values.push_back(*value);
    });
  }
  definition.grid.push_back(std::move(parameter));
}

void ReadGrid(const YamlNode& node, sweep::Definition& definition, Problems& problems) {
  if (node.kind != YamlNode::Kind::kMap || node.entries.empty())
    return problems.Add(node.line, "grid must be a section like {r: [16, 32], lr: [1e-04]}");
  for (const YamlEntry& entry : node.entries) ReadGridParameter(entry, definition, problems);
}

constexpr double kLargestInteger = 9e15;

// Reads [low, high] as two numbers.
std::optional<std::pair<double, double>> ReadBounds(const std::string& name, const YamlNode& node,
                                                    Problems& problems) {
  std::vector<double> bounds;
  if (node.kind == YamlNode::Kind::kList)
    for (const YamlNode& item : node.items)
      if (const auto number = ParseNumber(item.text)) bounds.push_back(*number);
  if (bounds.size() == 2 && node.items.size() == 2 && bounds[0] < bounds[1])
    return std::pair(bounds[0], bounds[1]);
  problems.Add(node.line, name + " needs two numbers, the smaller one first: [1e-5, 1e-2]");
  return std::nullopt;
}

// Reads a distribution such as {log_uniform: [1e-5, 1e-2]}.
std::optional<sweep::Distribution> ReadDistribution(const YamlEntry& entry, Problems& problems) {
  const std::vector<std::string> names{"uniform", "log_uniform", "integer", "choice"};
  const YamlNode& node = entry.value;
  if (node.kind != YamlNode::Kind::kMap || node.entries.size() != 1) {
    problems.Add(entry.line, "parameter " + entry.key +
                                 " needs one distribution, like {log_uniform: [1e-5, 1e-2]}: " +
                                 Join(names, ", "));
    return std::nullopt;
  }
  const YamlEntry& given = node.entries.front();
  if (given.key == "choice") {
    sweep::ChoiceOfValues choice;
    ReadEach("choice", given.value, problems, [&](const YamlNode& item, Problems& found) {
      if (const auto value = ReadValue(entry.key, item, found)) choice.values.push_back(*value);
    });
    if (choice.values.empty()) return std::nullopt;
    return choice;
  }
  if (std::find(names.begin(), names.end(), given.key) == names.end()) {
    problems.Add(given.line, "there is no distribution " + given.key +
                                 SuggestionText(given.key, names) + "; choose from " +
                                 Join(names, ", "));
    return std::nullopt;
  }
  const auto bounds = ReadBounds(given.key, given.value, problems);
  if (!bounds) return std::nullopt;
  const auto [low, high] = *bounds;
  if (given.key == "uniform") return sweep::UniformValues{low, high};
  if (given.key == "log_uniform") {
    if (low > 0) return sweep::LogUniformValues{low, high};
    problems.Add(given.line, "log_uniform has no values at or below 0");
    return std::nullopt;
  }
  if (low == std::floor(low) && high == std::floor(high) && low >= -kLargestInteger &&
      high <= kLargestInteger)
    return sweep::IntegerValues{static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
  problems.Add(given.line, "integer needs two whole numbers: [1, 12]");
  return std::nullopt;
}

std::vector<sweep::RandomParameter> ReadRandomParameters(const YamlNode& node, Problems& problems) {
  std::vector<sweep::RandomParameter> parameters;
  if (node.kind != YamlNode::Kind::kMap || node.entries.empty()) {
    problems.Add(node.line, "random must be a section like {lr: {log_uniform: [1e-5, 1e-2]}}");
    return parameters;
  }
  for (const YamlEntry& entry : node.entries) {
    const bool is_twice = std::any_of(parameters.begin(), parameters.end(),
                                      [&](const auto& other) { return other.name == entry.key; });
    if (!IsParameterName(entry.key) || is_twice)
      problems.Add(entry.line, "\"" + entry.key +
                                   (is_twice ? "\" is given twice"
                                             : "\" is not a valid name for a parameter: letters, "
                                               "digits and '_', no digit in front"));
    else if (const auto values = ReadDistribution(entry, problems))
      parameters.push_back({entry.key, *values});
  }
  return parameters;
}

// Adds the key "when" to the keys of a rule.
template <typename Rule>
std::vector<KeyRule> WithCondition(Rule& rule, std::vector<KeyRule> rules) {
  rules.push_back(KeyRule{"when", [&rule](const YamlNode& node, Problems& problems) {
                            rule.when = ReadCondition(node, problems);
                          }});
  return rules;
}

void Require(bool given, const YamlNode& where, const std::string& what, Problems& problems) {
  if (!given) problems.Add(where.line, what);
}

void ReadExperiment(const YamlNode& node, const std::vector<core::Tier>& tiers,
                    std::vector<sweep::Experiment>& experiments, Problems& problems) {
  Given<std::string> name, tier, rationale;
  Given<Duration> duration;
  Given<double> power_w;
  sweep::Experiment experiment;
  std::vector<sweep::TemplateText> command;
  const std::vector<KeyRule> rules{
      ReadText("name", name),
      KeyRule{"parameters",
              [&](const YamlNode& map, Problems& found) {
                experiment.settings = ReadSettings(map, found);
              }},
      ReadText("tier", tier),
      ReadText("rationale", rationale),
      Formerly("run_time", ReadDuration("duration", duration, Duration{1})),
      ReadNumber("power_w", power_w, {1e-3, kMostWatts}),
      KeyRule{"command",
              [&](const YamlNode& list, Problems& found) { ReadCommand(list, command, found); }}};
  ReadSection(node, "experiments", rules, {}, problems);
  Require(name && tier && duration && power_w && !command.empty(), node,
          "an experiment needs name, tier, duration, power_w and command", problems);
  const auto found = std::find_if(tiers.begin(), tiers.end(), [&](const core::Tier& candidate) {
    return candidate.name == tier.value_or("");
  });
  if (tier && found == tiers.end()) problems.Add(tier.line, "there is no tier " + *tier);
  experiment.index = static_cast<int>(experiments.size()) + 1;
  experiment.name = name.value_or("");
  experiment.tier = found == tiers.end() ? 0 : static_cast<int>(found - tiers.begin());
  experiment.rationale = rationale.value_or("");
  experiment.duration = duration.value_or(Duration{1});
  experiment.power = {power_w.value_or(0)};
  // The words of experiments that are written out are not templates.
  for (sweep::TemplateText& word : command) experiment.command.push_back(std::move(word.text));
  experiments.push_back(std::move(experiment));
}

// Reads a text that may be empty on purpose ("none of it"), which ReadText refuses.
KeyRule ReadOptionalText(const std::string& name, std::string& out) {
  return KeyRule{name, [name, &out](const YamlNode& node, Problems& problems) {
                   if (node.kind != YamlNode::Kind::kScalar)
                     return problems.Add(node.line, name + " must be a text");
                   out = node.text;
                 }};
}

KeyRule ReadRequiredText(const std::string& name, std::string& out) {
  return KeyRule{name, [name, &out](const YamlNode& node, Problems& problems) {
                   if (node.kind != YamlNode::Kind::kScalar || node.text.empty())
                     return problems.Add(node.line, name + " must be a text");
                   out = node.text;
                 }};
}

// Draws the random parameters; drawn values are a list like any other from then on. A Bayesian
// search draws only the first trial and proposes the others once there are results.
void DrawInto(const YamlNode& node, const YamlNode* search,
              std::vector<sweep::RandomParameter> parameters, sweep::Definition& definition,
              std::optional<sweep::SearchPlan>& plan, Problems& problems) {
  if (!search)
    return problems.Add(node.line,
                        "random parameters need search: {method: random, trials: 20, seed: 1}");
  Given<std::string> method;
  Given<std::int64_t> trials, seed, startup, parallel;
  const Range counts{1, static_cast<double>(sweep::kMostExperiments)};
  const std::vector<KeyRule> rules{
      ReadChoice("method", method, {"random", "bayesian"}), ReadInteger("trials", trials, counts),
      ReadInteger("seed", seed, {0, kMostSeed}), ReadInteger("startup", startup, counts),
      ReadInteger("parallel", parallel, counts)};
  ReadSection(*search, "search", rules, {}, problems);
  Require(bool(trials), *search, "search needs trials: how many experiments", problems);
  const bool bayesian = method.value_or("random") == "bayesian";
  for (const auto* key : {&startup, &parallel})
    if (*key && !bayesian) problems.Add(key->line, "startup and parallel are for method: bayesian");
  if (!trials || parameters.empty()) return;
  sweep::SearchPlan read;
  read.trials = static_cast<std::size_t>(*trials);
  read.seed = static_cast<std::uint64_t>(seed.value_or(42));
  definition.list = sweep::DrawTrials(parameters, bayesian ? 1 : read.trials, read.seed);
  definition.list_lines.assign(definition.list.size(), node.line);
  if (!bayesian) return;
  read.parameters = std::move(parameters);
  if (startup) read.tpe.startup = static_cast<std::size_t>(*startup);
  if (parallel) read.parallel = static_cast<std::size_t>(*parallel);
  plan = std::move(read);
}

void ReadNodeSelector(const YamlNode& node, sweep::KubernetesOptions& options, Problems& problems) {
  if (node.kind != YamlNode::Kind::kMap)
    return problems.Add(node.line, "node_selector must be a section of labels and values");
  options.node_selector.clear();
  for (const YamlEntry& entry : node.entries) {
    if (entry.value.kind != YamlNode::Kind::kScalar)
      problems.Add(entry.line, "the label " + entry.key + " needs a text as its value");
    else
      options.node_selector.emplace_back(entry.key, entry.value.text);
  }
}

}  // namespace

void ReadParameters(const YamlNode& node, const YamlNode* search, sweep::Definition& definition,
                    std::optional<sweep::SearchPlan>& plan, Problems& problems) {
  definition.line = node.line;
  std::vector<std::string> forms;
  std::vector<sweep::RandomParameter> random;
  const std::vector<KeyRule> rules{
      KeyRule{"grid",
              [&](const YamlNode& map, Problems& found) {
                forms.emplace_back("grid");
                ReadGrid(map, definition, found);
              }},
      KeyRule{"random",
              [&](const YamlNode& map, Problems& found) {
                forms.emplace_back("random");
                random = ReadRandomParameters(map, found);
              }},
      KeyRule{"list", [&](const YamlNode& items, Problems& found) {
                forms.emplace_back("list");
                ReadEach("list", items, found, [&](const YamlNode& item, Problems& more) {
                  definition.list.push_back(ReadSettings(item, more));
                  definition.list_lines.push_back(item.line);
                });
              }}};
  ReadSection(node, "parameters", rules, {}, problems);
  if (forms.size() != 1) {
    problems.Add(node.line, "parameters are a grid, a list or random: give one of them");
  } else if (forms.front() == "random") {
    DrawInto(node, search, std::move(random), definition, plan, problems);
  } else if (search) {
    problems.Add(search->line, "search goes with random parameters: parameters.random");
  }
}

void ReadSample(const YamlNode& node, sweep::Definition& definition, Problems& problems) {
  Given<std::int64_t> size, seed;
  const std::vector<KeyRule> rules{
      ReadInteger("size", size, {1, static_cast<double>(sweep::kMostExperiments)}),
      ReadInteger("seed", seed, {0, kMostSeed})};
  ReadSection(node, "sample", rules, {}, problems);
  Require(bool(size), node, "a sample needs its size", problems);
  definition.sample = {static_cast<std::size_t>(size.value_or(1)),
                       static_cast<std::uint64_t>(seed.value_or(42)), node.line};
}

void ReadTierRules(const YamlNode& node, sweep::Definition& definition, Problems& problems) {
  ReadEach("tier_rules", node, problems, [&](const YamlNode& item, Problems& found) {
    sweep::TierRule rule;
    Given<std::string> tier, rationale;
    ReadSection(item, "tier_rules",
                WithCondition(rule, {ReadText("tier", tier), ReadText("rationale", rationale)}), {},
                found);
    Require(bool(tier), item, "a tier rule needs tier", found);
    rule.tier = tier.value_or("");
    rule.rationale = rationale.value_or("");
    rule.line = item.line;
    definition.tier_rules.push_back(std::move(rule));
  });
}

void ReadEstimates(const YamlNode& node, sweep::Definition& definition, Problems& problems) {
  ReadEach("estimates", node, problems, [&](const YamlNode& item, Problems& found) {
    sweep::EstimateRule rule;
    Given<Duration> duration;
    Given<double> power_w;
    ReadSection(
        item, "estimates",
        WithCondition(rule, {Formerly("run_time", ReadDuration("duration", duration, Duration{1})),
                             ReadNumber("power_w", power_w, {1e-3, kMostWatts})}),
        {}, found);
    Require(duration && power_w, item, "an estimate needs duration and power_w", found);
    rule.duration = duration.value_or(Duration{1});
    rule.power = {power_w.value_or(0)};
    rule.line = item.line;
    definition.estimates.push_back(std::move(rule));
  });
}

void ReadCommand(const YamlNode& node, std::vector<sweep::TemplateText>& command,
                 Problems& problems) {
  if (node.kind == YamlNode::Kind::kScalar)
    return problems.Add(node.line,
                        "command must be a list of words like [python, train.py, --lr, \"{lr}\"]: "
                        "no shell reads it");
  ReadEach("command", node, problems, [&](const YamlNode& item, Problems& found) {
    if (const auto word = ReadValue("command", item, found))
      command.push_back({word->text, item.line});
  });
}

void ReadExperiments(const YamlNode& node, const std::vector<core::Tier>& tiers,
                     std::vector<sweep::Experiment>& experiments, Problems& problems) {
  ReadEach("experiments", node, problems, [&](const YamlNode& item, Problems& found) {
    ReadExperiment(item, tiers, experiments, found);
  });
  std::vector<sweep::Mistake> mistakes;
  sweep::FindDuplicateNames(experiments, node.line, mistakes);
  for (const sweep::Mistake& mistake : mistakes) problems.Add(mistake.line, mistake.what);
  if (experiments.size() > sweep::kMostExperiments)
    problems.Add(node.line,
                 "there are more than " + std::to_string(sweep::kMostExperiments) + " experiments");
}

void ReadHalving(const YamlNode& node, std::optional<sweep::HalvingOptions>& halving,
                 Problems& problems) {
  Given<std::int64_t> reduction, minimum_epochs, epochs;
  const std::vector<KeyRule> rules{ReadInteger("reduction", reduction, {2, 100}),
                                   ReadInteger("minimum_epochs", minimum_epochs, {1, kMostEpochs}),
                                   ReadInteger("epochs", epochs, {2, kMostEpochs})};
  ReadSection(node, "successive_halving", rules, {}, problems);
  Require(bool(epochs), node, "successive_halving needs epochs: those of a whole run", problems);
  sweep::HalvingOptions options;
  options.reduction = static_cast<int>(reduction.value_or(options.reduction));
  options.minimum_epochs = static_cast<int>(minimum_epochs.value_or(options.minimum_epochs));
  options.epochs = static_cast<int>(epochs.value_or(2));
  if (epochs && options.minimum_epochs >= options.epochs)
    problems.Add(node.line, "minimum_epochs must be less than epochs, or no run is ever stopped");
  halving = options;
}

namespace {

// `more`: keys beside the limits. `whose`: words for messages, "of each experiment".
void ReadLimits(const YamlNode& node, const std::string& section, const std::string& whose,
                std::vector<KeyRule> more, core::Budget& budget, Problems& problems) {
  Given<double> energy_kwh, emissions_g;
  std::vector<KeyRule> rules{
      ReadNumber("energy_kwh", energy_kwh, {core::kLeastBudget, core::kMostBudgetKwh}),
      ReadNumber("emissions_g", emissions_g, {core::kLeastBudget, core::kMostBudgetG})};
  std::move(more.begin(), more.end(), std::back_inserter(rules));
  ReadSection(node, section, rules, {}, problems);
  Require(energy_kwh || emissions_g, node,
          section + " limits nothing: give energy_kwh or emissions_g, " + whose, problems);
  if (energy_kwh) budget.energy = Energy::Joules(*energy_kwh * 3.6e6);
  if (emissions_g) budget.emissions = Emissions{*emissions_g};
}

}  // namespace

void ReadBudget(const YamlNode& node, bool checkpointable, core::Budget& budget,
                Problems& problems) {
  Given<std::string> action;
  ReadLimits(node, "budget", "of each experiment",
             {ReadChoice("action", action, core::BudgetActionNames())}, budget, problems);
  if (action) budget.action = *core::BudgetActionFromName(*action);
  if (budget.action == core::BudgetAction::kPause && !checkpointable)
    problems.Add(
        action.line,
        "action pause is for programs that write checkpoints: set checkpointable, or take stop");
}

void ReadSweepBudget(const YamlNode& node, core::Budget& budget, Problems& problems) {
  ReadLimits(node, "sweep_budget", "of all experiments together", {}, budget, problems);
}

void ReadKubernetes(const YamlNode& node, sweep::KubernetesOptions& options, Problems& problems) {
  Given<Duration> keep_finished;
  const std::vector<KeyRule> rules{
      ReadRequiredText("namespace", options.name_space),
      ReadRequiredText("image", options.image),
      ReadRequiredText("ray_version", options.ray_version),
      ReadOptionalText("runtime_class", options.runtime_class),
      ReadRequiredText("gpu_resource", options.gpu_resource),
      KeyRule{"node_selector",
              [&](const YamlNode& map, Problems& found) { ReadNodeSelector(map, options, found); }},
      ReadOptionalText("script_config_map", options.script_config_map),
      ReadRequiredText("script_path", options.script_path),
      ReadOptionalText("volume_claim", options.volume_claim),
      ReadRequiredText("volume_path", options.volume_path),
      ReadRequiredText("job_type", options.job_type),
      ReadRequiredText("technique", options.technique),
      ReadDuration("keep_finished", keep_finished, Duration::zero())};
  ReadSection(node, "kubernetes", rules, {}, problems);
  options.keep_finished = keep_finished.value_or(options.keep_finished);
  for (const std::string& mistake : sweep::MistakesIn(options)) problems.Add(node.line, mistake);
}

void ReadSlurm(const YamlNode& node, sweep::SlurmOptions& options, Problems& problems) {
  Given<std::int64_t> cpus;
  Given<Duration> grace;
  const std::vector<KeyRule> rules{ReadOptionalText("partition", options.partition),
                                   ReadOptionalText("account", options.account),
                                   ReadOptionalText("gres", options.gres),
                                   ReadInteger("cpus_per_task", cpus, {1, 4096}),
                                   ReadOptionalText("memory", options.memory),
                                   ReadDuration("grace", grace, Duration{1000})};
  ReadSection(node, "slurm", rules, {}, problems);
  options.cpus_per_task = static_cast<int>(cpus.value_or(options.cpus_per_task));
  options.grace = grace.value_or(options.grace);
  for (const std::string& mistake : sweep::MistakesIn(options)) problems.Add(node.line, mistake);
}

namespace {

// Reads a cloud region. It is written as Ebb's table of regions has it.
void ReadRegion(const YamlNode& item, std::vector<std::string>& regions, Problems& problems) {
  const auto known = signals::CloudRegionFromText(item.text);
  if (!known) {
    regions.push_back(item.text);  // so that only this mistake is reported
    return problems.Add(item.line, known.error().Message());
  }
  const std::string region = std::string((*known)->provider) + "/" + std::string((*known)->region);
  if (std::ranges::find(regions, region) != regions.end())
    return problems.Add(item.line, "region " + region + " is given twice");
  regions.push_back(region);
}

}  // namespace

void ReadSkypilot(const YamlNode& node, sweep::SkypilotOptions& options, Problems& problems) {
  Given<std::int64_t> at_once;
  Given<bool> spot;
  const std::vector<KeyRule> rules{
      ReadItems("regions", [&](const YamlNode& item,
                               Problems& found) { ReadRegion(item, options.regions, found); }),
      ReadRequiredText("bucket", options.bucket),
      ReadOptionalText("accelerator", options.accelerator),
      ReadOptionalText("cpus", options.cpus),
      ReadOptionalText("memory", options.memory),
      ReadOptionalText("image", options.image),
      ReadBool("spot", spot),
      ReadOptionalText("workdir", options.workdir),
      ReadOptionalText("setup", options.setup),
      ReadOptionalText("ebb_wheel", options.ebb_wheel),
      ReadInteger("at_once", at_once, {1, static_cast<double>(sweep::kMostExperiments)})};
  ReadSection(node, "skypilot", rules, {}, problems);
  options.spot = spot.value_or(options.spot);
  options.at_once = static_cast<int>(at_once.value_or(options.at_once));
  for (const std::string& mistake : sweep::MistakesIn(options)) problems.Add(node.line, mistake);
}

void ReadServing(const YamlNode& node, sweep::ServingOptions& options, Problems& problems) {
  Given<std::string> model, adapter, rank;
  Given<std::int64_t> gpus, max_model_len;
  const std::vector<KeyRule> rules{ReadText("model", model),
                                   ReadText("adapter", adapter),
                                   ReadText("rank", rank),
                                   ReadRequiredText("image", options.image),
                                   ReadInteger("gpus", gpus, {1, 64}),
                                   ReadInteger("max_model_len", max_model_len, {1, 100'000'000})};
  ReadSection(node, "serving", rules, {}, problems);
  if (!model || !adapter)
    return problems.Add(node.line, "serving needs model, the base model, and adapter, its path");
  options.model = *model;
  options.adapter = *adapter;
  options.rank = rank.value_or(options.rank);
  options.gpus = static_cast<int>(gpus.value_or(options.gpus));
  options.max_model_len = static_cast<int>(max_model_len.value_or(0));
  for (const auto* text : {&adapter, &rank})
    if (*text)
      if (const auto parsed = sweep::TextTemplate::Parse(**text); !parsed)
        problems.Add(text->line, parsed.error().what);
}

}  // namespace ebb::config
