#include "report/draw/svg_plot.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/draw/svg_elements.h"

namespace ebb::report {
namespace {

// Maps values of an axis to pixels.
struct Scale {
  double low = 0, high = 1, from = 0, to = 1;
  double operator()(double value) const {
    return from + (value - low) / (high - low) * (to - from);
  }
};

struct Range {
  double low = 0, high = 0;
  bool empty = true;
  void Add(double value) {
    if (!std::isfinite(value)) return;
    low = empty ? value : std::min(low, value);
    high = empty ? value : std::max(high, value);
    empty = false;
  }
};

// The half-page plot.
constexpr double kWidth = 480, kHeight = 270;
constexpr double kLeft = 64, kRight = 14, kTop = 12, kBottom = 42;

void AddToRanges(const std::vector<PlotPoint>& points, Range& x, Range& y) {
  for (const PlotPoint& point : points) {
    x.Add(point.x);
    y.Add(point.y);
  }
}

Scale VerticalScale(Range range, bool from_zero) {
  if (from_zero) range.Add(0);
  if (range.high == range.low) range.high += range.high == 0 ? 1 : std::fabs(range.high) * 0.1;
  const double margin = (range.high - range.low) * 0.06;
  return {from_zero ? range.low : range.low - margin, range.high + margin, kHeight - kBottom, kTop};
}

Scale HorizontalScale(Range range) {
  const double margin = range.high == range.low ? 0.5 : (range.high - range.low) * 0.05;
  return {range.low - margin, range.high + margin, kLeft, kWidth - kRight};
}

std::string DrawFrame(const LinePlot& plot, const Range& x_range, const Scale& x, const Scale& y) {
  std::string svg;
  for (const double tick : NiceTicks(y.low, y.high, 5)) {
    svg += SvgLine({kLeft, y(tick)}, {kWidth - kRight, y(tick)}, "grid");
    svg += SvgText({kLeft - 8, y(tick) + 4}, "end", plot.format_y(tick));
  }
  for (const double tick : NiceTicks(x_range.low, x_range.high, 8)) {
    if (tick != std::floor(tick) || tick < x_range.low || tick > x_range.high) continue;
    svg += SvgText({x(tick), kHeight - kBottom + 18}, "middle", SvgNumber(tick));
  }
  svg += SvgLine({kLeft, kHeight - kBottom}, {kWidth - kRight, kHeight - kBottom}, "axis");
  svg += SvgText({(kLeft + kWidth - kRight) / 2, kHeight - 6}, "middle", plot.x_label);
  return svg;
}

std::string DrawSeries(const PlotSeries& series, const Scale& x, const Scale& y) {
  std::string svg = "<g class=\"" + SvgColorClass(series.color) + "\">";
  for (const PlotPoint& point : series.dots)
    if (std::isfinite(point.y)) svg += SvgCircle({x(point.x), y(point.y)}, 3, "pale", point.title);
  std::string path;
  for (const PlotPoint& point : series.line)
    if (std::isfinite(point.y))
      path += (path.empty() ? "M" : "L") + SvgNumber(x(point.x)) + " " + SvgNumber(y(point.y));
  if (!path.empty()) svg += "<path class=\"line\" d=\"" + path + "\"/>";
  for (const PlotPoint& point : series.line)
    if (std::isfinite(point.y)) svg += SvgCircle({x(point.x), y(point.y)}, 4.5, "dot", point.title);
  return svg + "</g>";
}

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        // Control characters are not allowed in HTML.
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') escaped += c;
    }
  }
  return escaped;
}

std::vector<double> NiceTicks(double low, double high, int count) {
  if (!(high > low) || count < 1) return {low};
  const double raw = (high - low) / count;
  const double magnitude = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * magnitude;
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * magnitude >= raw * 0.999) {
      step = factor * magnitude;
      break;
    }
  }
  std::vector<double> ticks;
  for (double index = std::ceil(low / step - 1e-9); index * step <= high + step * 1e-9; ++index)
    ticks.push_back(index * step + 0.0);  // + 0.0: no negative zero
  return ticks;
}

