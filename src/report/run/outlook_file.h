#pragma once
// outlook.json: of a run that could not wait, what was known at its end of the hours since it
// began, and what was expected of those after. What waiting would have brought is computed from it
// (had_it_waited.h). Layout: docs/run-directory.md.

#include <filesystem>
#include <optional>

#include "core/intensity.h"

namespace ebb::report {

inline constexpr const char* kOutlookFile = "outlook.json";

/// Values from `begin` on.
Status WriteOutlook(const std::filesystem::path& run_directory, const core::SignalView& view,
                    Time begin);
/// Nothing where there is none, or it is not one of ours (`ebb audit` says so).
std::optional<core::SignalView> ReadOutlook(const std::filesystem::path& run_directory);

}  // namespace ebb::report
