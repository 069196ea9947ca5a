#include "config/scenario/scenario_policies.h"

#include <algorithm>

#include "config/scenario/scenario_table.h"
#include "plan/make_policy.h"

namespace ebb::config {
namespace {

std::vector<std::string> Names() {
  const auto names = plan::PolicyNames();
  return {names.begin(), names.end()};
}

// Reports keys that contradict each other.
void CheckTogether(const sim::PolicyChoice& choice, const GivenKeys& given, Problems& problems) {
  if (given.Has("threshold_g_per_kwh") && given.Has("percentile"))
    problems.Add(given.LineOf("percentile"),
                 "percentile has no meaning beside threshold_g_per_kwh: leave one out");
  const plan::DtprOptions& dtpr = choice.options.dtpr;
  if (dtpr.lower && dtpr.upper && *dtpr.lower >= *dtpr.upper)
    problems.Add(given.LineOf("upper_g_per_kwh"), "upper_g_per_kwh must be above lower_g_per_kwh");
}

// The policy's name is read first because it decides which keys are allowed.
std::string NameIn(const YamlNode& node) {
  for (const YamlEntry& entry : node.entries)
    if (entry.key == "policy") return std::string(plan::PolicyNameOf(entry.value.text));
  return "";
}

bool IsLabel(const std::vector<sim::PolicyChoice>& choices, const std::string& text) {
  return std::any_of(choices.begin(), choices.end(),
                     [&](const sim::PolicyChoice& choice) { return choice.label == text; });
}

void ReadPolicy(const YamlNode& node, std::vector<sim::PolicyChoice>& choices, Problems& problems) {
  sim::PolicyChoice choice;
  if (node.kind == YamlNode::Kind::kScalar) {
    PolicyKeys().front().key.read(node, choice, problems);
  } else {
    const std::string name = NameIn(node);
    const auto given = ReadByTable(node, "policies", PolicyTable(name), choice, problems);
    if (name.empty()) problems.Add(node.line, "a policy needs the key policy: its name");
    CheckTogether(choice, given, problems);
  }
  if (choice.policy.empty()) return;
  if (choice.label.empty()) {
    choice.label = choice.policy;
    if (const int devices = choice.options.run_now_devices; devices > 0)
      choice.label += " on " + std::to_string(devices);
  }
  for (const sim::PolicyChoice& other : choices)
    if (other.label == choice.label)
      problems.Add(node.line, "two policies are called \"" + choice.label + "\": give a label");
  choices.push_back(std::move(choice));
}

}  // namespace

std::vector<sim::PolicyChoice> ReadPolicies(const std::optional<YamlNode>& section,
                                            Problems& problems) {
  std::vector<sim::PolicyChoice> choices;
  if (!section) return {{"planner", "planner", {}}};
  ReadEach("policies", *section, problems,
           [&](const YamlNode& node, Problems& found) { ReadPolicy(node, choices, found); });
  return choices;
}

Result<std::vector<sim::PolicyChoice>> ChoosePolicies(const std::vector<sim::PolicyChoice>& choices,
                                                      const std::vector<std::string>& names) {
  std::vector<std::string> known = Names();
  for (const sim::PolicyChoice& choice : choices) known.push_back(choice.label);
  std::vector<sim::PolicyChoice> chosen;
  for (const std::string& given : names) {
    const std::string name(IsLabel(choices, given) ? std::string_view(given)
                                                   : plan::PolicyNameOf(given));
    const auto it = std::find_if(choices.begin(), choices.end(),
                                 [&](const sim::PolicyChoice& c) { return c.label == name; });
    if (it != choices.end()) {
      chosen.push_back(*it);
    } else if (std::find(known.begin(), known.end(), name) != known.end()) {
      chosen.push_back({name, name, {}});
    } else {
      return Fail({ExitCode::kUsage,
                   "--policy: there is no policy \"" + given + "\"" + SuggestionText(given, known),
                   "", "choose from " + Join(known, ", ")});
    }
  }
  return chosen;
}

}  // namespace ebb::config
