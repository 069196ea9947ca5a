#pragma once
// Reads the measurements of a job's supervisors (attempt-N.energy in its folder). The program can
// write to these files as well, so each line is checked as the service checks it
// (local/readings/reading_check.h): a line that fails the check was written by somebody else.

#include <filesystem>
#include <string>

#include "audit/evidence/findings.h"

namespace ebb::audit {

/// Checks the files of all attempts in the folder and returns their number. Differences name the
/// line and its owner, `whose` ("job 7").
std::int64_t CheckEnergyFiles(const std::filesystem::path& folder, const std::string& whose,
                              Check& check);

}  // namespace ebb::audit
