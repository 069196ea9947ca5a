#pragma once
// A worker cluster of Kueue's MultiKueue as the manager cluster knows it, and which of them a
// workload may use. Values.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_node.h"
#include "base/units.h"

namespace ebb::kubernetes {

/// spec.controllerName of the AdmissionChecks that send workloads to worker clusters.
inline constexpr const char* kMultiKueueController = "kueue.x-k8s.io/multikueue";

/// Annotations of a MultiKueueCluster: docs/kubernetes.md, Several clusters.
struct WorkerCluster {
  std::string name;
  std::string zone;  ///< grid zone; empty: unknown, so nothing is sent there
  Pue pue;
  std::optional<double> gpus{};  ///< quota of GPUs there; nothing: unknown
  std::optional<double> cores{};
  bool connected = false;               ///< the manager reaches its API server
  std::vector<std::string> problems{};  ///< annotations that cannot be read, one sentence each
  friend bool operator==(const WorkerCluster&, const WorkerCluster&) = default;
};
WorkerCluster ReadWorkerCluster(const JsonNode& json);

/// The clusters that a job accepts: annotations `ebb/clusters` and `ebb/avoid-clusters`, names with
/// commas.
struct ClusterWish {
  std::set<std::string> only{};  ///< empty: any
  std::set<std::string> never{};
  bool Accepts(const std::string& cluster) const {
    return (only.empty() || only.contains(cluster)) && !never.contains(cluster);
  }
  friend bool operator==(const ClusterWish&, const ClusterWish&) = default;
};
inline constexpr std::string_view kClustersKey = "ebb/clusters";
inline constexpr std::string_view kAvoidClustersKey = "ebb/avoid-clusters";
/// Reads a list such as "norway, france".
std::set<std::string> ClusterNames(std::string_view text);

}  // namespace ebb::kubernetes
