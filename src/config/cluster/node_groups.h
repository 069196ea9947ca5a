#pragma once
// Reads node groups that an autoscaler adds from YAML: the file that `ebb controller` takes with
// --node-groups (docs/kubernetes.md, Nodes that an autoscaler adds), and the status that the
// Cluster Autoscaler publishes about its groups.

#include <string>
#include <vector>

#include "base/result.h"
#include "kubernetes/nodes/node_group.h"

namespace ebb::config {

/// Reads a list `node_groups`; names must be unique. One Error reports all mistakes. `path` is for
/// messages.
Result<std::vector<kubernetes::NodeGroup>> ParseNodeGroups(const std::string& text,
                                                           const std::string& path);
/// The groups in a file; none if `path` is empty.
Result<std::vector<kubernetes::NodeGroup>> LoadNodeGroups(const std::string& path);

/// Reads the value of the key `status` in the ConfigMap cluster-autoscaler-status, which is YAML
/// from version 1.30 of the Cluster Autoscaler on (its pull request 6375). An Error if it is not,
/// as in earlier versions.
Result<std::vector<kubernetes::PublishedGroup>> ParseAutoscalerStatus(const std::string& text,
                                                                      const std::string& name);

}  // namespace ebb::config
