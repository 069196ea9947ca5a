#pragma once
// Turns options into live sources of operators' forecasts and of day-ahead prices.

#include <vector>

#include "signals/feeds/live_feed.h"
#include "signals/signal_options.h"

namespace ebb::signals {

/// Empty if the options name no such service. Errors: no area is known for the zone, a token is
/// missing, a server's address is not valid, or the library that reads the answers is not
/// installed. The token of ENTSO-E comes from the environment variable ENTSOE_API_KEY, or from the
/// place in the user's settings (SignalOptions::entsoe_secret).
Result<std::vector<LiveMarketParts>> MarketsOf(const SignalOptions& options,
                                               const std::string& cache_directory);

/// An Error if the options name services that the sources of `options` do not use.
Status CheckMarketUse(const SignalOptions& options);

}  // namespace ebb::signals
