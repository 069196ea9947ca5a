#pragma once
// Reads the measurements of a job's supervisors (attempt-N.energy in its folder). The
// program can write to these files as well, so each line is looked at as the service does
// (local/reading_check.h): what that does not believe was written by somebody else.

#include <filesystem>
#include <string>

#include "audit/findings.h"

namespace ebb::audit {

/// Looks at the files of all attempts in the folder and names what is not believed, and whose it is
/// ("job 7"). How many files there are.
std::int64_t CheckEnergyFiles(const std::filesystem::path& folder, const std::string& whose,
                              Check& check);

}  // namespace ebb::audit
