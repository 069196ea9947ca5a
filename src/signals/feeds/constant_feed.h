#pragma once
// One intensity for all time, past and future; modelled, and named so. For tests, for a mean that
// is all one knows (yearly_average.h), and for a signal that should not matter.

#include <memory>
#include <string>

#include "runtime/signal_feed.h"

namespace ebb::signals {

/// `value` must be finite and not negative; `zone` is a label.
Result<std::unique_ptr<runtime::SignalFeed>> MakeConstantFeed(
    Intensity value, std::string zone, core::SignalKind kind = core::SignalKind::kAverage);
/// The same with all that is known about the value.
Result<std::unique_ptr<runtime::SignalFeed>> MakeConstantFeed(Intensity value,
                                                              core::SignalIdentity identity);

}  // namespace ebb::signals
