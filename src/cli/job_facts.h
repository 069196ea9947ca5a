#pragma once
// The facts of one job from the service, as lines for people: ebb show.

#include <string>

#include "base/result.h"
#include "cli/local_times.h"

namespace ebb::cli {

/// `answer` is that of GET /api/v1/jobs/ID (docs/api.md). Unknown facts have no line. Returns an
/// Error if the answer is not JSON.
Result<std::string> JobFacts(const std::string& answer, const LocalTimes& times);

}  // namespace ebb::cli
