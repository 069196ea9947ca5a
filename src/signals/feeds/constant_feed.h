#pragma once
// A feed with one intensity for all time, past and future; modelled, and named so. For tests, for a
// zone with a known mean only (yearly_average.h), and for runs in which the signal should not
// matter.

#include <memory>
#include <string>

#include "runtime/signal_feed.h"

namespace ebb::signals {

/// `value` must be finite and not negative; `zone` is a label.
Result<std::unique_ptr<runtime::SignalFeed>> MakeConstantFeed(
    Intensity value, std::string zone, core::SignalKind kind = core::SignalKind::kAverage);
/// The same with the full identity of the value.
Result<std::unique_ptr<runtime::SignalFeed>> MakeConstantFeed(Intensity value,
                                                              core::SignalIdentity identity);

}  // namespace ebb::signals
