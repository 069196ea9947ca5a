#pragma once
// Commands of people to single jobs of the queue service: pause, resume, now, cancel.

#include <functional>
#include <string>
#include <vector>

#include "cli/service_flags.h"

namespace ebb::cli {

/// Prints the line that comes of each word. One that fails is reported on standard error and the
/// others are taken all the same, unless the service does not answer; the exit code is that of the
/// first failure.
int DoForEach(const std::vector<std::string>& words,
              const std::function<Result<std::string>(const std::string& word)>& line_of);

/// Tells each of the jobs (numbers or names) `what`, and prints a line for each, as DoForEach
/// does.
Result<int> TellJobs(const ServiceFlags& flags, const std::vector<std::string>& jobs,
                     const std::string& what);

}  // namespace ebb::cli
