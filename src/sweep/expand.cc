// Turns a definition into experiments: every combination gets its tier, estimate, name and command.
#include <algorithm>
#include <set>

#include "base/random.h"
#include "base/text.h"
#include "sweep/definition_check.h"

namespace ebb::sweep {
namespace {

using Settings = std::vector<Setting>;

// Reads the number of a combination as digits; the last parameter is the lowest digit.
Settings Combination(const Definition& definition, std::size_t number) {
  Settings settings(definition.grid.size());
  for (std::size_t i = settings.size(); i-- > 0;) {
    const Parameter& parameter = definition.grid[i];
    settings[i] = {parameter.name, parameter.values[number % parameter.values.size()]};
    number /= parameter.values.size();
  }
  return settings;
}

std::vector<Settings> Configurations(const Definition& definition) {
  if (!definition.list.empty()) return definition.list;
  std::vector<Settings> all;
  for (std::size_t number = 0; number < GridSize(definition); ++number)
    all.push_back(Combination(definition, number));
  return all;
}

// Returns the first rule that holds, or nothing if none holds or one cannot be decided.
template <typename Rule>
const Rule* FirstMatch(const std::vector<Rule>& rules, const Settings& settings,
                       std::vector<Mistake>& mistakes) {
  for (const Rule& rule : rules) {
    const auto holds = Holds(rule.when, settings);
    if (!holds) {
      mistakes.push_back({rule.line, holds.error().what});
      return nullptr;
    }
    if (*holds) return &rule;
  }
  return nullptr;
}

class Expander {
 public:
  explicit Expander(const Definition& definition) : definition_(definition) {}

  Expansion Run() {
    templates_ = CheckDefinition(definition_, mistakes_);
    CheckNothingEmpty();
    if (mistakes_.empty()) Build();
    if (mistakes_.empty()) FindDuplicateNames(experiments_, definition_.name.line, mistakes_);
    KeepEachOnce(mistakes_);
    if (!mistakes_.empty()) experiments_.clear();
    return {std::move(experiments_), std::move(mistakes_)};
  }

 private:
  void CheckNothingEmpty() {
    if (definition_.grid.empty() && definition_.list.empty())
      mistakes_.push_back({definition_.line, "there are no parameters"});
    for (const Parameter& parameter : definition_.grid) {
      if (parameter.values.empty())
        mistakes_.push_back({parameter.line, "parameter " + parameter.name + " has no values"});
    }
  }

  void Build() {
    for (const Settings& settings : Configurations(definition_)) {
      Experiment experiment;
      experiment.settings = settings;
      if (Classify(experiment)) experiments_.push_back(std::move(experiment));
    }
    if (!mistakes_.empty()) return;
    TakeSample();
    int index = 0;
    for (Experiment& experiment : experiments_) {
      experiment.index = ++index;
      Write(experiment);
    }
  }

  // Sets tier, run time and power.
  bool Classify(Experiment& experiment) {
    const TierRule* rule = FirstMatch(definition_.tier_rules, experiment.settings, mistakes_);
    const EstimateRule* estimate =
        FirstMatch(definition_.estimates, experiment.settings, mistakes_);
    if (!mistakes_.empty()) return false;
    const std::string who = Describe(experiment);
    if (!rule && definition_.tiers.size() > 1)
      mistakes_.push_back({definition_.line, "no tier rule matches " + who});
    if (!estimate)
      mistakes_.push_back({definition_.line, "no estimate of run time and power matches " + who});
    if (!mistakes_.empty()) return false;
    experiment.duration = estimate->duration;
    experiment.power = estimate->power;
    if (!rule) return true;
    for (std::size_t i = 0; i < definition_.tiers.size(); ++i) {
      if (definition_.tiers[i].name == rule->tier) experiment.tier = static_cast<int>(i);
    }
    const auto position = static_cast<std::size_t>(rule - definition_.tier_rules.data());
    experiment.rationale =
        Rendered(templates_.rationales[position], experiment.settings, rule->line);
    return true;
  }

  std::string Rendered(const TextTemplate& text, const Settings& settings, int line) {
    auto rendered = text.Render(settings);
    if (rendered) return *std::move(rendered);
    mistakes_.push_back({line, rendered.error().what});
    return "";
  }

  // Renders the name before the command, because the command may use the name.
  void Write(Experiment& experiment) {
    Settings settings = experiment.settings;
    const core::Tier& tier = definition_.tiers[static_cast<std::size_t>(experiment.tier)];
    settings.push_back({"tier", Value::From(tier.name)});
    settings.push_back({"index", Value::From(std::to_string(experiment.index))});
    experiment.name = Rendered(*templates_.name, settings, definition_.name.line);
    if (Trim(experiment.name).empty())
      mistakes_.push_back(
          {definition_.name.line,
           "the name of experiment " + std::to_string(experiment.index) + " is empty"});
    settings.push_back({"name", Value::From(experiment.name)});
    for (std::size_t i = 0; i < templates_.command.size(); ++i)
      experiment.command.push_back(
          Rendered(templates_.command[i], settings, definition_.command[i].line));
  }

  // Takes equally many experiments of each tier and the remainder from the last one. If a tier has
  // too few, the first tiers with more make up for it. The order of experiments is kept.
  void TakeSample() {
    if (!definition_.sample || definition_.sample->size >= experiments_.size()) return;
    const std::size_t size = definition_.sample->size;
    const std::size_t tiers = definition_.tiers.size();
    std::vector<std::vector<std::size_t>> drawn = ShuffledByTier();
    std::vector<std::size_t> quota(tiers, 0);
    std::size_t left = size;
    for (std::size_t tier = 0; tier < tiers; ++tier) {
      const std::size_t share = tier + 1 == tiers ? left : std::min(left, size / tiers);
      quota[tier] = std::min(share, drawn[tier].size());
      left -= quota[tier];
    }
    std::set<std::size_t> kept;
    for (std::size_t tier = 0; tier < tiers; ++tier) {
      const std::size_t more = std::min(left, drawn[tier].size() - quota[tier]);
      left -= more;
      kept.insert(drawn[tier].begin(),
                  drawn[tier].begin() + static_cast<std::ptrdiff_t>(quota[tier] + more));
    }
    std::vector<Experiment> chosen;
    for (const std::size_t position : kept) chosen.push_back(std::move(experiments_[position]));
    experiments_ = std::move(chosen);
  }

  std::vector<std::vector<std::size_t>> ShuffledByTier() const {
    std::vector<std::vector<std::size_t>> positions(definition_.tiers.size());
    for (std::size_t i = 0; i < experiments_.size(); ++i)
      positions[static_cast<std::size_t>(experiments_[i].tier)].push_back(i);
    for (std::size_t tier = 0; tier < positions.size(); ++tier) {
      Random random(SeedFor(definition_.sample->seed, tier));
      auto& list = positions[tier];
      for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.Below(i)]);
    }
    return positions;
  }

  const Definition& definition_;
  Templates templates_;
  std::vector<Experiment> experiments_;
  std::vector<Mistake> mistakes_;
};

}  // namespace

Expansion Expand(const Definition& definition) { return Expander(definition).Run(); }

}  // namespace ebb::sweep
