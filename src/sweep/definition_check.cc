#include "sweep/definition_check.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.h"

namespace ebb::sweep {
namespace {

using Settings = std::vector<Setting>;

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

// Parses a template and checks that it asks only for `names`. Returns nothing after a mistake.
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

void CheckTierName(const Definition& definition, const TierRule& rule,
                   std::vector<Mistake>& mistakes) {
  std::vector<std::string> tiers;
  for (const core::Tier& tier : definition.tiers) tiers.push_back(tier.name);
  if (std::find(tiers.begin(), tiers.end(), rule.tier) == tiers.end())
    mistakes.push_back(
        {rule.line, "there is no tier " + rule.tier + SuggestionText(rule.tier, tiers)});
}

}  // namespace

std::size_t GridSize(const Definition& definition) {
  std::size_t size = definition.grid.empty() ? 0 : 1;
  for (const Parameter& parameter : definition.grid) {
    if (parameter.values.empty()) return 0;
    if (size > kMostExperiments / parameter.values.size()) return kMostExperiments + 1;
    size *= parameter.values.size();
  }
  return size;
}

Templates CheckDefinition(const Definition& definition, std::vector<Mistake>& mistakes) {
  Templates templates;
  CheckGrid(definition, mistakes);
  CheckList(definition, mistakes);
  if (definition.list.size() > kMostExperiments)
    mistakes.push_back({definition.line,
                        "the list has more than " + std::to_string(kMostExperiments) + " entries"});
  const std::vector<std::string> names = ParameterNames(definition);
  for (const std::string& name : names) {
    if (std::find(kCommandPlaces.begin(), kCommandPlaces.end(), name) != kCommandPlaces.end())
      mistakes.push_back({definition.line, "a parameter cannot be called " + name +
                                               ": templates know it as something else"});
  }
  for (const TierRule& rule : definition.tier_rules) {
    CheckCondition(rule.when, names, mistakes);
    if (auto parsed = CheckTemplate({rule.rationale, rule.line}, names, {}, mistakes))
      templates.rationales.push_back(*std::move(parsed));
    CheckTierName(definition, rule, mistakes);
  }
  for (const EstimateRule& rule : definition.estimates) CheckCondition(rule.when, names, mistakes);
  templates.name = CheckTemplate(definition.name, names, kNamePlaces, mistakes);
  for (const TemplateText& word : definition.command) {
    if (auto parsed = CheckTemplate(word, names, kCommandPlaces, mistakes))
      templates.command.push_back(*std::move(parsed));
  }
  if (definition.sample && definition.sample->size == 0)
    mistakes.push_back({definition.sample->line, "a sample of 0 is empty"});
  return templates;
}

void KeepEachOnce(std::vector<Mistake>& mistakes) {
  std::set<std::pair<int, std::string>> seen;
  std::erase_if(mistakes, [&](const Mistake& mistake) {
    return !seen.emplace(mistake.line, mistake.what).second;
  });
}

std::vector<Mistake> Check(const Definition& definition) {
  std::vector<Mistake> mistakes;
  std::ignore = CheckDefinition(definition, mistakes);
  KeepEachOnce(mistakes);
  return mistakes;
}

}  // namespace ebb::sweep
