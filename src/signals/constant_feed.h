#pragma once
// One intensity for all time, past and future; modelled, and named so. For tests, for countries of
// which only a yearly mean is known, and for a signal that should not matter.

#include <memory>
#include <string>

#include "runtime/signal_feed.h"

namespace ebb::signals {

/// `value` must be finite and not negative; `zone` is a label.
Result<std::unique_ptr<runtime::SignalFeed>> MakeConstantFeed(Intensity value, std::string zone);

}  // namespace ebb::signals
