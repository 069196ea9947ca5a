#pragma once
// One function that turns signal options into a feed, and a line for people that says what the feed
// is. The only place that knows all providers.

#include <memory>
#include <string>

#include "base/result.h"
#include "runtime/signal_feed.h"
#include "signals/http_json_feed.h"
#include "signals/signal_options.h"

namespace ebb::signals {

/// Reads the trace or checks the zone at once; a live address is first asked by Observe.
Result<std::unique_ptr<runtime::SignalFeed>> MakeFeed(const SignalOptions& options,
                                                      HttpGetFunction http_get = platform::HttpGet);

/// An Error when `interval` is not inside what a replayed feed covers: "the trace covers A..B".
/// Always fine for live and generated feeds.
Status CheckCoverage(const runtime::SignalFeed& feed, Interval interval);

/// "US-CAL-CISO, average, life cycle: replay of US-CAL-CISO_2023.csv".
std::string Describe(const core::SignalIdentity& identity);

}  // namespace ebb::signals
