#pragma once
// The values that a decision may use from a live source at one moment, or from a trace that is
// replayed with its lag, even if the source has not answered for a while. In this order: the
// published value; the provider's own forecast, if it was issued since the last published interval
// began; the last value, up to an age; an older forecast, the provider's or Ebb's from history, up
// to an age; nothing, and then a gate waits until its latest start. Each stand-in is marked
// (estimated, forecast), never taken for a reading. Pure.

#include <optional>
#include <string>

#include "core/signal/intensity.h"
#include "runtime/signal_feed.h"
#include "signals/feeds/outage_rules.h"

namespace ebb::signals {

/// The length of the past that an observation carries.
inline constexpr Duration kKnownHistory{std::chrono::days{15}};

/// Everything known of a live source; immutable once it is shared between threads.
struct LiveSnapshot {
  core::SignalIdentity identity;
  core::IntensitySeries known;  ///< as published, measured before estimated
  core::Forecast forecast;      ///< the provider's rows, then Ebb's own from history
  Time provided_until{};        ///< end of the rows that are the provider's own,
  Time provider_issued{};       ///< and their issue time
  std::string origin;           ///< "answered", "cached on disk", "" before the first answer
  std::optional<Time> asked_at, answered_at;
  std::optional<Error> failure;           ///< error of the latest question
  std::optional<Error> forecast_failure;  ///< values come, but the provider's forecast does not
  Time next_question{};
};

using runtime::Freshness;

/// The state, with a text such as "fresh (answered 12s ago); if it stops: last value up to 1h, then
/// forecast up to 1d, then wait".
runtime::SignalState StateAt(const LiveSnapshot& snapshot, Time now, const OutageRules& rules);

/// An Error if nothing may stand in for the missing value: it says why, and what was tried.
Result<core::SignalView> ViewAt(const LiveSnapshot& snapshot, Time now, const OutageRules& rules);

/// Published values over an interval, and after the last of them the same stand-ins.
core::IntensitySeries BelievedOver(const LiveSnapshot& snapshot, Interval interval,
                                   const OutageRules& rules);

/// Only values published for intervals that were over when the source last answered.
core::IntensitySeries SettledOver(const LiveSnapshot& snapshot, Interval interval);

}  // namespace ebb::signals
