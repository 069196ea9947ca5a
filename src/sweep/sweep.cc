#include "sweep/sweep.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/random.h"
#include "base/text.h"

namespace ebb::sweep {
namespace {

using Settings = std::vector<Setting>;

constexpr int kRunLimitFactor = 2;

// Names that templates may use beside the parameters.
const std::vector<std::string> kNamePlaces{"tier", "index"};
const std::vector<std::string> kCommandPlaces{"name", "tier", "index"};

std::vector<std::string> ParameterNames(const Definition& definition) {
  std::vector<std::string> names;
  for (const Parameter& parameter : definition.grid) names.push_back(parameter.name);
  if (!definition.list.empty()) {
    for (const Setting& setting : definition.list.front()) names.push_back(setting.name);
  }
  return names;
}

std::size_t GridSize(const Definition& definition) {
  std::size_t size = definition.grid.empty() ? 0 : 1;
  for (const Parameter& parameter : definition.grid) {
    if (parameter.values.empty()) return 0;
    if (size > kMostExperiments / parameter.values.size()) return kMostExperiments + 1;
    size *= parameter.values.size();
  }
  return size;
}

// The number of a combination read as digits, the last parameter being the lowest digit.
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

void CheckGrid(const Definition& definition, std::vector<Mistake>& mistakes) {
  for (const Parameter& parameter : definition.grid) {
    for (std::size_t i = 0; i < parameter.values.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (!SameValue(parameter.values[i], parameter.values[j])) continue;
        mistakes.push_back({parameter.line, "parameter " + parameter.name + " has the value " +
                                                parameter.values[i].text + " twice"});
      }
    }
  }
  const std::size_t size = GridSize(definition);
  if (size > kMostExperiments)
    mistakes.push_back({definition.line, "the grid has more than " +
                                             std::to_string(kMostExperiments) + " combinations"});
}

void CheckList(const Definition& definition, std::vector<Mistake>& mistakes) {
  const std::vector<std::string> names = ParameterNames(definition);
  for (std::size_t i = 0; i < definition.list.size(); ++i) {
    const int line = i < definition.list_lines.size() ? definition.list_lines[i] : definition.line;
    const Settings& settings = definition.list[i];
    for (const std::string& name : names) {
      if (!FindValue(settings, name))
        mistakes.push_back({line, "parameter " + name + " is missing here"});
    }
    for (const Setting& setting : settings) {
      if (std::find(names.begin(), names.end(), setting.name) == names.end())
        mistakes.push_back({line, "parameter " + setting.name +
                                      " is not in the first configuration" +
                                      SuggestionText(setting.name, names)});
    }
  }
}

void CheckCondition(const Condition& condition, const std::vector<std::string>& names,
                    std::vector<Mistake>& mistakes) {
  for (const Condition* comparison : Comparisons(condition)) {
    if (std::find(names.begin(), names.end(), comparison->parameter) != names.end()) continue;
    mistakes.push_back({comparison->line, "there is no parameter " + comparison->parameter +
                                              SuggestionText(comparison->parameter, names)});
  }
}

// Parsed, and asking only for what there is; nothing after a mistake.
std::optional<TextTemplate> CheckTemplate(const TemplateText& text, std::vector<std::string> names,
                                          const std::vector<std::string>& more,
                                          std::vector<Mistake>& mistakes) {
  auto parsed = TextTemplate::Parse(text.text);
  if (!parsed) {
    mistakes.push_back({text.line, parsed.error().what + "; " + parsed.error().next});
    return std::nullopt;
  }
  names.insert(names.end(), more.begin(), more.end());
  bool good = true;
  for (const std::string& name : parsed->Names()) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    mistakes.push_back({text.line, "there is no parameter " + name + " for {" + name + "}" +
                                       SuggestionText(name, names)});
    good = false;
  }
  return good ? std::optional(*std::move(parsed)) : std::nullopt;
}

// Where the first rule that holds is; nothing when none does or one cannot be decided.
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

std::string DescribeSettings(const Settings& settings) {
  std::string text;
  for (const Setting& setting : settings)
    text += (text.empty() ? "" : ",") + setting.name + "=" + setting.value.text;
  return text;
}

// The templates of a definition, all of them good.
struct Templates {
  std::optional<TextTemplate> name;
  std::vector<TextTemplate> command;
  std::vector<TextTemplate> rationales;
};

class Expander {
 public:
  explicit Expander(const Definition& definition) : definition_(definition) {}

  std::vector<Mistake> CheckOnly() {
    CheckDefinition();
    KeepEachMistakeOnce();
    return std::move(mistakes_);
  }

