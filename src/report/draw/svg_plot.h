#pragma once
// Plots as inline SVG text for the saved page: no script, colours from the page's style sheet (the
// classes c0..c7 set the colour of a series), a title on every element that can be pointed at, and
// a description for screen readers. All functions here escape the text they are given.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "core/signal/intensity.h"

namespace ebb::report {

inline constexpr int kSeriesColors = 8;

/// Escapes text for HTML content and for attribute values in double quotes.
std::string EscapeHtml(std::string_view text);

/// Round values that cover [low, high], about `count` of them.
std::vector<double> NiceTicks(double low, double high, int count);

struct PlotPoint {
  double x = 0, y = 0;
  std::string title;  ///< shown when pointed at
};
struct PlotSeries {
  std::string name;
  int color = 0;
  std::vector<PlotPoint> line;  ///< joined, with a dot each
  std::vector<PlotPoint> dots;  ///< single observations, pale
};
struct LinePlot {
  std::string title, description, x_label;
  std::vector<PlotSeries> series;
  std::function<std::string(double)> format_y;
  bool y_from_zero = true;
};
/// A plot half a page wide, with whole numbers on the x axis.
std::string DrawLinePlot(const LinePlot& plot);

struct Bar {
  std::string name, value_text;
  double value = 0;
  int color = 0;
  std::vector<double> dots;  ///< single observations
};
std::string DrawBars(const std::string& description, const std::vector<Bar>& bars);

/// A dot with its interval on an axis from -limit to +limit percent, for a table cell; an arrow
/// where the interval leaves the axis. `color_class` is "better", "worse" or "unclear".
struct IntervalMark {
  double value = 0, low = 0, high = 0;
  std::string color_class, title;
};
std::string DrawInterval(const IntervalMark& mark, double limit);
std::string DrawIntervalAxis(double limit);

/// A run on the time axis: when it was submitted and when it ran.
struct RunLane {
  std::string name;
  int color = 0;
  Time submitted{};
  std::optional<Interval> ran;
};
struct IntensityPlot {
  Interval window;
  std::vector<core::IntensitySeries> signals;
  std::vector<RunLane> lanes;
  std::optional<double> threshold_g_per_kwh;
  std::string description;
};
/// Intensity over grid time; below it one lane per run, whose marks stay visible however short the
/// run was.
std::string DrawIntensityPlot(const IntensityPlot& plot);

}  // namespace ebb::report
