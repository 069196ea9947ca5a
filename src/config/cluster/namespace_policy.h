#pragma once
// The policy of a namespace of a cluster as YAML: one key of the ConfigMap that `ebb controller`
// follows (docs/kubernetes.md, Policies of namespaces).

#include <string>

#include "base/result.h"
#include "kubernetes/objects/namespace_policy.h"

namespace ebb::config {

/// Reads the sections `defaults`, `workloads`, `limits` and `budget`; each may be missing. One
/// Error reports all mistakes. `name` is for messages: "research.yaml".
Result<kubernetes::NamespacePolicy> ParseNamespacePolicy(const std::string& text,
                                                         const std::string& name,
                                                         const kubernetes::ObjectDefaults& rules);

}  // namespace ebb::config
