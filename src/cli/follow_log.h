#pragma once
// What a job prints, from the service to standard output.

#include <optional>

#include "cli/patient_client.h"

namespace ebb::cli {

/// As far as it has printed; attempt 0: the last one. The exit code.
Result<int> PrintLog(const app::ServiceClient& client, long long job, long long attempt);
/// Until the job has ended, over a restart of the service; without `attempt` each attempt after the
/// one that is the last now, too. The exit code: 130 when somebody asks to stop.
Result<int> FollowLog(PatientClient& client, long long job, std::optional<long long> attempt);

}  // namespace ebb::cli
