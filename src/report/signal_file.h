#pragma once
// signal.csv: the settled intensity samples of a run in the columns of the traces that Ebb replays,
// with the end of each interval and its status. Times are UTC; values read back exactly. What the
// samples have in common (zone, kind, boundary, source) is in run.json.

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/intensity.h"

namespace ebb::report {

std::string FormatSignal(const core::IntensitySeries& signal);
/// `file` is for messages.
Result<core::IntensitySeries> ParseSignal(std::string_view text, core::SignalIdentity identity,
                                          const std::string& file);

}  // namespace ebb::report
