#pragma once
// Text for a terminal about a drain of the service (GET /api/v1/drain).

#include <string>
#include <string_view>

#include "cli/local_times.h"

namespace ebb::cli {

/// Lines about that answer; empty if the service does not drain.
std::string DrainLines(std::string_view answer, const LocalTimes& times);

}  // namespace ebb::cli
