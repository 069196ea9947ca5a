#include "config/scenario/scenario_policies.h"

#include <algorithm>

#include "config/policy_name.h"
#include "config/tiers.h"
#include "config/yaml/list_reader.h"
#include "core/options/field_builders.h"
#include "plan/make_policy.h"

namespace ebb::config {
namespace {

constexpr Duration kShortestSlot{std::chrono::minutes{1}};

struct PolicyKeys {
  Given<std::string> policy, label;
  Given<double> threshold, percentile, hysteresis;
  Given<double> minimum_saving_percent, minimum_saving_g, risk, price_weight;
  Given<double> lower, upper;
  Given<Duration> window, max_wait, slot, unit, horizon;
  Given<YamlNode> tiers;
  Given<bool> thresholds_and_priorities;
};

std::vector<std::string> Names() {
  const auto names = plan::PolicyNames();
  return {names.begin(), names.end()};
}

// Rules for the keys that a policy uses, beside `policy` and `label`.
std::vector<KeyRule> RulesOf(const std::string& policy, PolicyKeys& keys) {
  const Range intensity{0, core::kMostIntensity}, percent{0, 100};
  std::vector<KeyRule> rules{ReadPolicyName("policy", keys.policy, Names()),
                             ReadText("label", keys.label)};
  const auto add = [&](KeyRule rule) { rules.push_back(std::move(rule)); };
  if (policy == "threshold") {
    add(ReadNumber("threshold_g_per_kwh", keys.threshold, intensity));
    add(ReadNumber("percentile", keys.percentile, percent));
    add(ReadDuration("window", keys.window, std::chrono::hours{1}));
    add(ReadNumber("hysteresis_g_per_kwh", keys.hysteresis, intensity));
    add(ReadDuration("max_wait", keys.max_wait, Duration::zero()));
  }
  if (policy == "tiers") add(ReadNode("tiers", keys.tiers));
  if (policy == "lowest-window" || policy == "lowest-slots" || policy == "planner")
    add(ReadNumber("minimum_saving_percent", keys.minimum_saving_percent, percent));
  if (policy == "lowest-slots" || policy == "planner")
    add(ReadDuration("slot", keys.slot, kShortestSlot));
  if (policy == "planner") {
    add(ReadNumber("minimum_saving_g", keys.minimum_saving_g, {0, 1e12}));
    add(ReadNumber("risk", keys.risk, {0.1, 0.9}));
    add(ReadNumber("price_weight", keys.price_weight, {0, 1}));
    add(ReadDuration("horizon", keys.horizon, std::chrono::hours{1}));
    add(ReadBool("thresholds_and_priorities", keys.thresholds_and_priorities));
  }
  if (policy == "dtpr") {
    add(ReadNumber("lower_g_per_kwh", keys.lower, intensity));
    add(ReadNumber("upper_g_per_kwh", keys.upper, intensity));
    add(ReadDuration("unit", keys.unit, kShortestSlot));
  }
  return rules;
}

void ApplyThreshold(const PolicyKeys& keys, plan::ThresholdOptions& options, Problems& problems) {
  if (keys.threshold) options.threshold = Intensity{*keys.threshold};
  if (keys.threshold && keys.percentile)
    problems.Add(keys.percentile.line,
                 "percentile has no meaning beside threshold_g_per_kwh: leave one out");
  if (keys.percentile) options.percentile = *keys.percentile / 100;
  options.window = keys.window.value_or(options.window);
  if (keys.hysteresis) options.hysteresis = {*keys.hysteresis};
  options.max_wait = keys.max_wait.value;
}

plan::PolicyOptions OptionsOf(const PolicyKeys& keys, Problems& problems) {
  plan::PolicyOptions options;
  ApplyThreshold(keys, options.threshold, problems);
  if (keys.tiers) options.tiers = ReadTiers(*keys.tiers, problems);
  if (keys.minimum_saving_percent) {
    const double share = *keys.minimum_saving_percent / 100;
    options.lowest_window.minimum_saving = options.lowest_slots.minimum_saving = share;
    options.planner.minimum_saving_share = share;
  }
  if (keys.slot) options.lowest_slots.slot = options.planner.slot = *keys.slot;
  if (keys.minimum_saving_g) options.planner.minimum_saving = {*keys.minimum_saving_g};
  options.planner.prices.risk = keys.risk.value_or(options.planner.prices.risk);
  options.planner.prices.tariff_weight = keys.price_weight.value_or(0);
  options.planner.horizon = keys.horizon.value_or(options.planner.horizon);
  options.planner.uses_preferences = keys.thresholds_and_priorities.value_or(true);
  if (keys.lower) options.dtpr.lower = Intensity{*keys.lower};
  if (keys.upper) options.dtpr.upper = Intensity{*keys.upper};
  if (keys.lower && keys.upper && *keys.lower >= *keys.upper)
    problems.Add(keys.upper.line, "upper_g_per_kwh must be above lower_g_per_kwh");
  options.dtpr.unit = keys.unit.value_or(options.dtpr.unit);
  return options;
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
  PolicyKeys keys;
  if (node.kind == YamlNode::Kind::kScalar) {
    ReadPolicyName("policy", keys.policy, Names()).read(node, problems);
  } else {
    const std::vector<KeyRule> rules = RulesOf(NameIn(node), keys);
    ReadSection(node, "policies", rules, {}, problems);
    if (NameIn(node).empty()) problems.Add(node.line, "a policy needs the key policy: its name");
  }
  if (!keys.policy) return;
  sim::PolicyChoice choice{keys.label.value_or(*keys.policy), *keys.policy,
                           OptionsOf(keys, problems)};
  for (const sim::PolicyChoice& other : choices)
    if (other.label == choice.label)
      problems.Add(node.line, "two policies are called \"" + choice.label + "\": give a label");
  choices.push_back(std::move(choice));
}

}  // namespace

std::vector<sim::PolicyChoice> ReadPolicies(const Given<YamlNode>& section, Problems& problems) {
  std::vector<sim::PolicyChoice> choices;
  if (!section) return {{"planner", "planner", {}}};
  ReadItems("policies", [&](const YamlNode& node, Problems& found) {
    ReadPolicy(node, choices, found);
  }).read(*section, problems);
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
