#pragma once
// One function that turns signal options into a feed, and a line for people that says what the feed
// is. The only place that knows all providers.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "runtime/signal_feed.h"
#include "signals/provider.h"
#include "signals/signal_options.h"

namespace ebb::signals {

/// Whether making a feed waits for the first answer of a live source.
enum class FirstAnswer {
  kAwaited,
  kBeside,  ///< nothing is decided by it: it comes while something else goes on. A chain is awaited
};

/// Reads the trace or checks the zone at once; a live source is asked at once, and its first answer
/// waited for, at most some seconds, and no longer than until `interrupted` says so.
Result<std::unique_ptr<runtime::SignalFeed>> MakeFeed(
    const SignalOptions& options, HttpGetFunction http_get = platform::HttpGet,
    std::function<bool()> interrupted = {}, FirstAnswer first_answer = FirstAnswer::kAwaited);

/// What the sources of `options` have published by `now` (wall time) for intervals that are over,
/// asked for anew: not what a cache knew before a revision. Of a chain's sources the first that has
/// a value for a moment; an Error where none of them answers. Blocks as long as they are asked.
Result<core::IntensitySeries> AskSettled(const SignalOptions& options, Interval interval, Time now,
                                         const HttpGetFunction& http_get = platform::HttpGet);

/// An Error when `interval` is not inside what a replayed feed covers: "the trace covers A..B".
/// Always fine for live and generated feeds.
Status CheckCoverage(const runtime::SignalFeed& feed, Interval interval);

/// "US-CAL-CISO, average, life cycle: replay of US-CAL-CISO_2023.csv".
std::string Describe(const core::SignalIdentity& identity);

}  // namespace ebb::signals
