// The intensity of the grid over time with the runs of a comparison on it.
#include <algorithm>

#include "base/text.h"
#include "report/draw/svg_elements.h"
#include "report/draw/svg_plot.h"
#include "report/draw/time_frame.h"

namespace ebb::report {
namespace {

constexpr double kLaneHeight = 24, kShortestBar = 7;

double Highest(const IntensityPlot& plot) {
  double highest = plot.threshold_g_per_kwh.value_or(1);
  for (const auto& signal : plot.signals)
    highest = std::max(highest, HighestOf(signal, plot.window));
  return highest * 1.06;
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

// Marks the moments of submission on the curve, each once even if several runs share it.
std::string DrawSubmissions(const TimeFrame& frame, const IntensityPlot& plot) {
  std::string svg;
  std::vector<Time> drawn;
  for (const RunLane& lane : plot.lanes) {
    const core::Sample* sample = SampleAt(plot, lane.submitted);
    if (!sample || std::find(drawn.begin(), drawn.end(), lane.submitted) != drawn.end()) continue;
    drawn.push_back(lane.submitted);
    svg += SvgCircle({frame.X(lane.submitted), frame.Y(sample->intensity.g_per_kwh)}, 9, "hollow",
                     "submitted " + FormatTime(lane.submitted));
  }
  return svg;
}

std::string DrawStart(const TimeFrame& frame, const IntensityPlot& plot, const RunLane& lane) {
  const core::Sample* sample = lane.ran ? SampleAt(plot, lane.ran->begin) : nullptr;
  if (!sample) return "";
  return "<g class=\"" + SvgColorClass(lane.color) + "\">" +
         SvgCircle({frame.X(lane.ran->begin), frame.Y(sample->intensity.g_per_kwh)}, 5.5, "dot",
                   LaneTitle(lane)) +
         "</g>";
}

std::string DrawLane(const TimeFrame& frame, const RunLane& lane, double y) {
  const double submitted = frame.X(lane.submitted);
  std::string svg =
      SvgText({TimeFrame::kLeft - 12, y + 4}, "end", ShortLaneName(lane.name), "label");
  svg += "<g class=\"" + SvgColorClass(lane.color) + "\">";
  const double end = frame.X(lane.ran ? lane.ran->begin : frame.window.end);
  svg += SvgLine({submitted, y}, {end, y}, "waiting");
  // The ring is drawn behind the bar, so that both are visible for a run that began at submission.
  svg += SvgCircle({submitted, y}, 6, "ring", LaneTitle(lane));
  if (lane.ran) {
    const double width = std::max(kShortestBar, frame.X(lane.ran->end) - end);
    svg += "<rect class=\"bar\" x=\"" + SvgNumber(end) + "\" y=\"" + SvgNumber(y - 7) +
           "\" width=\"" + SvgNumber(width) + "\" height=\"14\" rx=\"3\"><title>" +
           EscapeHtml(LaneTitle(lane)) + "</title></rect>";
  }
  svg += "</g>";
  if (lane.ran && end - submitted > 130)
    svg += "<g>" +
           SvgText({(submitted + end) / 2, y - 5}, "middle",
                   "waited " + FormatDuration(lane.ran->begin - lane.submitted)) +
           "</g>";
  return svg;
}

}  // namespace

std::string DrawIntensityPlot(const IntensityPlot& plot) {
  TimeFrame frame;
  frame.window = plot.window;
  frame.highest = Highest(plot);
  const double lanes_top = TimeFrame::kTop + frame.curve_height + 22;
  const double bottom = lanes_top + kLaneHeight * static_cast<double>(plot.lanes.size());
  std::string svg =
      OpenSvg({TimeFrame::kWidth, bottom + TimeFrame::kTimeHeight}, plot.description, "wide");
  svg += DrawTimeAxis(frame, bottom) + DrawValueAxis(frame);
  for (const auto& signal : plot.signals) svg += DrawCurve(frame, signal);
  if (plot.threshold_g_per_kwh) {
    const double y = frame.Y(*plot.threshold_g_per_kwh);
    svg += SvgLine({TimeFrame::kLeft, y}, {TimeFrame::kWidth - TimeFrame::kRight, y}, "threshold") +
           SvgText({TimeFrame::kWidth - TimeFrame::kRight, y - 6}, "end",
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
