#pragma once
// Reads what is known of a sweep from its directory (sweep_paths.h says what is in it).

#include <filesystem>

#include "base/result.h"
#include "report/sweep/sweep_report.h"

namespace ebb::app {

Result<report::SweepReport> ReadSweepReport(const std::filesystem::path& directory);

/// The report as one file for a browser: the page of the service with this sweep alone.
std::string SweepPage(const std::filesystem::path& directory, const report::SweepReport& report);

}  // namespace ebb::app
