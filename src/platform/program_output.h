#pragma once
// What a helper program prints: of an exec plugin, say. Its errors go where ours go.

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::platform {

/// Runs the program, looked up in PATH, with `environment` added to ours, and waits for its end. An
/// Error: it cannot be started, prints more than `limit_bytes`, does not end with 0, or takes
/// longer than `patience`; then it is killed. Where another thread reaps children, how it ended may
/// not be known: then what it printed counts.
Result<std::string> OutputOf(const std::vector<std::string>& command,
                             const std::vector<std::pair<std::string, std::string>>& environment,
                             Duration patience = Duration{30'000},
                             std::size_t limit_bytes = 1 << 20);

}  // namespace ebb::platform
