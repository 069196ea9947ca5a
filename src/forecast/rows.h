#pragma once
// The intervals a forecast has a value for, and how values become a series. Pure.

#include <cstddef>
#include <span>
#include <vector>

#include "core/intensity.h"

namespace ebb::forecast {

/// The samples of a history that begin by `now`.
std::span<const core::Sample> KnownBy(const core::IntensitySeries& history, Time now);

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
