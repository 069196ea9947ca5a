#pragma once
// The policy of a namespace of a cluster as YAML: one key of the ConfigMap that `ebb controller`
// follows (docs/kubernetes.md, Policies of namespaces).

#include <string>

#include "base/result.h"
#include "kubernetes/namespace_policy.h"

namespace ebb::config {

/// Sections `defaults`, `workloads`, `limits` and `budget`, each of which may be missing. All
/// mistakes are in the one Error. `name` for messages: "research.yaml".
Result<kubernetes::NamespacePolicy> ParseNamespacePolicy(const std::string& text,
                                                         const std::string& name,
                                                         const kubernetes::ObjectDefaults& rules);

}  // namespace ebb::config
