#pragma once
// What people submit, as JSON (docs/api.md). Pure.

#include <optional>
#include <string_view>
#include <vector>

#include "core/tier.h"
#include "service/intake/inbox.h"

namespace ebb::web {

/// What a submission that leaves something out means.
struct SubmissionDefaults {
  /// Those that there are; absent: nobody here knows, and any name is taken.
  std::optional<std::vector<core::Tier>> tiers;
  /// The service's; empty: nobody here knows. What a job asks for and it does not heed is refused.
  std::string policy;
  Duration duration{std::chrono::hours{1}};
  Power power{100};
};

struct ReadSubmissions {
  std::vector<service::Submit> jobs;
  bool is_list = false;  ///< also of one
};

/// One object or an array of them. Unknown keys are refused with a suggestion; `where` of an Error
/// says which object and key.
Result<ReadSubmissions> SubmissionsFromJson(std::string_view text,
                                            const SubmissionDefaults& defaults);

/// {"name":..., "jobs":[as above], "successive_halving":{"reduction","minimum_epochs","epochs"},
/// "sweep_budget":{"energy_kwh","emissions_g"}, "key":...}: the experiments, which share their
/// Submit::sweep.
Result<std::vector<service::Submit>> SweepFromJson(std::string_view text,
                                                   const SubmissionDefaults& defaults);

/// {"energy_kwh", "emissions_g", "action"}: of one job; `checkpointable`: its program writes
/// checkpoints.
Result<core::Budget> BudgetFromJson(std::string_view text, bool checkpointable);

/// What is to change of a job, and to what; its number is left open.
Result<service::ChangeJob> JobChangeFromJson(std::string_view text,
                                             const SubmissionDefaults& defaults);

/// How a job is submitted again. Nothing is given: as it was, from its beginning.
struct Restart {
  bool resume = false;
  std::optional<std::vector<core::JobId>> after;
  std::vector<std::string> after_keys;
  std::string key;
};
Result<Restart> RestartFromJson(std::string_view text);

/// {"energy_kwh", "emissions_g"}: of all experiments together; one of them at least.
Result<core::Budget> SweepBudgetFromJson(std::string_view text);

}  // namespace ebb::web
