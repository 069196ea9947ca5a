#pragma once
// Reads the output of a helper program, for example of an exec plugin. Its standard error is that
// of this process.

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::platform {

/// Runs the program, looked up in PATH, with `environment` added to that of this process, and waits
/// for its end. Fails if the program cannot be started, prints more than `limit_bytes`, does not
/// end with 0, or takes longer than `patience`, and then kills it. If another thread reaped the
/// child, its exit code is unknown and the output is returned.
Result<std::string> OutputOf(const std::vector<std::string>& command,
                             const std::vector<std::pair<std::string, std::string>>& environment,
                             Duration patience = Duration{30'000},
                             std::size_t limit_bytes = 1 << 20);

}  // namespace ebb::platform
