#pragma once
// What `ebb` without a command says: what to do next.

#include <string>

namespace ebb::cli {

/// Without settings: how to begin. Otherwise the commands of the day, and whether a service runs.
std::string NextStep();

}  // namespace ebb::cli
