#pragma once
// Turns signal options into a feed, and the feed's identity into a line for people.

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
  kBeside,  ///< the answer comes while something else goes on, and decides nothing yet; a chain is
            ///< awaited
};

/// Reads the trace or checks the zone at once. A live source is asked at once, and its first answer
/// is awaited for some seconds at most; `interrupted` ends that wait by returning true.
Result<std::unique_ptr<runtime::SignalFeed>> MakeFeed(
    const SignalOptions& options, HttpGetFunction http_get = platform::HttpGet,
    std::function<bool()> interrupted = {}, FirstAnswer first_answer = FirstAnswer::kAwaited);

/// Values that the sources of `options` have published by `now` (wall time) for intervals that are
/// over. They are asked for anew, so a revision that a cache missed counts. In a chain, the first
/// source that has a value for a moment wins. An Error if no source answers. Blocks while sources
/// are asked.
Result<core::IntensitySeries> AskSettled(const SignalOptions& options, Interval interval, Time now,
                                         const HttpGetFunction& http_get = platform::HttpGet);

/// An Error when `interval` is not inside what a replayed feed covers: "the trace covers A..B".
/// Always fine for live and generated feeds.
Status CheckCoverage(const runtime::SignalFeed& feed, Interval interval);

/// For people: "US-CAL-CISO, average, life cycle: replay of US-CAL-CISO_2023.csv".
std::string Describe(const core::SignalIdentity& identity);

}  // namespace ebb::signals
