#pragma once
// Every key of the files of a cluster, described once: groups of nodes (node_groups.h), and the
// limits and the budget of a namespace's policy (namespace_policy.h). Their readers and
// docs/cluster-options.md follow the tables. The defaults of a policy are annotations
// (kubernetes/objects/namespace_policy.h). Private to config/cluster.

#include <optional>

#include "config/section_table.h"
#include "kubernetes/nodes/node_group.h"
#include "kubernetes/objects/namespace_policy.h"

namespace ebb::config {

struct NodeGroupSection {
  kubernetes::NodeGroup group;
  std::optional<YamlNode> labels;
};

const SectionTable<NodeGroupSection>& NodeGroupTable();
const SectionTable<kubernetes::PolicyLimits>& PolicyLimitsTable();
const SectionTable<kubernetes::MonthlyBudget>& MonthlyBudgetTable();

}  // namespace ebb::config
