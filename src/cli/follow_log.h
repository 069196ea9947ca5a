#pragma once
// Prints the output of a job from the service to standard output.

#include <optional>

#include "cli/patient_client.h"

namespace ebb::cli {

/// Prints the output so far; attempt 0 is the last one. Returns the exit code.
Result<int> PrintLog(const app::ServiceClient& client, long long job, long long attempt);
/// Prints until the job has ended, over restarts of the service. Without `attempt` it starts with
/// the present last attempt and prints later ones, too. Returns the exit code: 130 if somebody asks
/// to stop.
Result<int> FollowLog(PatientClient& client, long long job, std::optional<long long> attempt);

}  // namespace ebb::cli
