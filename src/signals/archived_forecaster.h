#pragma once
// The forecasts that were published with a trace, as they could have been had at a moment: of all
// values for an hour that had been issued by then, the one issued last. Pure.

#include <memory>

#include "forecast/forecaster.h"
#include "signals/trace_csv.h"

namespace ebb::signals {

/// Whether any forecast column of the trace says when it was issued.
bool HasArchive(const Trace& trace);

/// `trace` must outlive it; the history it is asked about must be the trace's own series.
std::unique_ptr<forecast::Forecaster> MakeArchivedForecaster(const Trace& trace);

}  // namespace ebb::signals
