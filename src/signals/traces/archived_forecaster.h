#pragma once
// The forecasts that were published with a trace, as they could have been had at a moment: of all
// values for an hour that had been issued by then, the one issued last. Pure.

#include <memory>
#include <optional>

#include "forecast/forecaster.h"
#include "signals/traces/trace_csv.h"

namespace ebb::signals {

/// Whether any forecast column of the trace says when it was issued.
bool HasArchive(const Trace& trace);

/// `trace` must outlive it; the history it is asked about must be the trace's own series. Rows
/// begin where what was published by then ends.
std::unique_ptr<forecast::Forecaster> MakeArchivedForecaster(const Trace& trace,
                                                             const core::Publication& publication);

/// A value for `target` and when it was issued: the latest by `now`.
struct ArchivedValue {
  core::Sample sample;
  Time issued{};
};
std::optional<ArchivedValue> ArchivedAt(const Trace& trace, Time target, Time now);

}  // namespace ebb::signals
