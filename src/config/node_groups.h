#pragma once
// Groups of nodes that an autoscaler adds, as YAML: a file that `ebb controller` takes with
// --node-groups (docs/kubernetes.md, Nodes that an autoscaler adds); and what the Cluster
// Autoscaler publishes of its groups.

#include <string>
#include <vector>

#include "base/result.h"
#include "kubernetes/node_group.h"

namespace ebb::config {

/// A list `node_groups`; names are unique. All mistakes are in the one Error. `path` for messages.
Result<std::vector<kubernetes::NodeGroup>> ParseNodeGroups(const std::string& text,
                                                           const std::string& path);
/// Without a path: none.
Result<std::vector<kubernetes::NodeGroup>> LoadNodeGroups(const std::string& path);

/// What stands under the key `status` of the ConfigMap cluster-autoscaler-status: YAML from version
/// 1.30 of the Cluster Autoscaler on (its pull request 6375). An Error: it is not that, as in
/// versions before.
Result<std::vector<kubernetes::PublishedGroup>> ParseAutoscalerStatus(const std::string& text,
                                                                      const std::string& name);

}  // namespace ebb::config
