#include "report/draw/time_frame.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "report/draw/svg_elements.h"
#include "report/draw/svg_plot.h"

namespace ebb::report {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

Duration TickStep(Duration window) {
  constexpr std::array<minutes, 12> kSteps{{minutes(1), minutes(5), minutes(15), minutes(30),
                                            hours(1), hours(3), hours(6), hours(12), hours(24),
                                            hours(48), hours(168), hours(720)}};
  for (const minutes step : kSteps)
    if (window / step <= 10) return step;
  return window / 8;
}

// One sample as a step of the curve; values that were not measured are dashed.
std::string DrawSample(const TimeFrame& frame, const core::Sample& sample,
                       const core::Sample* before) {
  const double x1 = frame.X(sample.interval.begin), x2 = frame.X(sample.interval.end);
  const double y = frame.Y(sample.intensity.g_per_kwh);
  const double zero = frame.Y(0);
  std::string svg = "<rect class=\"area\" x=\"" + SvgNumber(x1) + "\" y=\"" + SvgNumber(y) +
                    "\" width=\"" + SvgNumber(x2 - x1) + "\" height=\"" + SvgNumber(zero - y) +
                    "\"/>";
  const bool joins = before && before->interval.end == sample.interval.begin;
  if (joins) svg += SvgLine({x1, frame.Y(before->intensity.g_per_kwh)}, {x1, y}, "curve");
  const bool measured = sample.status == core::SampleStatus::kMeasured;
  svg += SvgLine({x1, y}, {x2, y}, measured ? "curve" : "curve dashed");
  svg += "<rect class=\"hit\" x=\"" + SvgNumber(x1) + "\" y=\"" + SvgNumber(TimeFrame::kTop) +
         "\" width=\"" + SvgNumber(x2 - x1) + "\" height=\"" + SvgNumber(frame.curve_height) +
         "\"><title>" + FormatTime(sample.interval.begin) + ": " +
         FormatFixed(sample.intensity.g_per_kwh, 0) + " g/kWh, " +
         std::string(core::Name(sample.status)) + "</title></rect>";
  return svg;
}

}  // namespace

double TimeFrame::X(Time time) const {
  const double share = static_cast<double>((time - window.begin).count()) /
                       static_cast<double>(window.length().count());
  return kLeft + std::clamp(share, 0.0, 1.0) * (kWidth - kLeft - kRight);
}

double HighestOf(const core::IntensitySeries& series, Interval window) {
  double highest = 0;
  const core::IntensitySeries shown = series.Slice(window);
  for (const core::Sample& sample : shown.samples())
    highest = std::max(highest, sample.intensity.g_per_kwh);
  return highest;
}

std::string DrawTimeAxis(const TimeFrame& frame, double bottom) {
  const Duration step = TickStep(frame.window.length());
  const auto first = (frame.window.begin.time_since_epoch() + step - Duration{1}) / step;
  std::string svg, last_date;
  for (Time tick{first * step}; tick <= frame.window.end; tick += step) {
    const double x = frame.X(tick);
    const std::string date = FormatTime(tick).substr(0, 10);
    svg += SvgLine({x, TimeFrame::kTop}, {x, bottom}, "grid");
    svg += SvgText({x, bottom + 18}, "middle", FormatClock(tick));
    if (date != last_date) svg += SvgText({x, bottom + 34}, "middle", date);
    last_date = date;
  }
  // The first label is centred on the left end of the axis, so half of it reaches further left.
  constexpr double kHalfLabel = 36;
  return svg + SvgText({TimeFrame::kLeft - kHalfLabel, bottom + 18}, "end", "grid time, UTC");
}

std::string DrawValueAxis(const TimeFrame& frame) {
  std::string svg;
  for (const double tick : NiceTicks(0, frame.highest, 5)) {
    svg += SvgLine({TimeFrame::kLeft, frame.Y(tick)},
                   {TimeFrame::kWidth - TimeFrame::kRight, frame.Y(tick)}, "grid");
    svg += SvgText({TimeFrame::kLeft - 12, frame.Y(tick) + 4}, "end", FormatFixed(tick, 0));
  }
  return svg + SvgText({TimeFrame::kLeft - 12, TimeFrame::kTop - 12}, "end", "g/kWh");
}

std::string DrawCurve(const TimeFrame& frame, const core::IntensitySeries& signal) {
  std::string svg;
  const core::IntensitySeries shown = signal.Slice(frame.window);
  const core::Sample* before = nullptr;
  for (const core::Sample& sample : shown.samples()) {
    // A sliver of a sample at the edge of the window would show only as a jump.
    if (frame.X(sample.interval.end) - frame.X(sample.interval.begin) < 2 &&
        shown.samples().size() > 2)
      continue;
    svg += DrawSample(frame, sample, before);
    before = &sample;
  }
  return svg;
}

// The end of a long name, as far as it fits left of the plot: runs of one group differ at the end.
std::string ShortLaneName(const std::string& name) {
  constexpr std::size_t kFits = 22;
  if (name.size() <= kFits) return name;
  std::size_t begin = name.size() - kFits + 1;
  while (begin < name.size() && (name[begin] & 0xC0) == 0x80) ++begin;
  return "\u2026" + name.substr(begin);
}

}  // namespace ebb::report
