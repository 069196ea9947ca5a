#pragma once
// Reads submissions from JSON (docs/api.md). Pure.

#include <optional>
#include <string_view>
#include <vector>

#include "core/jobs/tier.h"
#include "service/intake/inbox.h"

namespace ebb::web {

/// Defaults for submissions that leave something out.
struct SubmissionDefaults {
  /// The tiers of the service. If absent, the tiers are unknown here and any name is accepted.
  std::optional<std::vector<core::Tier>> tiers;
  /// The policy of the service; empty if unknown here. Options that the policy does not heed are
  /// refused.
  std::string policy;
  Duration duration{std::chrono::hours{1}};
  Power power{100};
};

struct ReadSubmissions {
  std::vector<service::Submit> jobs;
  bool is_list = false;  ///< true also for a list of one
};

/// Reads one object or an array of them. Unknown keys are refused with a suggestion; `where` of an
/// Error says which object and key.
Result<ReadSubmissions> SubmissionsFromJson(std::string_view text,
                                            const SubmissionDefaults& defaults);

/// {"name":..., "jobs":[as above], "successive_halving":{"reduction","minimum_epochs","epochs"},
/// "sweep_budget":{"energy_kwh","emissions_g"}, "key":...}: the experiments, which share their
/// Submit::sweep.
Result<std::vector<service::Submit>> SweepFromJson(std::string_view text,
                                                   const SubmissionDefaults& defaults);

/// Reads the budget of one job: {"energy_kwh", "emissions_g", "action"}. `checkpointable`: its
/// program writes checkpoints.
Result<core::Budget> BudgetFromJson(std::string_view text, bool checkpointable);

/// The changes of a job; the number of the job is not set.
Result<service::ChangeJob> JobChangeFromJson(std::string_view text,
                                             const SubmissionDefaults& defaults);

/// The way in which a job is submitted again. By default it runs unchanged, from its beginning.
struct Restart {
  bool resume = false;
  std::optional<std::vector<core::JobId>> after;
  std::vector<std::string> after_keys;
  std::string key;
};
Result<Restart> RestartFromJson(std::string_view text);

/// Reads the budget of all experiments together: {"energy_kwh", "emissions_g"}, at least one of
/// them.
Result<core::Budget> SweepBudgetFromJson(std::string_view text);

}  // namespace ebb::web
