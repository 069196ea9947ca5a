#pragma once
// The intervals for which a forecast has a value, and series made of such values. Pure.

#include <cstddef>
#include <span>
#include <vector>

#include "core/signal/intensity.h"
#include "core/signal/publication.h"

namespace ebb::forecast {

/// The samples of a history that were published by `now`; without `publication`, those that begin
/// by then.
std::span<const core::Sample> KnownBy(
    const core::IntensitySeries& history, Time now,
    const core::Publication& publication = core::Publication::AtBegin());

/// The moment at which exactly `known` would be known if values were known as they begin: `now`, or
/// the begin of the latest published interval.
Time AsOf(std::span<const core::Sample> known, Time now, const core::Publication& publication);

/// The usual length of the latest samples; one hour for an empty history.
Duration StepOf(std::span<const core::Sample> known);

/// The rows of a forecast, on the grid of steps that begins with the history. They reach from its
/// end (or `now`) to the end of the horizon; the first and the last are cut.
std::vector<Interval> RowsAhead(std::span<const core::Sample> known, Time now, Duration horizon);

/// A series of forecast values, one per interval, never negative.
core::IntensitySeries ForecastSeries(const core::SignalIdentity& identity,
                                     std::span<const Interval> rows,
                                     std::span<const double> g_per_kwh);

}  // namespace ebb::forecast
