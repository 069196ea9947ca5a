#pragma once
// Runs a helper program to its end and reads what it prints, for example an exec plugin or a
// command of Slurm.

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::platform {

/// How a program ended that ran to its end.
struct ProgramEnd {
  int exit_code = 0;   ///< 128 + n if signal n ended it
  std::string output;  ///< its standard output
  std::string errors;  ///< its standard error, at most the first 64 KiB
};

/// Runs the program, looked up in PATH, with `environment` added to that of this process, and waits
/// for its end, whatever its exit code is. Fails if the program cannot be started, prints more than
/// `limit_bytes`, or takes longer than `patience`, and then kills it.
Result<ProgramEnd> RunToEnd(const std::vector<std::string>& command,
                            const std::vector<std::pair<std::string, std::string>>& environment,
                            Duration patience = Duration{30'000},
                            std::size_t limit_bytes = 1 << 20);

/// Like RunToEnd, but the program's standard error is that of this process. Fails if the program
/// cannot be started, prints more than `limit_bytes`, does not end with 0, or takes longer than
/// `patience`. If another thread reaped the child, its exit code is unknown and the output is
/// returned.
Result<std::string> OutputOf(const std::vector<std::string>& command,
                             const std::vector<std::pair<std::string, std::string>>& environment,
                             Duration patience = Duration{30'000},
                             std::size_t limit_bytes = 1 << 20);

}  // namespace ebb::platform
