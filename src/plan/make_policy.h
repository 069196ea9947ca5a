#pragma once
// Every policy by its name.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "plan/gate_policy.h"
#include "plan/planner/planner.h"
#include "plan/policy.h"

namespace ebb::plan {

/// Each policy reads its own part.
struct PolicyOptions {
  Duration default_max_delay{std::chrono::hours{24}};  ///< of jobs without any deadline
  ThresholdOptions threshold;
  std::vector<core::Tier> tiers;  ///< see MakeTiers
  LowestWindowOptions lowest_window;
  LowestSlotsOptions lowest_slots;
  DtprOptions dtpr;
  PlannerOptions planner;
};

/// "run-now", "edf", "threshold", "tiers", "lowest-window", "lowest-slots", "carbon-time", "dtpr":
/// the policies that look at one job at a time.
std::span<const std::string> GatePolicyNames();
/// Those and "planner".
std::span<const std::string> PolicyNames();

/// The name of the policy that is meant: `ebb run` began with "now" for "run-now" and "window" for
/// "lowest-window", and both stay understood everywhere. Any other text is itself.
std::string_view PolicyNameOf(std::string_view given);

/// The policies under which a job's own threshold, or its priority, makes a difference.
std::span<const std::string> PoliciesByThreshold();
std::span<const std::string> PoliciesByPriority();

Result<std::unique_ptr<GatePolicy>> MakeGatePolicy(std::string_view name,
                                                   const PolicyOptions& options);
/// A name that is not known is an Error with a suggestion.
Result<std::unique_ptr<Policy>> MakePolicy(std::string_view name, const PolicyOptions& options);

}  // namespace ebb::plan
