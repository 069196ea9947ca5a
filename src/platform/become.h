#pragma once
// This process becomes another program (exec): same process number, same terminal, same signals
// to come.

#include <string>
#include <vector>

#include "base/result.h"

namespace ebb::platform {

/// Returns only if the program cannot be executed. argv[0] is searched in PATH.
Error Become(const std::vector<std::string>& argv);

}  // namespace ebb::platform
