#pragma once
// What pods ask of nodes: of one pod, of all pods of an object, and of each kind of pod among them,
// for a node has to have all that one pod asks for. Pure.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json_node.h"
#include "kubernetes/hardware_filter.h"

namespace ebb::kubernetes {

/// The label by which nodes and node selectors name the model of their GPUs.
inline constexpr const char* kGpuModelLabel = "nvidia.com/gpu.product";

/// A claim of a pod for devices (resource.k8s.io), by its own name, or by its template's.
struct PodClaim {
  std::string name;
  bool is_template = false;  ///< each pod has one of its own; otherwise all share it
  friend auto operator<=>(const PodClaim&, const PodClaim&) = default;
};

/// What a claim asks for.
struct ClaimNeeds {
  double gpus = 0;
  std::set<std::string> models{};  ///< that it can have
  /// What is not known, in a sentence, so that nobody knows what it asks for; empty: nothing.
  std::string lacks{};
  std::vector<std::string> problems{};
};

/// Pods that ask for the same.
struct PodShape {
  double gpus = 0, cores = 0;  ///< of each one
  std::string gpu_model;       ///< that its node selector names; empty: any
  int pods = 0;
  std::vector<PodClaim> claims{};
  double claimed = 0;  ///< GPUs, by claims of its own (CountClaims)
  double all_gpus() const { return gpus + claimed; }
};

/// What pods ask for, all together.
struct PodRequests {
  int pods = 0;
  double gpus = 0, cores = 0;
  std::string gpu_model;                           ///< that their node selectors name; empty: any
  std::map<std::string, std::string> annotations;  ///< of the templates
  std::set<std::string> tolerated;                 ///< keys of taints; "": all of them
  HardwareFilter filter{};                         ///< models that it wants none of
  std::vector<PodShape> shapes{};                  ///< those with most GPUs first, then cores
  double claimed = 0;                              ///< of `gpus`, those by claims
  std::set<std::string> claim_models{};            ///< of these alone
};

/// Of an object of any kind: each template of pods in it, as often as its replicas and parallelism
/// say.
PodRequests RequestsOf(const JsonNode& object);
/// Of one pod's spec, added.
void AddPod(const JsonNode& spec, double times, PodRequests& requests);
/// Counts what its claims ask for, anew. Their models are those that all of them can have.
/// `claims`: what of that is to be said.
void CountClaims(const std::function<ClaimNeeds(const PodClaim&)>& needs_of, PodRequests& requests,
                 ClaimNeeds& claims);
/// Of others, added; without their annotations and their filter.
void AddRequests(const PodRequests& others, PodRequests& requests);

}  // namespace ebb::kubernetes
