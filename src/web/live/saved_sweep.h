#pragma once
// What the page asks for to show one sweep, for a page that is saved (saved_page.h).

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "report/sweep/sweep_report.h"

namespace ebb::web {

/// How many points the page wants of each experiment's losses.
inline constexpr std::size_t kSavedCurvePoints = 200;

/// Adds the report and the losses of those experiments whose curves the page draws. The sweep and
/// its experiments have numbers. `losses_of`: what the service answers of a job's losses; "" is
/// left out.
void SaveSweep(const report::SweepReport& report,
               const std::function<std::string(core::JobId)>& losses_of,
               std::map<std::string, std::string>& answers);

/// A page with nothing but this sweep. Its experiments need no numbers; `progress_of` has the file
/// in which the program of an experiment tells its losses.
std::string SavedSweepPage(
    report::SweepReport report,
    const std::function<std::filesystem::path(const report::SweepRow&)>& progress_of);

}  // namespace ebb::web
