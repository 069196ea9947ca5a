#pragma once
// Makes policies by their names.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "plan/gate_policy.h"
#include "plan/planner/planner.h"
#include "plan/policy.h"

namespace ebb::plan {

/// Options of all policies; each policy reads its own part.
struct PolicyOptions {
  Duration default_max_delay{std::chrono::hours{24}};  ///< for jobs without any deadline
  ThresholdOptions threshold;
  std::vector<core::Tier> tiers;  ///< tiers that override those of the jobs; see MakeTiers
  LowestWindowOptions lowest_window;
  LowestSlotsOptions lowest_slots;
  DtprOptions dtpr;
  PlannerOptions planner;
};

/// Names of the policies that look at one job at a time: "run-now", "edf", "threshold", "tiers",
/// "lowest-window", "lowest-slots", "carbon-time", "dtpr".
std::span<const std::string> GatePolicyNames();
/// The gate policies and "planner".
std::span<const std::string> PolicyNames();

/// The present name of a policy. `ebb run` began with "now" for "run-now" and "window" for
/// "lowest-window", and both stay valid everywhere. Any other text is returned as it is.
std::string_view PolicyNameOf(std::string_view given);

/// The policies that use a job's own threshold or its priority.
std::span<const std::string> PoliciesByThreshold();
std::span<const std::string> PoliciesByPriority();

Result<std::unique_ptr<GatePolicy>> MakeGatePolicy(std::string_view name,
                                                   const PolicyOptions& options);
/// Returns an Error with a suggestion if the name is unknown.
Result<std::unique_ptr<Policy>> MakePolicy(std::string_view name, const PolicyOptions& options);

}  // namespace ebb::plan
