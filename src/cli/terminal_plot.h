#pragma once
// Small drawings for a terminal: a sparkline of one row, and a chart of intensity over hours with
// the cleanest window marked. UTF-8 block characters; no colour, so that a pipe gets the same text.

#include <optional>
#include <span>
#include <string>

#include "base/time.h"
#include "cli/local_times.h"
#include "core/signal/intensity.h"

namespace ebb::cli {

/// The width of a chart on this terminal, with `beside` columns beside it.
std::size_t ChartColumns(std::size_t beside);

/// One character per value, between the lowest and the highest; a blank for a missing value.
std::string Sparkline(std::span<const std::optional<double>> values);

/// Means of `count` equal parts of `window` as a view knows them (known and forecast).
std::vector<std::optional<double>> SampleView(const core::SignalView& view, Interval window,
                                              std::size_t count);

struct ChartOptions {
  std::size_t columns = 72;
  std::size_t rows = 8;
  std::optional<Interval> marked;  ///< drawn under the axis
};
/// Several lines, each ending in a newline.
std::string IntensityChart(const core::SignalView& view, Interval window,
                           const ChartOptions& options, const LocalTimes& times);

}  // namespace ebb::cli
