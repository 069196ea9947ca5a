#pragma once
// What the objects of a namespace are held to be, how far they may go, and how much energy the
// namespace may use in a month. Values; the format is read by config/namespace_policy.h, and who
// follows the ConfigMap is policy_registry.h.
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
#include "kubernetes/gated_object.h"

namespace ebb::kubernetes {

/// Names of annotations without their prefix -> values.
using PolicyDefaults = std::map<std::string, std::string>;

/// Beyond these an object cannot go, whatever its annotations say.
struct PolicyLimits {
  std::optional<Intensity> threshold;  ///< the highest
  std::optional<Duration> start_by;    ///< the longest wait, from the creation
  std::optional<int> priority;         ///< the highest
  std::optional<double> gpus;          ///< of one object; more is not released
  bool waits_in_outage = false;        ///< `on-outage: run` is not heard
  friend bool operator==(const PolicyLimits&, const PolicyLimits&) = default;
};

/// Of the facility (energy of the devices x PUE), in each month of `time_zone`.
struct MonthlyBudget {
  std::optional<Energy> energy;
  std::optional<Emissions> emissions;
  std::string time_zone = "UTC";
  bool pauses = false;  ///< what runs and can be paused is paused; otherwise it is finished
  bool empty() const { return !energy && !emissions; }
  friend bool operator==(const MonthlyBudget&, const MonthlyBudget&) = default;
};

struct NamespacePolicy {
  PolicyDefaults defaults;
  std::map<std::string, PolicyDefaults> workloads;  ///< by type: before `defaults`
  PolicyLimits limits;
  MonthlyBudget budget;
  friend bool operator==(const NamespacePolicy&, const NamespacePolicy&) = default;
};

/// What can be a default: ours, and what Compute Gardener calls it (empty: nothing).
struct PolicyKey {
  std::string_view ours, theirs;
};
std::span<const PolicyKey> PolicyKeys();

/// Adds what `annotations` do not say. An object that names a tier is not given what a tier says.
void AddDefaults(const NamespacePolicy& policy, std::map<std::string, std::string>& annotations);

/// Brings the object within the limits, and names what they changed among its problems. What cannot
/// be brought within them is not released (GatedObject::lacks).
void KeepWithin(const PolicyLimits& limits, GatedObject& object);

}  // namespace ebb::kubernetes
