#pragma once
// The policy of a namespace: defaults for its objects, limits for them, and the energy that the
// namespace may use in a month. Values; config/cluster/namespace_policy.h reads the format, and
// policy_registry.h follows the ConfigMap.
//
// A default is the value of an annotation of ours that an object does not have, so that there is
// one reader of such values (gated_object.h).

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "base/units.h"
#include "kubernetes/objects/gated_object.h"

namespace ebb::kubernetes {

/// Names of annotations without their prefix -> values.
using PolicyDefaults = std::map<std::string, std::string>;

/// Limits that an object cannot exceed, whatever its annotations say.
struct PolicyLimits {
  std::optional<Intensity> threshold;  ///< highest threshold
  std::optional<Duration> start_by;    ///< longest wait from the creation
  std::optional<int> priority;         ///< highest priority
  std::optional<double> gpus;          ///< for one object; an object with more is not released
  bool waits_in_outage = false;        ///< `on-outage: run` has no effect
  friend bool operator==(const PolicyLimits&, const PolicyLimits&) = default;
};

/// Energy of the facility (energy of the devices x PUE) in each month of `time_zone`.
struct MonthlyBudget {
  std::optional<Energy> energy;
  std::optional<Emissions> emissions;
  std::string time_zone = "UTC";
  bool pauses = false;  ///< running jobs are paused if they can be; otherwise finished
  bool empty() const { return !energy && !emissions; }
  friend bool operator==(const MonthlyBudget&, const MonthlyBudget&) = default;
};

struct NamespacePolicy {
  PolicyDefaults defaults;
  std::map<std::string, PolicyDefaults> workloads;  ///< by type: preferred to `defaults`
  PolicyLimits limits;
  MonthlyBudget budget;
  friend bool operator==(const NamespacePolicy&, const NamespacePolicy&) = default;
};

/// A key that can have a default: Ebb's, and Compute Gardener's name for it (empty: none).
struct PolicyKey {
  std::string_view ours, theirs;
};
std::span<const PolicyKey> PolicyKeys();

/// Adds the defaults that `annotations` do not have. An object that names a tier gets no default
/// for values that a tier sets.
void AddDefaults(const NamespacePolicy& policy, std::map<std::string, std::string>& annotations);

/// Brings the object within the limits, and adds each change to its problems. An object that cannot
/// be brought within them is not released (GatedObject::lacks).
void KeepWithin(const PolicyLimits& limits, GatedObject& object);

}  // namespace ebb::kubernetes
