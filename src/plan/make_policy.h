#pragma once
// Every policy, described once (the table is in make_policy.cc): its name, what it heeds of a job,
// what it reads of the signal, how it is made, and how `ebb run` has it. Flags and their help,
// completion, YAML, scenarios, the service and the files of a run follow this table.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  int run_now_devices =
      0;  ///< run-now: elastic jobs run on so many devices; 0: on their own number
};

/// Names of all policies. All but "planner" look at one job at a time, and all but "planner" and
/// "carbon-scaler" run an elastic job on its own number of devices.
std::span<const std::string> PolicyNames();

/// The present name of a policy. `ebb run` began with "now" for "run-now" and "window" for
/// "lowest-window", and both stay valid everywhere. Any other text is returned as it is.
std::string_view PolicyNameOf(std::string_view given);

/// The policies that use a job's own threshold or its priority.
std::span<const std::string> PoliciesByThreshold();
std::span<const std::string> PoliciesByPriority();

/// True if the policy decides by all values ever known; the others look back to the submission at
/// most.
bool ReadsAllKnown(std::string_view policy);

/// The policies of `ebb run`, by the names that people see: "run-now", "threshold", ...
std::vector<std::string> GatePolicyKindNames();
/// The policy of `ebb run` with this name or short name.
std::optional<GatePolicyKind> GatePolicyKindFromName(std::string_view name);
/// The stored name, in run.json and options.json: "now" for "run-now", "window" for
/// "lowest-window", and otherwise the name that people see.
std::string_view Name(GatePolicyKind kind);
/// A few words for --help on the moment at which the policy starts a run.
std::string_view HelpOf(GatePolicyKind kind);
/// True if the policy decides by a forecast, and waits while there is none.
bool NeedsForecast(GatePolicyKind kind);

Result<std::unique_ptr<GatePolicy>> MakeGatePolicy(std::string_view name,
                                                   const PolicyOptions& options);
/// Returns an Error with a suggestion if the name is unknown.
Result<std::unique_ptr<Policy>> MakePolicy(std::string_view name, const PolicyOptions& options);

}  // namespace ebb::plan
