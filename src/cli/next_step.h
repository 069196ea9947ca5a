#pragma once
// The output of `ebb` without a command: what to do next.

#include <string>

namespace ebb::cli {

/// Without settings, how to begin. Otherwise the most common commands, and whether a service runs.
std::string NextStep();

}  // namespace ebb::cli
