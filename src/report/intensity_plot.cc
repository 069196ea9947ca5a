// The intensity of the grid over time with the runs of a comparison on it.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "report/svg_plot.h"

namespace ebb::report {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr double kWidth = 1000, kLeft = 170, kRight = 22, kTop = 26, kCurveHeight = 240;
constexpr double kLaneHeight = 24, kTimeHeight = 44, kShortestBar = 7;

std::string Num(double value) { return FormatFixed(value, 1); }

struct Frame {
  Interval window;
  double highest = 1;

  double X(Time time) const {
    const double share = static_cast<double>((time - window.begin).count()) /
                         static_cast<double>(window.length().count());
    return kLeft + std::clamp(share, 0.0, 1.0) * (kWidth - kLeft - kRight);
  }
  double Y(double g_per_kwh) const { return kTop + kCurveHeight * (1 - g_per_kwh / highest); }
};

std::string Line(double x1, double y1, double x2, double y2, const char* css_class) {
  return "<line class=\"" + std::string(css_class) + "\" x1=\"" + Num(x1) + "\" y1=\"" + Num(y1) +
         "\" x2=\"" + Num(x2) + "\" y2=\"" + Num(y2) + "\"/>";
}
std::string Text(double x, double y, const char* anchor, const std::string& text,
                 const char* css_class = "tick") {
  return "<text class=\"" + std::string(css_class) + "\" x=\"" + Num(x) + "\" y=\"" + Num(y) +
         "\" text-anchor=\"" + anchor + "\">" + EscapeHtml(text) + "</text>";
}
std::string Circle(double x, double y, double radius, const char* css_class,
                   const std::string& title) {
  return "<circle class=\"" + std::string(css_class) + "\" cx=\"" + Num(x) + "\" cy=\"" + Num(y) +
         "\" r=\"" + Num(radius) + "\"><title>" + EscapeHtml(title) + "</title></circle>";
}

double Highest(const IntensityPlot& plot) {
  double highest = plot.threshold_g_per_kwh.value_or(1);
  for (const auto& signal : plot.signals) {
    const core::IntensitySeries shown = signal.Slice(plot.window);
    for (const core::Sample& sample : shown.samples())
      highest = std::max(highest, sample.intensity.g_per_kwh);
  }
  return highest * 1.06;
}

Duration TickStep(Duration window) {
  constexpr std::array<minutes, 12> kSteps{{minutes(1), minutes(5), minutes(15), minutes(30),
                                            hours(1), hours(3), hours(6), hours(12), hours(24),
                                            hours(48), hours(168), hours(720)}};
  for (const minutes step : kSteps)
    if (window / step <= 10) return step;
  return window / 8;
}

std::string DrawTimeAxis(const Frame& frame, double bottom) {
  const Duration step = TickStep(frame.window.length());
  const auto first = (frame.window.begin.time_since_epoch() + step - Duration{1}) / step;
  std::string svg, last_date;
  for (Time tick{first * step}; tick <= frame.window.end; tick += step) {
    const double x = frame.X(tick);
    const std::string date = FormatTime(tick).substr(0, 10);
    svg += Line(x, kTop, x, bottom, "grid");
    svg += Text(x, bottom + 18, "middle", FormatClock(tick));
    if (date != last_date) svg += Text(x, bottom + 34, "middle", date);
    last_date = date;
  }
  return svg + Text(kLeft - 12, bottom + 18, "end", "grid time, UTC");
}

std::string DrawValueAxis(const Frame& frame) {
  std::string svg;
  for (const double tick : NiceTicks(0, frame.highest, 5)) {
    svg += Line(kLeft, frame.Y(tick), kWidth - kRight, frame.Y(tick), "grid");
    svg += Text(kLeft - 12, frame.Y(tick) + 4, "end", FormatFixed(tick, 0));
  }
  return svg + Text(kLeft - 12, kTop - 12, "end", "g/kWh");
}

// One sample as a step of the curve; values that were not measured are dashed.
std::string DrawSample(const Frame& frame, const core::Sample& sample, const core::Sample* before) {
  const double x1 = frame.X(sample.interval.begin), x2 = frame.X(sample.interval.end);
  const double y = frame.Y(sample.intensity.g_per_kwh);
  const double zero = frame.Y(0);
  std::string svg = "<rect class=\"area\" x=\"" + Num(x1) + "\" y=\"" + Num(y) + "\" width=\"" +
                    Num(x2 - x1) + "\" height=\"" + Num(zero - y) + "\"/>";
  const bool joins = before && before->interval.end == sample.interval.begin;
  if (joins) svg += Line(x1, frame.Y(before->intensity.g_per_kwh), x1, y, "curve");
  const bool measured = sample.status == core::SampleStatus::kMeasured;
  svg += Line(x1, y, x2, y, measured ? "curve" : "curve dashed");
  svg += "<rect class=\"hit\" x=\"" + Num(x1) + "\" y=\"" + Num(kTop) + "\" width=\"" +
         Num(x2 - x1) + "\" height=\"" + Num(kCurveHeight) + "\"><title>" +
         FormatTime(sample.interval.begin) + ": " + FormatFixed(sample.intensity.g_per_kwh, 0) +
         " g/kWh, " + std::string(core::Name(sample.status)) + "</title></rect>";
  return svg;
}

std::string DrawCurve(const Frame& frame, const core::IntensitySeries& signal) {
  std::string svg;
  const core::IntensitySeries shown = signal.Slice(frame.window);
  const core::Sample* before = nullptr;
  for (const core::Sample& sample : shown.samples()) {
    // A sliver of a sample at the edge of the window would only draw its jump.
    if (frame.X(sample.interval.end) - frame.X(sample.interval.begin) < 2 &&
        shown.samples().size() > 2)
      continue;
    svg += DrawSample(frame, sample, before);
    before = &sample;
  }
  return svg;
}

const core::Sample* SampleAt(const IntensityPlot& plot, Time time) {
  for (const auto& signal : plot.signals)
    if (const core::Sample* sample = signal.At(time)) return sample;
  return nullptr;
}

std::string LaneTitle(const RunLane& lane) {
  std::string title = lane.name + ": submitted " + FormatTime(lane.submitted);
  if (!lane.ran) return title + ", never started";
  return title + ", ran " + FormatTime(lane.ran->begin) + " to " + FormatTime(lane.ran->end);
}

// The moments of submission on the curve, each once however many runs share it.
std::string DrawSubmissions(const Frame& frame, const IntensityPlot& plot) {
  std::string svg;
  std::vector<Time> drawn;
  for (const RunLane& lane : plot.lanes) {
    const core::Sample* sample = SampleAt(plot, lane.submitted);
    if (!sample || std::find(drawn.begin(), drawn.end(), lane.submitted) != drawn.end()) continue;
    drawn.push_back(lane.submitted);
    svg += Circle(frame.X(lane.submitted), frame.Y(sample->intensity.g_per_kwh), 9, "hollow",
                  "submitted " + FormatTime(lane.submitted));
  }
  return svg;
}

std::string DrawStart(const Frame& frame, const IntensityPlot& plot, const RunLane& lane) {
  const core::Sample* sample = lane.ran ? SampleAt(plot, lane.ran->begin) : nullptr;
  if (!sample) return "";
  return "<g class=\"c" + std::to_string(lane.color % kSeriesColors) + "\">" +
         Circle(frame.X(lane.ran->begin), frame.Y(sample->intensity.g_per_kwh), 5.5, "dot",
                LaneTitle(lane)) +
         "</g>";
}

// What fits left of the plot: the end of a long name, which tells runs of a group apart.
std::string ShortName(const std::string& name) {
  constexpr std::size_t kFits = 22;
  if (name.size() <= kFits) return name;
  std::size_t begin = name.size() - kFits + 1;
  while (begin < name.size() && (name[begin] & 0xC0) == 0x80) ++begin;
  return "\u2026" + name.substr(begin);
}

std::string DrawLane(const Frame& frame, const RunLane& lane, double y) {
  const double submitted = frame.X(lane.submitted);
  std::string svg = Text(kLeft - 12, y + 4, "end", ShortName(lane.name), "label");
  svg += "<g class=\"c" + std::to_string(lane.color % kSeriesColors) + "\">";
  const double end = frame.X(lane.ran ? lane.ran->begin : frame.window.end);
  svg += Line(submitted, y, end, y, "waiting");
  // Behind the bar, so that a run at submission shows both.
  svg += Circle(submitted, y, 6, "ring", LaneTitle(lane));
  if (lane.ran) {
    const double width = std::max(kShortestBar, frame.X(lane.ran->end) - end);
    svg += "<rect class=\"bar\" x=\"" + Num(end) + "\" y=\"" + Num(y - 7) + "\" width=\"" +
           Num(width) + "\" height=\"14\" rx=\"3\"><title>" + EscapeHtml(LaneTitle(lane)) +
           "</title></rect>";
  }
  svg += "</g>";
  if (lane.ran && end - submitted > 130)
    svg += "<g>" +
           Text((submitted + end) / 2, y - 5, "middle",
                "waited " + FormatDuration(lane.ran->begin - lane.submitted)) +
           "</g>";
  return svg;
}

}  // namespace

