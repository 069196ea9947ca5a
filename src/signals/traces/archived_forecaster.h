#pragma once
// The forecasts that were published with a trace, as they were available at a moment: of all values
// for an hour that had been issued by then, the one issued last. Pure.

#include <memory>
#include <optional>

#include "forecast/forecaster.h"
#include "signals/traces/trace_csv.h"

namespace ebb::signals {

/// Whether any forecast column of the trace states when it was issued.
bool HasArchive(const Trace& trace);

/// A forecaster from those columns. `trace` must outlive it; the history passed to it must be the
/// trace's own series. Rows begin at the end of the values published by then.
std::unique_ptr<forecast::Forecaster> MakeArchivedForecaster(const Trace& trace,
                                                             const core::Publication& publication);

/// The value for `target` that was issued last by `now`, and its issue time.
struct ArchivedValue {
  core::Sample sample;
  Time issued{};
};
std::optional<ArchivedValue> ArchivedAt(const Trace& trace, Time target, Time now);

}  // namespace ebb::signals
