#include "config/cluster/namespace_policy.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "config/cluster/cluster_table.h"
#include "config/yaml/list_reader.h"
#include "config/yaml/yaml_tree.h"
#include "prices/zone_clock.h"

namespace ebb::config {
namespace {

using kubernetes::GatedObject;
using kubernetes::NamespacePolicy;
using kubernetes::PolicyDefaults;

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

void ReadMonthlyBudget(const YamlNode& node, kubernetes::MonthlyBudget& budget,
                       Problems& problems) {
  const GivenKeys given = ReadByTable(node, "budget", MonthlyBudgetTable(), budget, problems);
  if (budget.empty())
    problems.Add(node.line, "budget limits nothing: give energy_kwh or emissions_g, of a month");
  if (!given.Has("time_zone")) return;
  if (const auto zone = prices::ZoneClock::Find(budget.time_zone); !zone)
    problems.Add(given.LineOf("time_zone"), zone.error().Message());
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
  if (limits) ReadByTable(*limits, "limits", PolicyLimitsTable(), policy.limits, problems);
  if (budget) ReadMonthlyBudget(*budget, policy.budget, problems);
  if (!problems.empty()) return Fail(problems.ToError());
  return policy;
}

}  // namespace ebb::config
