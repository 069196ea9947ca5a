#pragma once
// Reads the report of a sweep from its directory (sweep_paths.h describes the directory).

#include <filesystem>

#include "base/result.h"
#include "report/sweep/sweep_report.h"

namespace ebb::app {

Result<report::SweepReport> ReadSweepReport(const std::filesystem::path& directory);

/// The report as one HTML file: the page of the service with this sweep alone.
std::string SweepPage(const std::filesystem::path& directory, const report::SweepReport& report);

}  // namespace ebb::app
