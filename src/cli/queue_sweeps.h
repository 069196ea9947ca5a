#pragma once
// The sweeps of the queue service, for `ebb queue` and `ebb cancel`. A sweep is known by its name
// (the newest of that name) or its number.

#include <string>

#include "base/result.h"
#include "cli/service_flags.h"

namespace ebb::cli {

/// Prints all sweeps, the newest first. Returns the exit code.
Result<int> PrintSweeps(const ServiceFlags& flags);
/// Prints the experiments of a sweep, ranked by loss or as `rank_by` says.
Result<int> PrintSweep(const ServiceFlags& flags, const std::string& sweep,
                       const std::string& rank_by);
/// Ends the experiments that have not ended.
Result<int> CancelSweep(const ServiceFlags& flags, const std::string& sweep);

}  // namespace ebb::cli
