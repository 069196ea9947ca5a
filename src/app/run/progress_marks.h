#pragma once
// A training program's reports of progress, as the search for a power limit reads them
// (local/power/power_control.h).

#include <filesystem>
#include <functional>
#include <vector>

#include "local/power/cap_window.h"

namespace ebb::app {

/// Returns, at each call, the steps that the program in this run directory has reported since the
/// last one. Begins at the present end of its progress file.
std::function<std::vector<local::ProgressMark>()> ProgressMarksIn(
    const std::filesystem::path& run_directory);

}  // namespace ebb::app
