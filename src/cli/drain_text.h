#pragma once
// What a terminal says of a drain of the service (GET /api/v1/drain).

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/local_times.h"

namespace ebb::cli {

/// Lines; empty while it does not drain.
std::string DrainLines(const nlohmann::ordered_json& drain, const LocalTimes& times);

}  // namespace ebb::cli
