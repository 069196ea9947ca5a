#pragma once
// The kinds of objects that can be held back as a whole, with a field that suspends them: a table
// of that field, the place in the API, and the ways to find out if an object runs or has ended;
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

/// The phase of an object.
enum class ObjectPhase {
  kSuspended,  ///< held back, and no part of it runs
  kStopping,   ///< held back, and a part of it still runs
  kReleased,   ///< may run
  kSucceeded,
  kFailed,
};

struct GatedKind {
  std::string_view kind;     ///< "RayJob"
  std::string_view group;    ///< "ray.io"
  std::string_view version;  ///< "v1"
  std::string_view plural;   ///< "rayjobs"
  std::string_view suspend;  ///< JSON pointer: "/spec/suspend"
  /// Types of conditions that are "True" at the end.
  std::vector<std::string_view> succeeded, failed;
  /// Tells if a part of the object still runs; called if it is suspended.
  bool (*runs)(const JsonNode& object);
  /// The end of an object without conditions, or other facts that its status tells better than its
  /// field; nullptr: conditions and field are enough.
  std::optional<ObjectPhase> (*phase)(const JsonNode& object);
  /// The label of its pods whose value is the object's name, or the text at that place.
  std::string_view pod_label;
  std::string_view pod_value = "/metadata/name";
  std::string_view started = "/status/startTime";

  /// A path such as "/apis/ray.io/v1/rayjobs": in all namespaces.
  std::string ListPath() const;
  std::string ObjectPath(const std::string& name_space, const std::string& name) const;
  /// Path of the object as a list of one, for which the right to list is enough.
  std::string SelectPath(const std::string& name_space, const std::string& name) const;
  std::string ApiVersion() const;
};

/// The kinds that Ebb knows: Job, RayJob, RayCluster, JobSet, TrainJob and Kubeflow's training
/// jobs.
std::span<const GatedKind> GatedKinds();

/// The kind of pods that a scheduling gate holds back (pod_gang.h): no field suspends them.
const GatedKind& PodGangKind();

/// The reason, in one sentence, for which this object cannot be suspended; empty: it can be. Its
/// operator would end it as failed if it were.
std::string WhyNotSuspendable(const GatedKind& kind, const JsonNode& object);

ObjectPhase PhaseOf(const GatedKind& kind, const JsonNode& object);

/// A merge patch as JSON: {"spec":{"suspend":true}} at the place of this kind, unless `suspend` is
/// empty; and annotations, of which empty ones are removed. `version`: applies to an object of that
/// version only.
std::string MergePatch(const GatedKind& kind, std::optional<bool> suspend,
                       const std::map<std::string, std::string>& annotations,
                       const std::string& version = "");

}  // namespace ebb::kubernetes
