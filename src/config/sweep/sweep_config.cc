#include "config/sweep/sweep_config.h"

#include <utility>

#include "config/job_option_rules.h"
#include "config/sweep/sweep_sections.h"
#include "config/tiers.h"
#include "config/yaml/file_names.h"
#include "config/yaml/list_reader.h"
#include "config/yaml/yaml_tree.h"
#include "platform/file.h"
#include "platform/shipped_files.h"

namespace ebb::config {
namespace {

constexpr Duration kDefaultMaxDelay = std::chrono::hours{24};

// The keys that are interpreted after the whole file has been read.
struct FileKeys {
  Given<std::string> name, name_template;
  Given<YamlNode> parameters, search, sample, tiers, tier_rules, estimates, command, experiments;
  Given<YamlNode> budget, sweep_budget, halving, kubernetes, slurm, skypilot, serving;
};

void ReadTop(const YamlNode& root, FileKeys& keys, core::Submission& common, Problems& problems) {
  const SectionTable<core::Submission> options = JobOptionTable(core::Place::kSweep);
  GivenKeys given;
  std::vector<KeyRule> rules{ReadText("name", keys.name),
                             ReadNode("parameters", keys.parameters),
                             ReadNode("search", keys.search),
                             ReadNode("sample", keys.sample),
                             ReadNode("tiers", keys.tiers),
                             ReadNode("tier_rules", keys.tier_rules),
                             ReadNode("estimates", keys.estimates),
                             ReadText("name_template", keys.name_template),
                             ReadNode("command", keys.command),
                             ReadNode("experiments", keys.experiments),
                             ReadNode("budget", keys.budget),
                             ReadNode("sweep_budget", keys.sweep_budget),
                             ReadNode("successive_halving", keys.halving),
                             ReadNode("kubernetes", keys.kubernetes),
                             ReadNode("slurm", keys.slurm),
                             ReadNode("skypilot", keys.skypilot),
                             ReadNode("serving", keys.serving)};
  for (KeyRule& rule : RulesOf(options, common, given)) rules.push_back(std::move(rule));
  ReadSection(root, "", rules, {}, problems);
}

std::vector<core::Tier> TiersOf(const FileKeys& keys, Problems& problems) {
  if (keys.tiers) return ReadTiers(*keys.tiers, problems);
  return {{"1", std::nullopt, kDefaultMaxDelay, 0}};
}

// Refuses rules and templates beside experiments: they apply to parameters, which experiments that
// are written out do not have.
void RefuseBesideExperiments(const FileKeys& keys, Problems& problems) {
  const auto refuse = [&](const char* name, int line) {
    problems.Add(
        line, std::string(name) + " does not go with experiments: they are written out one by one");
  };
  for (const auto& [name, node] : {std::pair{"parameters", &keys.parameters},
                                   {"search", &keys.search},
                                   {"sample", &keys.sample},
                                   {"tier_rules", &keys.tier_rules},
                                   {"estimates", &keys.estimates},
                                   {"command", &keys.command}}) {
    if (*node) refuse(name, node->line);
  }
  if (keys.name_template) refuse("name_template", keys.name_template.line);
}

void ReadDefinition(const FileKeys& keys, const YamlNode& root, sweep::Definition& definition,
                    std::optional<sweep::SearchPlan>& plan, Problems& problems) {
  const int line = root.line;
  if (keys.parameters)
    ReadParameters(*keys.parameters, keys.search ? &*keys.search : nullptr, definition, plan,
                   problems);
  else
    problems.Add(line, "the file needs parameters (or experiments)");
  if (keys.sample) ReadSample(*keys.sample, definition, problems);
  if (keys.tier_rules) ReadTierRules(*keys.tier_rules, definition, problems);
  if (keys.estimates)
    ReadEstimates(*keys.estimates, definition, problems);
  else
    problems.Add(line, "the file needs estimates of duration and power");
  if (keys.command)
    ReadCommand(*keys.command, definition.command, problems);
  else
    problems.Add(line, "the file needs a command");
  if (keys.name_template)
    definition.name = {*keys.name_template, keys.name_template.line};
  else
    problems.Add(line, "the file needs a name_template");
}

// Expands the definition. If a part could not be read, the rest is still checked, so that all
// mistakes show at once.
void ExpandInto(const sweep::Definition& definition, sweep::Sweep& sweep, Problems& problems) {
  sweep::Expansion expansion;
  if (problems.empty())
    expansion = sweep::Expand(definition);
  else if (!definition.grid.empty() || !definition.list.empty())
    expansion.mistakes = sweep::Check(definition);
  for (const sweep::Mistake& mistake : expansion.mistakes) problems.Add(mistake.line, mistake.what);
  sweep.experiments = std::move(expansion.experiments);
}

// A sweep as in its file, with the search that the file asks for.
struct WholeFile {
  SweepConfig config;
  sweep::Definition definition;
  std::optional<sweep::SearchPlan> plan;
};

Result<WholeFile> Read(const std::string& text, const std::string& name) {
  EBB_ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text, name));
  if (root.kind == YamlNode::Kind::kNull)
    return Fail({ExitCode::kConfiguration, "the file is empty", name,
                 "configs/sweeps/digits.yaml shows what belongs in it"});
  Problems problems(name);
  FileKeys keys;
  WholeFile file;
  SweepConfig& config = file.config;
  ReadTop(root, keys, config.sweep.common, problems);
  config.source = name;
  config.sweep.name = keys.name.value_or(FileStem(name, "sweep"));
  config.sweep.tiers = TiersOf(keys, problems);
  if (keys.budget)
    ReadBudget(*keys.budget, config.sweep.common.job.checkpointable, config.sweep.common.budget,
               problems);
  if (keys.sweep_budget) ReadSweepBudget(*keys.sweep_budget, config.sweep.budget, problems);
  if (keys.halving) ReadHalving(*keys.halving, config.sweep.halving, problems);
  if (keys.kubernetes) ReadKubernetes(*keys.kubernetes, config.kubernetes, problems);
  if (keys.slurm) ReadSlurm(*keys.slurm, config.slurm, problems);
  if (keys.skypilot) ReadSkypilot(*keys.skypilot, config.skypilot.emplace(), problems);
  if (keys.serving) ReadServing(*keys.serving, config.serving, problems);
  if (keys.experiments) {
    RefuseBesideExperiments(keys, problems);
    ReadExperiments(*keys.experiments, config.sweep.tiers, config.sweep.experiments, problems);
  } else {
    file.definition.tiers = config.sweep.tiers;
    ReadDefinition(keys, root, file.definition, file.plan, problems);
    ExpandInto(file.definition, config.sweep, problems);
  }
  if (!problems.empty()) return Fail(problems.ToError());
  return file;
}

}  // namespace

