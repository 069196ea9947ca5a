#pragma once
// The kinds of objects that can be held back as a whole, with a field that suspends them: which
// field that is, where they are in the API, and how one tells that they run or have ended. A table:
// another kind is another row.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_node.h"
#include "base/time.h"

namespace ebb::kubernetes {

/// What is there of an object.
enum class ObjectPhase {
  kSuspended,  ///< held back, and nothing of it runs
  kStopping,   ///< held back, and something of it still runs
  kReleased,   ///< may run
  kSucceeded,
  kFailed,
};
std::string_view Name(ObjectPhase phase);

struct GatedKind {
  std::string_view kind;     ///< "RayJob"
  std::string_view group;    ///< "ray.io"
  std::string_view version;  ///< "v1"
  std::string_view plural;   ///< "rayjobs"
  std::string_view suspend;  ///< JSON pointer: "/spec/suspend"
  /// Types of conditions that are "True" at the end.
  std::vector<std::string_view> succeeded, failed;
  /// Whether something of it still runs; asked where it is suspended.
  bool (*runs)(const JsonNode& object);
  /// Its end where it has no conditions, or whatever its status says better than its field;
  /// nullptr: conditions and the field say it all.
  std::optional<ObjectPhase> (*phase)(const JsonNode& object);
  /// The label that its pods carry, whose value is the object's name, or what stands there.
  std::string_view pod_label;
  std::string_view pod_value = "/metadata/name";
  std::string_view started = "/status/startTime";

  /// "/apis/ray.io/v1/rayjobs": in all namespaces.
  std::string ListPath() const;
  std::string ObjectPath(const std::string& name_space, const std::string& name) const;
  /// As a list of one, which the right to list is enough for.
  std::string SelectPath(const std::string& name_space, const std::string& name) const;
  std::string ApiVersion() const;
};

/// Those that Ebb knows: Job, RayJob, RayCluster, JobSet, TrainJob and Kubeflow's training jobs.
std::span<const GatedKind> GatedKinds();

/// Of pods that a scheduling gate holds back (pod_gang.h): no field suspends them.
const GatedKind& PodGangKind();

/// Why this object cannot be suspended, one sentence; empty: it can be. Its operator would end it
/// as failed if it were.
std::string WhyNotSuspendable(const GatedKind& kind, const JsonNode& object);

ObjectPhase PhaseOf(const GatedKind& kind, const JsonNode& object);

/// A merge patch, as JSON: {"spec":{"suspend":true}} at the place where this kind has it, unless
/// nothing is said of it; and annotations, of which empty ones are taken away. `version`: for an
/// object of that version alone.
std::string MergePatch(const GatedKind& kind, std::optional<bool> suspend,
                       const std::map<std::string, std::string>& annotations,
                       const std::string& version = "");

}  // namespace ebb::kubernetes
