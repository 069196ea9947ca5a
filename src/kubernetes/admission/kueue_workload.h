#pragma once
// A Workload of Kueue: Kueue queues, admits and evicts it for an object that has a queue. Also
// makes the requests that tell Kueue if it may start. Pure.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_node.h"
#include "kubernetes/objects/gated_kind.h"
#include "kubernetes/objects/gated_object.h"

namespace ebb::kubernetes {

inline constexpr const char* kKueueGroupPath = "/apis/kueue.x-k8s.io";
/// spec.controllerName of the AdmissionChecks that Ebb answers.
inline constexpr const char* kCheckController = "ebb/gate";
/// Ebb's gate in the annotation of admission gates.
inline constexpr const char* kAdmissionGate = "ebb/wait";

/// Returns nullptr for a version of Kueue's API that Ebb does not know.
const GatedKind* WorkloadKind(std::string_view version);

struct Workload {
  std::string name, name_space, uid, version;
  std::string owner;          ///< uid of the owner; empty: none that Ebb follows
  std::string queue;          ///< "namespace/name" of its LocalQueue
  std::string cluster_queue;  ///< where it holds quota; empty: nowhere
  bool gated = false;         ///< by Ebb's admission gate, which Kueue copies from the owner
  bool admitted = false;      ///< all checks are ready: it runs, or is about to run
  bool evicted = false;       ///< its pods are ending, or have ended; until it holds quota again
  bool finished = false;
  bool active = true;                         ///< false: Kueue takes its quota away and ignores it
  bool held = false;                          ///< Ebb made it inactive
  std::map<std::string, std::string> checks;  ///< name -> "Pending", "Ready", "Retry", "Rejected"
  std::vector<std::string> nominated;         ///< worker clusters that may admit it
  std::string cluster;                        ///< the one that has admitted it; empty: none
  PodRequests requests;
};
Workload ReadWorkload(const JsonNode& json);

/// The Workload as the engine sees it, with the annotations of its owner, which Kueue does not
/// copy.
std::optional<GatedObject> ObjectOf(const GatedKind& kind, const JsonNode& json,
                                    const GatedObject* owner, const ObjectDefaults& defaults);

/// Tells if Ebb's gate is in the annotation.
bool HasAdmissionGate(const std::map<std::string, std::string>& annotations);
/// The annotation without Ebb's gate; empty: no gate is left.
std::string WithoutAdmissionGate(const std::string& gates);

/// An answer to Kueue about checks of one Workload.
struct CheckAnswer {
  std::vector<std::string> checks;  ///< names
  std::string state, message;
  Time at{};
};
/// A server-side apply of these entries alone; refused if the Workload has changed since.
std::string AnswerBody(const GatedKind& kind, const Workload& workload, const CheckAnswer& answer);
/// A merge patch that makes it active or inactive, with the same protection. `why`: the reason for
/// holding it.
std::string ActiveBody(const Workload& workload, bool active, const std::string& why);

/// Own GPUs and cores of a ClusterQueue, over all its flavors, and the checks of its Workloads.
/// Workloads that an admission gate holds back may not have those checks yet.
struct Quota {
  double gpus = 0, cores = 0;
  std::set<std::string> checks{};  ///< names
  bool preempts = false;           ///< Kueue ends running Workloads for new ones
};
Quota ReadQuota(const JsonNode& cluster_queue);

}  // namespace ebb::kubernetes