Result<sweep::Experiment> SweepSearch::Trial(std::vector<std::vector<sweep::Setting>> earlier,
                                             std::vector<sweep::Setting> settings) const {
  sweep::Definition all = definition;
  all.list = std::move(earlier);
  all.list.push_back(std::move(settings));
  all.list_lines.assign(all.list.size(), definition.line);
  sweep::Expansion expansion = sweep::Expand(all);
  if (!expansion.mistakes.empty()) {
    Problems problems(config.source);
    for (const sweep::Mistake& mistake : expansion.mistakes)
      problems.Add(mistake.line, mistake.what);
    return Fail(problems.ToError());
  }
  return std::move(expansion.experiments.back());
}

Result<SweepSearch> LoadSweepSearch(const std::string& name) {
  const std::string path = platform::Shipped(name);
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(path));
  EBB_ASSIGN_OR_RETURN(WholeFile file, Read(text, path));
  if (!file.plan)
    return Fail({ExitCode::kConfiguration, "is not a Bayesian search", path,
                 "give search: {method: bayesian, trials: 40}, or submit it with ebb submit"});
  return SweepSearch{std::move(file.config), *std::move(file.plan), std::move(file.definition)};
}

Result<SweepConfig> ParseSweepConfig(const std::string& text, const std::string& name) {
  EBB_ASSIGN_OR_RETURN(WholeFile file, Read(text, name));
  if (file.plan)
    return Fail({ExitCode::kConfiguration,
                 "is a Bayesian search, which proposes each trial from the results before it", name,
                 "give it to a queue service: ebb sweep search " + name});
  return std::move(file.config);
}

Result<SweepConfig> LoadSweepConfig(const std::string& name) {
  const std::string path = platform::Shipped(name);
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(path));
  EBB_ASSIGN_OR_RETURN(SweepConfig config, ParseSweepConfig(text, path));
  // A sweep's programs may run in any folder, so files that ship with Ebb need full paths.
  for (sweep::Experiment& experiment : config.sweep.experiments)
    for (std::string& word : experiment.command)
      if (word.starts_with("configs/")) word = platform::Shipped(word);
  return config;
}

}  // namespace ebb::config
