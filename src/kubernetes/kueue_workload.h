#pragma once
// A Workload of Kueue: what Kueue queues, admits and evicts for an object that has a queue; and how
// it is told whether that may start. Pure.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_node.h"
#include "kubernetes/gated_kind.h"
#include "kubernetes/gated_object.h"

namespace ebb::kubernetes {

inline constexpr const char* kKueueGroupPath = "/apis/kueue.x-k8s.io";
/// spec.controllerName of the AdmissionChecks that Ebb answers.
inline constexpr const char* kCheckController = "ebb/gate";
/// Ebb's gate in the annotation of admission gates.
inline constexpr const char* kAdmissionGate = "ebb/wait";

/// nullptr: a version of Kueue's API that Ebb does not know.
const GatedKind* WorkloadKind(std::string_view version);

struct Workload {
  std::string name, name_space, uid, version;
  std::string owner;          ///< uid; empty: none that Ebb follows
  std::string queue;          ///< "namespace/name" of its LocalQueue
  std::string cluster_queue;  ///< where it holds quota; empty: it holds none
  bool gated = false;         ///< by Ebb's admission gate, which Kueue copies from the owner
  bool admitted = false;      ///< all checks are ready: it runs, or is about to
  bool evicted = false;       ///< what ran is ending, or has ended; until it holds quota again
  bool finished = false;
  bool active = true;  ///< false: Kueue takes its quota away, and does not look at it
  bool held = false;   ///< not active, and that by Ebb
  std::map<std::string, std::string> checks;  ///< name -> "Pending", "Ready", "Retry", "Rejected"
  PodRequests requests;
};
Workload ReadWorkload(const JsonNode& json);

/// As the engine sees it: with the annotations of its owner, which Kueue does not copy.
std::optional<GatedObject> ObjectOf(const GatedKind& kind, const JsonNode& json,
                                    const GatedObject* owner, const ObjectDefaults& defaults);

/// Whether Ebb's gate is among those of the annotation.
bool HasAdmissionGate(const std::map<std::string, std::string>& annotations);
/// The annotation without Ebb's gate; empty: none is left.
std::string WithoutAdmissionGate(const std::string& gates);

/// What Kueue is told of checks of one Workload.
struct CheckAnswer {
  std::vector<std::string> checks;  ///< names
  std::string state, message;
  Time at{};
};
/// A server-side apply of these entries alone; refused where the Workload has changed since.
std::string AnswerBody(const GatedKind& kind, const Workload& workload, const CheckAnswer& answer);
/// A merge patch that makes it active or not, in the same way. `why`: of what is held.
std::string ActiveBody(const Workload& workload, bool active, const std::string& why);

/// GPUs and cores that a ClusterQueue has by itself, of all its flavors, and the checks of its
/// Workloads: while an admission gate holds them back, they may not have them yet.
struct Quota {
  double gpus = 0, cores = 0;
  std::set<std::string> checks{};  ///< names
  bool preempts = false;           ///< Kueue ends what runs for what comes
};
Quota ReadQuota(const JsonNode& cluster_queue);

}  // namespace ebb::kubernetes
