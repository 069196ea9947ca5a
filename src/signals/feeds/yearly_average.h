#pragma once
// The yearly mean of a country, for machines without network and without a trace. It is modelled
// and has no hours, so it serves to account for energy, not to decide when to run. Never chosen by
// itself: the user names it.

#include <memory>
#include <string>

#include "runtime/signal_feed.h"

namespace ebb::signals {

/// `place`: a zone ("DE", "US-CAL-CISO": its country), a country's two- or three-letter code, or
/// its name. An Error, with a suggestion, if the place is unknown or has no published mean.
Result<std::unique_ptr<runtime::SignalFeed>> MakeYearlyAverageFeed(const std::string& place);

}  // namespace ebb::signals