  Expansion Run() {
    CheckDefinition();
    CheckNothingEmpty();
    if (mistakes_.empty()) Build();
    if (mistakes_.empty()) FindDuplicateNames(experiments_, definition_.name.line, mistakes_);
    KeepEachMistakeOnce();
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

  void CheckDefinition() {
    CheckGrid(definition_, mistakes_);
    CheckList(definition_, mistakes_);
    if (definition_.list.size() > kMostExperiments)
      mistakes_.push_back({definition_.line, "the list has more than " +
                                                 std::to_string(kMostExperiments) + " entries"});
    const std::vector<std::string> names = ParameterNames(definition_);
    for (const std::string& name : names) {
      if (std::find(kCommandPlaces.begin(), kCommandPlaces.end(), name) != kCommandPlaces.end())
        mistakes_.push_back({definition_.line, "a parameter cannot be called " + name +
                                                   ": templates know it as something else"});
    }
    for (const TierRule& rule : definition_.tier_rules) {
      CheckCondition(rule.when, names, mistakes_);
      if (auto parsed = CheckTemplate({rule.rationale, rule.line}, names, {}, mistakes_))
        templates_.rationales.push_back(*std::move(parsed));
      CheckTierName(rule);
    }
    for (const EstimateRule& rule : definition_.estimates)
      CheckCondition(rule.when, names, mistakes_);
    templates_.name = CheckTemplate(definition_.name, names, kNamePlaces, mistakes_);
    for (const TemplateText& word : definition_.command) {
      if (auto parsed = CheckTemplate(word, names, kCommandPlaces, mistakes_))
        templates_.command.push_back(*std::move(parsed));
    }
    if (definition_.sample && definition_.sample->size == 0)
      mistakes_.push_back({definition_.sample->line, "a sample of 0 is empty"});
  }

  void CheckTierName(const TierRule& rule) {
    std::vector<std::string> tiers;
    for (const Tier& tier : definition_.tiers) tiers.push_back(tier.name);
    if (std::find(tiers.begin(), tiers.end(), rule.tier) == tiers.end())
      mistakes_.push_back(
          {rule.line, "there is no tier " + rule.tier + SuggestionText(rule.tier, tiers)});
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

  // Tier, run time and power.
  bool Classify(Experiment& experiment) {
    const TierRule* rule = FirstMatch(definition_.tier_rules, experiment.settings, mistakes_);
    const EstimateRule* estimate =
        FirstMatch(definition_.estimates, experiment.settings, mistakes_);
    if (!mistakes_.empty()) return false;
    const std::string who = DescribeSettings(experiment.settings);
    if (!rule && definition_.tiers.size() > 1)
      mistakes_.push_back({definition_.line, "no tier rule matches " + who});
    if (!estimate)
      mistakes_.push_back({definition_.line, "no estimate of run time and power matches " + who});
    if (!mistakes_.empty()) return false;
    experiment.run_time = estimate->run_time;
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

  // The name first: the command may use it.
  void Write(Experiment& experiment) {
    Settings settings = experiment.settings;
    const Tier& tier = definition_.tiers[static_cast<std::size_t>(experiment.tier)];
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

  // As many of each tier, the rest of the last; where a tier has too few, the first ones with more
  // make up for it. The order stays.
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

  // One mistake in a rule shows for every configuration.
  void KeepEachMistakeOnce() {
    std::set<std::pair<int, std::string>> seen;
    std::erase_if(mistakes_, [&](const Mistake& mistake) {
      return !seen.emplace(mistake.line, mistake.what).second;
    });
  }

  const Definition& definition_;
  Templates templates_;
  std::vector<Experiment> experiments_;
  std::vector<Mistake> mistakes_;
};

}  // namespace

void FindDuplicateNames(const std::vector<Experiment>& experiments, int line,
                        std::vector<Mistake>& mistakes) {
  std::map<std::string, int> seen;
  for (const Experiment& experiment : experiments) {
    const auto [before, is_new] = seen.emplace(experiment.name, experiment.index);
    if (!is_new)
      mistakes.push_back({line, "experiments " + std::to_string(before->second) + " and " +
                                    std::to_string(experiment.index) + " are both called " +
                                    experiment.name});
  }
}

Expansion Expand(const Definition& definition) { return Expander(definition).Run(); }

std::vector<Mistake> Check(const Definition& definition) {
  return Expander(definition).CheckOnly();
}

std::string Describe(const Experiment& experiment) { return DescribeSettings(experiment.settings); }

Duration RunLimit(const JobTraits& traits, const Experiment& experiment) {
  return traits.run_limit.value_or(kRunLimitFactor * experiment.run_time);
}

core::Job JobOf(const Sweep& sweep, const Experiment& experiment, Time submitted) {
  const Tier& tier = sweep.TierOf(experiment);
  core::Job job;
  job.id = experiment.index;
  job.name = experiment.name;
  job.submitted = submitted;
  job.devices = sweep.traits.devices;
  job.run_time = experiment.run_time;
  job.power = experiment.power;
  job.start_by = submitted + tier.max_delay;
  job.tier = tier.name;
  job.priority = tier.priority;
  job.threshold = tier.threshold;
  job.pausable = sweep.traits.pausable;
  job.pause_overhead = sweep.traits.pause_overhead;
  job.minimum_segment = sweep.traits.minimum_segment;
  return job;
}

}  // namespace ebb::sweep
