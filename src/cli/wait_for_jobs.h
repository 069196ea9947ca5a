#pragma once
// Waits for jobs of the queue service: ebb wait, ebb submit --wait.

#include <vector>

#include "cli/patient_client.h"

namespace ebb::cli {

/// Waits until all jobs have ended, over restarts of the service. Reports on standard error how
/// each ended, or with `json` prints the service's answer. Returns the exit code of the first job
/// that did not succeed, 1 if that has none, and 130 if somebody asks to stop, which leaves the
/// jobs alone.
Result<int> WaitForJobs(PatientClient& client, const std::vector<long long>& jobs, bool json);

}  // namespace ebb::cli
