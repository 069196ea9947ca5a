#pragma once
// Prints the output of a job from the service to standard output.

#include <optional>

#include "cli/patient_client.h"

namespace ebb::cli {

/// Prints the output so far; attempt 0 is the last one. Returns the exit code.
Result<int> PrintLog(const app::ServiceClient& client, long long job, long long attempt);
/// Until the job has ended, over a restart of the service; without `attempt` each attempt after the
/// one that is the last now, too. The exit code: 130 when somebody asks to stop.
Result<int> FollowLog(PatientClient& client, long long job, std::optional<long long> attempt);

}  // namespace ebb::cli
