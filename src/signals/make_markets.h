#pragma once
// Turns options into live sources of what operators expect and of day-ahead prices.

#include <vector>

#include "signals/feeds/live_feed.h"
#include "signals/signal_options.h"

namespace ebb::signals {

/// None where the options name none. An Error where no area is known for the zone, a token is
/// missing, a server's address is none, or what reads its answers is not installed. The token of
/// ENTSO-E comes from the environment variable ENTSOE_API_KEY, or from where the user's settings
/// say (SignalOptions::entsoe_secret).
Result<std::vector<LiveMarketParts>> MarketsOf(const SignalOptions& options,
                                               const std::string& cache_directory);

/// An Error where the options name services that the sources of `options` have no use for.
Status CheckMarketUse(const SignalOptions& options);

}  // namespace ebb::signals
