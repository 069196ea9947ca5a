#pragma once
// The intervals a forecast has a value for, and how values become a series. Pure.

#include <cstddef>
#include <span>
#include <vector>

#include "core/intensity.h"
#include "core/publication.h"

namespace ebb::forecast {

/// The samples of a history that were published by `now`; without a rule those that begin by then.
std::span<const core::Sample> KnownBy(
    const core::IntensitySeries& history, Time now,
    const core::Publication& publication = core::Publication::AtBegin());

/// The moment at which somebody to whom values are known as they begin would know just `known`:
/// `now`, or when the latest published interval began.
Time AsOf(std::span<const core::Sample> known, Time now, const core::Publication& publication);

/// The usual length of the latest samples; an hour for an empty history.
Duration StepOf(std::span<const core::Sample> known);

/// On the grid of steps that begins with the history, from where it ends (or `now`) up to the end
/// of the horizon; the first and the last are cut.
std::vector<Interval> RowsAhead(std::span<const core::Sample> known, Time now, Duration horizon);

/// A series of forecast values, one per interval, never negative.
core::IntensitySeries ForecastSeries(const core::SignalIdentity& identity,
                                     std::span<const Interval> rows,
                                     std::span<const double> g_per_kwh);

}  // namespace ebb::forecast
