#include "config/cluster/namespace_policy.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "config/yaml/list_reader.h"
#include "config/yaml/yaml_tree.h"
#include "core/options/field_builders.h"
#include "prices/zone_clock.h"

namespace ebb::config {
namespace {

using kubernetes::GatedObject;
using kubernetes::NamespacePolicy;
using kubernetes::PolicyDefaults;

constexpr Range kThresholds{0, core::kMostIntensity},
    kPriorities{-core::kMostPriority, core::kMostPriority}, kGpus{0, core::kMostDevices};

// The problems of an object that has this annotation and no other.
std::vector<std::string> ProblemsOf(const std::string& key, const std::string& value,
                                    const kubernetes::ObjectDefaults& rules) {
  GatedObject object;
  object.requests.gpus = 1;
  kubernetes::ReadAnnotations({{std::string(kubernetes::kPrefix) + key, value}}, rules, object);
  return object.problems;
}

KeyRule ReadDefault(const std::string& key, PolicyDefaults& out,
                    const kubernetes::ObjectDefaults& rules) {
  return {key, [key, &out, &rules](const YamlNode& value, Problems& problems) {
            if (value.kind != YamlNode::Kind::kScalar)
              return problems.Add(value.line, key + " needs a single value");
            for (const std::string& problem : ProblemsOf(key, value.text, rules))
              problems.Add(value.line, problem);
            const bool is_moment = key == "start-by" || key == "finish-by";
            if (is_moment && ParseTime(value.text) && !ParseDuration(value.text))
              problems.Add(value.line, key + " needs a duration from the creation, like 12h");
            out[key] = value.text;
          }};
}

void ReadDefaults(const YamlNode& node, const std::string& section, PolicyDefaults& out,
                  const kubernetes::ObjectDefaults& rules, Problems& problems) {
  std::vector<KeyRule> keys;
  for (const kubernetes::PolicyKey& key : kubernetes::PolicyKeys())
    keys.push_back(ReadDefault(std::string(key.ours), out, rules));
  ReadSection(node, section, keys, {}, problems);
}

void ReadWorkloads(const YamlNode& node, NamespacePolicy& policy,
                   const kubernetes::ObjectDefaults& rules, Problems& problems) {
  if (node.kind != YamlNode::Kind::kMap)
    return problems.Add(
        node.line, "workloads needs a section for each type, like inference: {threshold: 400}");
  for (const YamlEntry& entry : node.entries) {
    if (policy.workloads.contains(entry.key))
      problems.Add(entry.line, "workload " + entry.key + " is given twice");
    ReadDefaults(entry.value, "workloads." + entry.key, policy.workloads[entry.key], rules,
                 problems);
  }
}

void ReadPolicyLimits(const YamlNode& node, kubernetes::PolicyLimits& limits, Problems& problems) {
  Given<double> threshold, gpus;
  Given<Duration> start_by;
  Given<std::int64_t> priority;
  Given<std::string> on_outage;
  const std::vector<KeyRule> rules{ReadNumber("threshold", threshold, kThresholds),
                                   ReadDuration("start-by", start_by, Duration::zero()),
                                   ReadInteger("priority", priority, kPriorities),
                                   ReadNumber("gpus", gpus, kGpus),
                                   ReadChoice("on-outage", on_outage, {"wait", "run"})};
  ReadSection(node, "limits", rules, {}, problems);
  if (threshold) limits.threshold = Intensity{*threshold};
  if (priority) limits.priority = static_cast<int>(*priority);
  limits.start_by = start_by.value;
  limits.gpus = gpus.value;
  limits.waits_in_outage = on_outage && *on_outage == "wait";
}

void ReadMonthlyBudget(const YamlNode& node, kubernetes::MonthlyBudget& budget,
                       Problems& problems) {
  Given<double> energy_kwh, emissions_g;
  Given<std::string> time_zone, when_used_up;
  const std::vector<KeyRule> rules{
      ReadNumber("energy_kwh", energy_kwh, {core::kLeastBudget, core::kMostBudgetKwh}),
      ReadNumber("emissions_g", emissions_g, {core::kLeastBudget, core::kMostBudgetG}),
      ReadText("time_zone", time_zone),
      ReadChoice("when_used_up", when_used_up, {"finish", "pause"})};
  ReadSection(node, "budget", rules, {}, problems);
  if (!energy_kwh && !emissions_g)
    problems.Add(node.line, "budget limits nothing: give energy_kwh or emissions_g, of a month");
  if (energy_kwh) budget.energy = Energy::Joules(*energy_kwh * 3.6e6);
  if (emissions_g) budget.emissions = Emissions{*emissions_g};
  budget.pauses = when_used_up && *when_used_up == "pause";
  if (!time_zone) return;
  budget.time_zone = *time_zone;
  if (const auto zone = prices::ZoneClock::Find(*time_zone); !zone)
    problems.Add(time_zone.line, zone.error().Message());
}

}  // namespace

Result<NamespacePolicy> ParseNamespacePolicy(const std::string& text, const std::string& name,
                                             const kubernetes::ObjectDefaults& rules) {
  EBB_ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text, name));
  Problems problems(name);
  NamespacePolicy policy;
  Given<YamlNode> defaults, workloads, limits, budget;
  const std::vector<KeyRule> sections{ReadNode("defaults", defaults),
                                      ReadNode("workloads", workloads), ReadNode("limits", limits),
                                      ReadNode("budget", budget)};
  if (root.kind != YamlNode::Kind::kNull) ReadSection(root, "", sections, {}, problems);
  if (defaults) ReadDefaults(*defaults, "defaults", policy.defaults, rules, problems);
  if (workloads) ReadWorkloads(*workloads, policy, rules, problems);
  if (limits) ReadPolicyLimits(*limits, policy.limits, problems);
  if (budget) ReadMonthlyBudget(*budget, policy.budget, problems);
  if (!problems.empty()) return Fail(problems.ToError());
  return policy;
}

}  // namespace ebb::config
