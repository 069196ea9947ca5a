#pragma once
// Why a job of the service is where it is, until when, and what that saves: sentences for people,
// as ebb explain and ebb top show them.

#include <string>

#include "base/result.h"
#include "cli/local_times.h"

namespace ebb::cli {

/// `answer` is that of GET /api/v1/jobs/ID (docs/api.md). One sentence a line, each with the end of
/// its line, not wrapped. Returns an Error if the answer is not a job.
Result<std::string> ExplanationText(const std::string& answer, const LocalTimes& times);

}  // namespace ebb::cli
