#pragma once
// An object of a cluster as the engine sees it: whether Ebb may hold it back, what it asks for, and
// where it stands. Read from the object alone, so that a controller that begins anew finds what the
// one before it knew. Pure.
//
// Annotations (docs/kubernetes.md): ebb/..., and those of Compute Gardener's scheduler, on the
// object or on its pods' template.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_node.h"
#include "core/job.h"
#include "core/tier.h"
#include "kubernetes/annotation_keys.h"
#include "kubernetes/gated_kind.h"
#include "kubernetes/pod_requests.h"

namespace ebb::kubernetes {

inline constexpr std::string_view kGardenerPrefix = "compute-gardener-scheduler.kubernetes.io/";
/// Label or annotation, of an object or a namespace: "true" lets Ebb hold it back.
inline constexpr std::string_view kWaitKey = "ebb/wait";
/// Written by Ebb: how often it has been released.
inline constexpr std::string_view kAttemptKey = "ebb/attempt";

struct NamespacePolicy;

/// What is patched.
struct ObjectPart {
  std::string name, uid;
  std::map<std::string, std::string> written;  ///< annotations of ours as they are
};

struct GatedObject {
  const GatedKind* kind = nullptr;
  std::string name_space, name, uid;
  Time created{};
  bool chosen = false;  ///< by itself, not by its namespace
  /// "false", or Compute Gardener's skip; or not suspendable: whatever the namespace says.
  bool declined = false;
  /// Owned by another such object, or Kueue's to release: that one is held back, if any.
  bool follows = false;
  bool by_kueue =
      false;  ///< a Workload: released by an answer to Kueue (admission_check_controller.h)
  ObjectPhase phase = ObjectPhase::kSuspended;
  std::optional<Time> started;  ///< of what runs, as the cluster tells it
  int attempt = 0;              ///< kAttemptKey
  /// Without id, site and models. Times count from the creation.
  core::Job job;
  PodRequests requests;
  /// What was asked for and cannot be had, one sentence each.
  std::vector<std::string> problems;
  /// All that say something to Ebb, those of its pods' template among them: for what is made of it.
  std::map<std::string, std::string> annotations;
  std::vector<std::string> labels{};    ///< of its own, with our prefix
  std::vector<std::string> mistyped{};  ///< of the problems, those of keys that say nothing to Ebb
  std::optional<double> most_price{};   ///< per kWh (price_gate.h)
  std::string version;
  std::vector<std::string> models{};  ///< of the pools that it can have; empty: by its requests
  std::string made_for{};  ///< `by_kueue`: uid of the object that gets the notes; empty: none
  std::string pods;        ///< "label=value" of its pods; empty: not known yet
  std::vector<PodTemplate> templates{};  ///< of pods with GPUs
  std::vector<ObjectPart> parts;  ///< the object itself, or the pods of a gang that are there
  /// What is not there yet, or what its namespace does not allow, so that it cannot be released;
  /// empty: nothing.
  std::string lacks;
  /// Who wrote the field that suspends it last; empty: it runs, or the object does not tell.
  std::string suspended_by{};
  /// gated_kind.h, WhyNotSuspendable.
  std::string why_not_suspendable{};

  bool is_gang() const { return kind == &PodGangKind(); }
  std::string Path() const { return kind->ObjectPath(name_space, name); }
};

/// What an object without a word of its own is held to be.
struct ObjectDefaults {
  Duration duration{std::chrono::hours{1}};
  Power device_power = Power{250}, core_power = Power{10};  ///< of a GPU, of a CPU core
  std::vector<core::Tier> tiers = core::PublishedTiers();
  std::optional<Intensity> threshold{};  ///< nothing: by the policy
  bool knows_prices = false;             ///< otherwise nothing acts on a price
  /// Of a namespace (namespace_policy.h); nullptr: none. Empty: there are no policies.
  std::function<const NamespacePolicy*(const std::string& name_space)> policy_of{};
  /// Of a claim of a pod in this namespace. Empty: claims are not counted.
  std::function<ClaimNeeds(const std::string& name_space, const PodClaim&)> needs_of{};
};

/// The annotation by which Kueue (from 0.17 on) does not look at an object until its gates are
/// gone.
inline constexpr std::string_view kAdmissionGatesKey = "kueue.x-k8s.io/admission-gated-by";

/// Nothing where it is no object: without a name, a uid or a time of creation. `annotations`: of
/// the object that it was made for; its own go first.
std::optional<GatedObject> ReadObject(const GatedKind& kind, const JsonNode& object,
                                      const ObjectDefaults& defaults,
                                      const std::map<std::string, std::string>& annotations = {});

/// Those with our prefix.
std::map<std::string, std::string> OursOf(const std::map<std::string, std::string>& annotations);
/// What annotations say of an object that is known otherwise: its name, creation and requests.
void ReadAnnotations(std::map<std::string, std::string> texts, const ObjectDefaults& defaults,
                     GatedObject& object);

/// Reads once more what is known of an object, since its namespace has another policy, or its
/// claims ask for something else.
void ReadAgain(const ObjectDefaults& defaults, GatedObject& object);

}  // namespace ebb::kubernetes
