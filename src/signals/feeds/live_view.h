#pragma once
// What a decision may believe of a live source at one moment, or of one that is replayed with its
// lag, also when the source has not answered for a while. In this order: the published value; the
// provider's own forecast, where it was given since the last published interval began, so knows as
// much; the last value, up to an age; an older forecast, the provider's or ours from its history,
// up to an age; nothing, and then a gate waits until its latest start. Each stand-in is marked
// (estimated, forecast), never taken for a reading. Pure.

#include <optional>
#include <string>

#include "core/intensity.h"
#include "runtime/signal_feed.h"
#include "signals/feeds/outage_rules.h"

namespace ebb::signals {

/// How much of the past an observation carries.
inline constexpr Duration kKnownHistory{std::chrono::days{15}};

/// Everything known of a live source; immutable once it is shared between threads.
struct LiveSnapshot {
  core::SignalIdentity identity;
  core::IntensitySeries known;  ///< as published, measured before estimated
  core::Forecast forecast;      ///< the provider's, then ours from history where it has none
  Time provided_until{};        ///< its rows up to here are the provider's own,
  Time provider_issued{};       ///< given then
  std::string origin;           ///< "answered", "cached on disk", "" before the first answer
  std::optional<Time> asked_at, answered_at;
  std::optional<Error> failure;           ///< of the latest question
  std::optional<Error> forecast_failure;  ///< values come, the provider's forecast does not
  Time next_question{};
};

using runtime::Freshness;

/// Its text: "fresh (answered 12s ago); if it stops: last value up to 1h, then forecast up to 1d,
/// then wait".
runtime::SignalState StateAt(const LiveSnapshot& snapshot, Time now, const OutageRules& rules);

/// An Error where nothing may stand in for the missing value: why, and what was tried.
Result<core::SignalView> ViewAt(const LiveSnapshot& snapshot, Time now, const OutageRules& rules);

/// Published values over an interval, and after the last of them the same stand-ins.
core::IntensitySeries BelievedOver(const LiveSnapshot& snapshot, Interval interval,
                                   const OutageRules& rules);

/// Only what was published for intervals that were over when the source last answered.
core::IntensitySeries SettledOver(const LiveSnapshot& snapshot, Interval interval);

}  // namespace ebb::signals
