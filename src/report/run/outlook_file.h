#pragma once
// outlook.json of a run that could not wait: the hours since it began as known at its end, and the
// expected hours after that. had_it_waited.h computes from it how much waiting would have saved.
// Layout: docs/run-directory.md.

#include <filesystem>
#include <optional>

#include "core/signal/intensity.h"

namespace ebb::report {

inline constexpr const char* kOutlookFile = "outlook.json";

/// Writes the values from `begin` on.
Status WriteOutlook(const std::filesystem::path& run_directory, const core::SignalView& view,
                    Time begin);
/// Returns nothing if there is no outlook, or if it is not in our format (`ebb audit` reports
/// that).
std::optional<core::SignalView> ReadOutlook(const std::filesystem::path& run_directory);

}  // namespace ebb::report
