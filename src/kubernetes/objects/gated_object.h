#pragma once
// An object of a cluster as the engine sees it: the right to hold it back, its requests, and its
// phase. It is read from the object alone, so that a restarted controller knows the same as the one
// before it. Pure.
//
// Annotations (docs/kubernetes.md): ebb/..., and those of Compute Gardener's scheduler, on the
// object or on its pods' template.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_node.h"
#include "core/jobs/job.h"
#include "core/jobs/tier.h"
#include "kubernetes/objects/annotation_keys.h"
#include "kubernetes/objects/gated_kind.h"
#include "kubernetes/objects/object_width.h"
#include "kubernetes/objects/pod_requests.h"

namespace ebb::kubernetes {

inline constexpr std::string_view kGardenerPrefix = "compute-gardener-scheduler.kubernetes.io/";
/// Label or annotation, of an object or a namespace: "true" lets Ebb hold it back.
inline constexpr std::string_view kWaitKey = "ebb/wait";
/// Annotation written by Ebb: the number of releases.
inline constexpr std::string_view kAttemptKey = "ebb/attempt";

struct NamespacePolicy;

/// A part of an object that is patched by itself.
struct ObjectPart {
  std::string name, uid;
  std::map<std::string, std::string> written;  ///< Ebb's annotations on the object
};

struct GatedObject {
  const GatedKind* kind = nullptr;
  std::string name_space, name, uid;
  Time created{};
  bool chosen = false;  ///< chosen by itself, not by its namespace
  /// The value is "false", or Compute Gardener's skip is set, or it cannot be suspended: not held
  /// back, whatever the namespace says.
  bool declined = false;
  /// Another such object owns this one, or Kueue releases it: the owner is held back, if any.
  bool follows = false;
  /// A Workload: released by an answer to Kueue (admission_check_controller.h).
  bool by_kueue = false;
  ObjectPhase phase = ObjectPhase::kSuspended;
  std::optional<Time> started;  ///< start of the running object, as the cluster reports it
  int attempt = 0;              ///< kAttemptKey
  /// The job without id, site and models. Times count from the creation.
  core::Job job;
  PodRequests requests;
  ObjectWidth width{};
  /// Sentence about an object that asks for several widths and keeps the one that it has; empty:
  /// none.
  std::string keeps_width{};
  /// Requests that cannot be satisfied, one sentence each.
  std::vector<std::string> problems;
  /// All annotations with a meaning for Ebb, including those of the pods' template.
  std::map<std::string, std::string> annotations;
  std::vector<std::string> labels{};    ///< its own labels with Ebb's prefix
  std::vector<std::string> mistyped{};  ///< the problems that are about unknown keys
  std::optional<double> most_price{};   ///< highest price per kWh (price_gate.h)
  std::string version;
  std::vector<std::string> models{};  ///< pools that it can use; empty: by its requests
  std::string made_for{};             ///< `by_kueue`: uid of the object with the notes; empty: none
  std::string pods;                   ///< label of its pods, "label=value"; empty: not known yet
  std::vector<PodTemplate> templates{};  ///< templates of pods with GPUs
  std::vector<ObjectPart> parts;         ///< the object itself, or the existing pods of a gang
  /// Reason for which it cannot be released: something does not exist yet, or its namespace does
  /// not allow it; empty: none.
  std::string lacks;
  /// Last writer of the field that suspends it; empty: it runs, or the writer is unknown.
  std::string suspended_by{};
  /// Result of WhyNotSuspendable (gated_kind.h).
  std::string why_not_suspendable{};

  bool is_gang() const { return kind == &PodGangKind(); }
  std::string Path() const { return kind->ObjectPath(name_space, name); }
};

/// Values for an object that does not set them itself.
struct ObjectDefaults {
  Duration duration{std::chrono::hours{1}};
  Power device_power = Power{250}, core_power = Power{10};  ///< of one GPU, of one CPU core
  std::vector<core::Tier> tiers = core::PublishedTiers();
  std::optional<Intensity> threshold{};  ///< nothing: the policy decides
  bool knows_prices = false;             ///< false: prices have no effect
  /// The policy of a namespace (namespace_policy.h); nullptr: none. Empty: there are no policies.
  std::function<const NamespacePolicy*(const std::string& name_space)> policy_of{};
  /// The needs of a claim of a pod in this namespace. Empty: claims are not counted.
  std::function<ClaimNeeds(const std::string& name_space, const PodClaim&)> needs_of{};
  /// The reason for which the API server changes no requests of a suspended Job's Pods, as a part
  /// of a sentence; "": it changes them. Empty: nobody knows, and it is assumed to.
  std::function<std::string()> why_requests_stay{};
};

/// The annotation that makes Kueue (from 0.17 on) ignore an object until its gates are removed.
inline constexpr std::string_view kAdmissionGatesKey = "kueue.x-k8s.io/admission-gated-by";

/// Reads an object; nothing if it has no name, uid or time of creation. `annotations` are those of
/// the object that it was made for; its own take precedence.
std::optional<GatedObject> ReadObject(const GatedKind& kind, const JsonNode& object,
                                      const ObjectDefaults& defaults,
                                      const std::map<std::string, std::string>& annotations = {});

/// Annotations with Ebb's prefix.
std::map<std::string, std::string> OursOf(const std::map<std::string, std::string>& annotations);
/// Reads the annotations of an object whose name, creation and requests are known already.
void ReadAnnotations(std::map<std::string, std::string> texts, const ObjectDefaults& defaults,
                     GatedObject& object);

/// Reads a known object again, because the policy of its namespace or the needs of its claims have
/// changed.
void ReadAgain(const ObjectDefaults& defaults, GatedObject& object);

}  // namespace ebb::kubernetes
