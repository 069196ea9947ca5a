#pragma once
// What people tell single jobs of the queue service: pause, resume, now, cancel.

#include <string>
#include <vector>

#include "cli/service_flags.h"

namespace ebb::cli {

/// Tells each of the jobs (numbers or names) `what`, and prints a line for each. One that fails is
/// reported on standard error and the others are told all the same, unless the service does not
/// answer; the exit code is that of the first failure.
Result<int> TellJobs(const ServiceFlags& flags, const std::vector<std::string>& jobs,
                     const std::string& what);

}  // namespace ebb::cli
