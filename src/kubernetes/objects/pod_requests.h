#pragma once
// Requests of pods for resources of nodes: of one pod, of all pods of an object, and of each kind
// of pod among them, because one node must have everything that a pod asks for. Pure.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json_node.h"
#include "kubernetes/objects/hardware_filter.h"

namespace ebb::kubernetes {

/// The label by which nodes and node selectors name the model of their GPUs.
inline constexpr const char* kGpuModelLabel = "nvidia.com/gpu.product";

/// A claim of a pod for devices (resource.k8s.io), by its own name, or by its template's.
struct PodClaim {
  std::string name;
  bool is_template = false;  ///< each pod has one of its own; otherwise all share it
  friend auto operator<=>(const PodClaim&, const PodClaim&) = default;
};

/// The needs of a claim.
struct ClaimNeeds {
  double gpus = 0;
  std::set<std::string> models{};  ///< models that it can use
  /// A sentence about unknown parts, because of which the needs are unknown; empty: none.
  std::string lacks{};
  std::vector<std::string> problems{};
};

/// Pods that ask for the same.
struct PodShape {
  double gpus = 0, cores = 0;  ///< for each pod
  std::string gpu_model;       ///< model in its node selector; empty: any
  int pods = 0;
  std::vector<PodClaim> claims{};
  double claimed = 0;  ///< GPUs by claims of its own (CountClaims)
  double all_gpus() const { return gpus + claimed; }
};

/// Sum of the requests of pods.
struct PodRequests {
  int pods = 0;
  double gpus = 0, cores = 0;
  std::string gpu_model;                           ///< model in their node selectors; empty: any
  std::map<std::string, std::string> annotations;  ///< annotations of the templates
  std::set<std::string> tolerated;                 ///< keys of taints; "": all of them
  HardwareFilter filter{};                         ///< excluded models
  std::vector<PodShape> shapes{};                  ///< shapes with most GPUs first, then most cores
  double claimed = 0;                              ///< part of `gpus` that is claimed
  std::set<std::string> claim_models{};            ///< models of claimed GPUs
};

/// Requests of an object of any kind: each template of pods in it, as often as its replicas and
/// parallelism say.
PodRequests RequestsOf(const JsonNode& object);
/// Adds the spec of a pod, `times` times.
void AddPod(const JsonNode& spec, double times, PodRequests& requests);
/// Counts the needs of the claims anew. Their models are those that all claims can use. `claims`:
/// remarks about them.
void CountClaims(const std::function<ClaimNeeds(const PodClaim&)>& needs_of, PodRequests& requests,
                 ClaimNeeds& claims);
/// Adds the requests of others, without their annotations and their filter.
void AddRequests(const PodRequests& others, PodRequests& requests);

}  // namespace ebb::kubernetes
