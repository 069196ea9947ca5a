#pragma once
// Commands of people to single jobs of the queue service: pause, resume, now, cancel.

#include <functional>
#include <string>
#include <vector>

#include "cli/service_flags.h"

namespace ebb::cli {

/// Prints the result line for each word. A failure is reported on standard error and the other
/// words are still handled, unless the service does not answer. The exit code is that of the first
/// failure.
int DoForEach(const std::vector<std::string>& words,
              const std::function<Result<std::string>(const std::string& word)>& line_of);

/// Sends `what` ("pause", "resume", "now", "cancel") to one job, a number or a name. Returns the
/// line to print: what that means for the job, or the service's answer.
Result<std::string> TellJob(const app::ServiceClient& client, const std::string& word,
                            const std::string& what, bool as_json = false);

/// Sends `what` to each of the jobs (numbers or names), and prints a line for each, as DoForEach
/// does.
Result<int> TellJobs(const ServiceFlags& flags, const std::vector<std::string>& jobs,
                     const std::string& what);

}  // namespace ebb::cli
