#pragma once
// Jobs as JSON: what is submitted, and what is shown (docs/api.md).

#include <string>
#include <string_view>
#include <vector>

#include "core/submission.h"
#include "engine/state.h"
#include "plan/gate_policy.h"
#include "service/view.h"
#include "store/job_records.h"

namespace ebb::web {

/// What a submission that leaves something out means.
struct SubmissionDefaults {
  Time now{};  ///< durations count from here
  std::vector<plan::Tier> tiers;
  Duration run_time{std::chrono::hours{1}};
  Power power{100};
};

/// One object or an array of them. Unknown keys are refused with a suggestion; `where` of an Error
/// says which object and key.
Result<std::vector<core::Submission>> SubmissionsFromJson(std::string_view text,
                                                          const SubmissionDefaults& defaults);

/// One line for each list of jobs.
std::string JobToJson(const service::JobCard& card, bool whole);
std::string JobToJson(const store::JobRecord& record);
std::string ViewToJson(const service::View& view);
std::string SignalsToJson(const service::View& view);
std::string ErrorToJson(const Error& error);

}  // namespace ebb::web