std::string DrawLinePlot(const LinePlot& plot) {
  Range x_range, y_range;
  for (const PlotSeries& series : plot.series) {
    AddToRanges(series.line, x_range, y_range);
    AddToRanges(series.dots, x_range, y_range);
  }
  const Scale x = HorizontalScale(x_range);
  const Scale y = VerticalScale(y_range, plot.y_from_zero);
  std::string svg = OpenSvg({kWidth, kHeight}, plot.title + ". " + plot.description, "half");
  svg += DrawFrame(plot, x_range, x, y);
  for (const PlotSeries& series : plot.series) svg += DrawSeries(series, x, y);
  return svg + "</svg>";
}

std::string DrawBars(const std::string& description, const std::vector<Bar>& bars) {
  constexpr double kRow = 44, kBarLeft = 14, kBarRight = 100;
  double largest = 0;
  for (const Bar& bar : bars) {
    largest = std::max(largest, bar.value);
    for (const double dot : bar.dots) largest = std::max(largest, dot);
  }
  const Scale x{0, largest > 0 ? largest : 1, kBarLeft, kWidth - kBarRight};
  std::string svg =
      OpenSvg({kWidth, 10 + kRow * static_cast<double>(bars.size())}, description, "half");
  double top = 8;
  for (const Bar& bar : bars) {
    svg += SvgText({kBarLeft, top + 12}, "start", bar.name, "label");
    svg += "<g class=\"" + SvgColorClass(bar.color) + "\"><rect class=\"bar\" x=\"" +
           SvgNumber(kBarLeft) + "\" y=\"" + SvgNumber(top + 18) + "\" width=\"" +
           SvgNumber(std::max(1.0, x(bar.value) - kBarLeft)) + "\" height=\"16\" rx=\"2\">" +
           SvgTitle(bar.name + ": " + bar.value_text) + "</rect>";
    for (const double dot : bar.dots) svg += SvgCircle({x(dot), top + 26}, 3, "ring");
    svg += "</g>" + SvgText({x(bar.value) + 10, top + 31}, "start", bar.value_text, "label");
    top += kRow;
  }
  return svg + "</svg>";
}

namespace {

constexpr double kMarkWidth = 220, kMarkHeight = 26;

Scale MarkScale(double limit) { return {-limit, limit, 12, kMarkWidth - 12}; }

}  // namespace

std::string DrawInterval(const IntervalMark& mark, double limit) {
  const Scale x = MarkScale(limit);
  const auto clamp = [&](double value) { return x(std::clamp(value, -limit, limit)); };
  const double y = kMarkHeight / 2;
  std::string svg = OpenSvg({kMarkWidth, kMarkHeight}, mark.title, "mark");
  svg += "<g class=\"" + EscapeHtml(mark.color_class) + "\">" + SvgTitle(mark.title);
  svg += SvgLine({x(0), 0}, {x(0), kMarkHeight}, "zero");
  svg += SvgLine({clamp(mark.low), y}, {clamp(mark.high), y}, "interval");
  for (const double end : {mark.low, mark.high})
    if (std::fabs(end) <= limit && mark.high > mark.low)
      svg += SvgLine({x(end), y - 4}, {x(end), y + 4}, "interval");
  if (std::fabs(mark.value) <= limit) {
    svg += SvgCircle({x(mark.value), y}, 5, "dot");
  } else {
    const double tip = clamp(mark.value), back = mark.value > 0 ? -9 : 9;
    svg += "<path class=\"dot\" d=\"M" + SvgNumber(tip) + " " + SvgNumber(y) + "l" +
           SvgNumber(back) + " -6v12z\"/>";
  }
  return svg + "</g></svg>";
}

std::string DrawIntervalAxis(double limit) {
  const Scale x = MarkScale(limit);
  std::string svg = OpenSvg({kMarkWidth, 20}, "axis in percent", "mark");
  for (const double tick : {-limit, 0.0, limit}) {
    const std::string text = (tick > 0   ? "+"
                              : tick < 0 ? "\u2212"
                                         : "") +
                             FormatSignificant(std::fabs(tick), 2) + " %";
    const std::string anchor = tick == -limit ? "start" : tick == limit ? "end" : "middle";
    const double at = tick == -limit ? 0 : tick == limit ? kMarkWidth : x(tick);
    svg += SvgText({at, 14}, anchor, text);
  }
  return svg + "</svg>";
}

}  // namespace ebb::report
