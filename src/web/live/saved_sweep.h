#pragma once
// Collects the answers that the page needs to show one sweep, for a saved page (saved_page.h).

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "report/sweep/sweep_report.h"

namespace ebb::web {

/// The number of points that the page wants of each experiment's losses.
inline constexpr std::size_t kSavedCurvePoints = 200;

/// Adds the report, and the losses of the experiments whose curves the page draws. The sweep and
/// its experiments must have numbers. `losses_of`: the service's answer about a job's losses; "" is
/// left out.
void SaveSweep(const report::SweepReport& report,
               const std::function<std::string(core::JobId)>& losses_of,
               std::map<std::string, std::string>& answers);

/// A page with only this sweep. Its experiments need no numbers. `progress_of`: the file to which
/// the program of an experiment writes its losses.
std::string SavedSweepPage(
    report::SweepReport report,
    const std::function<std::filesystem::path(const report::SweepRow&)>& progress_of);

}  // namespace ebb::web
