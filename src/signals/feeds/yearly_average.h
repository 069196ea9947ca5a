#pragma once
// The mean of a year of a country, for machines without network and without a trace: it is
// modelled, has no hours, and so is of use to account for energy, not to decide when to run. Never
// chosen by itself: the user names it.

#include <memory>
#include <string>

#include "runtime/signal_feed.h"

namespace ebb::signals {

/// `place`: a zone ("DE", "US-CAL-CISO": its country), a country's two- or three-letter code, or
/// its name. An Error, with a suggestion, for a place that is none or has no published mean.
Result<std::unique_ptr<runtime::SignalFeed>> MakeYearlyAverageFeed(const std::string& place);

}  // namespace ebb::signals