std::string DrawIntensityPlot(const IntensityPlot& plot) {
  const Frame frame{plot.window, Highest(plot)};
  const double lanes_top = kTop + kCurveHeight + 22;
  const double bottom = lanes_top + kLaneHeight * static_cast<double>(plot.lanes.size());
  std::string svg = "<svg class=\"wide\" viewBox=\"0 0 " + Num(kWidth) + " " +
                    Num(bottom + kTimeHeight) + "\" role=\"img\" aria-label=\"" +
                    EscapeHtml(plot.description) + "\">";
  svg += DrawTimeAxis(frame, bottom) + DrawValueAxis(frame);
  for (const auto& signal : plot.signals) svg += DrawCurve(frame, signal);
  if (plot.threshold_g_per_kwh) {
    const double y = frame.Y(*plot.threshold_g_per_kwh);
    svg += Line(kLeft, y, kWidth - kRight, y, "threshold") +
           Text(kWidth - kRight, y - 6, "end",
                "threshold " + FormatSignificant(*plot.threshold_g_per_kwh, 3));
  }
  svg += DrawSubmissions(frame, plot);
  for (const RunLane& lane : plot.lanes) svg += DrawStart(frame, plot, lane);
  double y = lanes_top + kLaneHeight / 2;
  for (const RunLane& lane : plot.lanes) {
    svg += DrawLane(frame, lane, y);
    y += kLaneHeight;
  }
  return svg + "</svg>";
}

}  // namespace ebb::report
