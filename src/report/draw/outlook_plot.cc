#include "report/draw/outlook_plot.h"

#include <algorithm>

#include "base/text.h"
#include "report/draw/svg_elements.h"
#include "report/draw/svg_plot.h"
#include "report/draw/time_frame.h"

namespace ebb::report {
namespace {

using core::Sample;

constexpr double kTitleHeight = 34, kLegendHeight = 34, kMargin = 20;

// The style is light in every theme of the viewer, because the file is shown in slides and issues.
constexpr const char* kStyle = R"css(
text{font:12px system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:#5b616b}
text.title{font-size:15px;font-weight:600;fill:#16181c}
text.mark{fill:#0f7b53;font-weight:600}
.page{fill:#fff}.grid{stroke:#e3e5e8}
.curve{stroke:#4b5563;stroke-width:1.8}.dashed{stroke-dasharray:4 3}
.area{fill:#eef0f3}.hit{fill:transparent}
.expected{fill:none;stroke:#2a6fd0;stroke-width:2;stroke-dasharray:5 3}
.band{fill:#2a6fd0;opacity:.16}
.window{fill:#1a9a72;opacity:.18}
.now{stroke:#d9622b;stroke-width:1.6}
)css";

// The text, cut to the room that it has. The file's title and the titles of figures have it in
// full.
std::string Cut(const std::string& text, std::size_t characters) {
  if (text.size() <= characters) return text;
  return text.substr(0, characters - 1) + "\u2026";
}

// A step curve as an SVG path; a gap begins a new piece.
std::string StepPath(const TimeFrame& frame, const core::IntensitySeries& series) {
  std::string path;
  const Sample* before = nullptr;
  for (const Sample& sample : series.samples()) {
    const std::string y = SvgNumber(frame.Y(sample.intensity.g_per_kwh));
    const bool joins = before && before->interval.end == sample.interval.begin;
    path += (joins ? "L" : "M") + SvgNumber(frame.X(sample.interval.begin)) + " " + y + "L" +
            SvgNumber(frame.X(sample.interval.end)) + " " + y;
    before = &sample;
  }
  return path;
}

// Fills the area between the two quantiles with one rectangle per sample: both have the same
// intervals.
std::string DrawBand(const TimeFrame& frame, const core::Forecast& forecast) {
  std::string svg;
  const core::IntensitySeries low = forecast.p10.Slice(frame.window);
  const core::IntensitySeries high = forecast.p90.Slice(frame.window);
  for (const Sample& upper : high.samples()) {
    const Sample* lower = low.At(upper.interval.begin);
    if (!lower) continue;
    const double x = frame.X(upper.interval.begin), y = frame.Y(upper.intensity.g_per_kwh);
    svg += SvgRect(
        {x, y, frame.X(upper.interval.end) - x, frame.Y(lower->intensity.g_per_kwh) - y}, "band",
        FormatTime(upper.interval.begin) + ": " + FormatFixed(lower->intensity.g_per_kwh, 0) +
            " to " + FormatFixed(upper.intensity.g_per_kwh, 0) + " g/kWh in 8 of 10 cases");
  }
  return svg;
}

std::string DrawWindows(const TimeFrame& frame, const OutlookPlot& plot) {
  std::string svg;
  for (std::size_t i = 0; i < plot.marked.size(); ++i) {
    const Interval& window = plot.marked[i];
    const auto mean = plot.view.Mean(window);
    const double x = frame.X(window.begin), width = frame.X(window.end) - x;
    const std::string value = mean ? FormatFixed(mean->intensity.g_per_kwh, 0) : "";
    svg += SvgRect({x, TimeFrame::kTop, width, frame.curve_height}, "window",
                   "cleanest window " + std::to_string(i + 1) + ": from " +
                       FormatTime(window.begin) + ", " + value + " g/kWh on average") +
           SvgText({x + width / 2, TimeFrame::kTop - 8}, "middle", std::to_string(i + 1), "mark");
  }
  return svg;
}

std::string DrawLegend(const OutlookPlot& plot, double y) {
  struct Entry {
    std::string sample, name;
  };
  const auto line = [&](const char* css) { return SvgLine({0, y - 4}, {26, y - 4}, css); };
  const auto box = [&](const char* css) { return SvgRect({0, y - 11, 26, 14}, css); };
  std::vector<Entry> entries{{line("curve"), "published"}, {line("curve dashed"), "not measured"}};
  if (!plot.view.forecast.series.empty())
    entries.push_back({line("expected"), "forecast: " + Cut(plot.view.forecast.method, 34)});
  if (!plot.view.forecast.p90.empty()) entries.push_back({box("band"), "P10 to P90"});
  entries.push_back({line("now"), "now"});
  if (!plot.marked.empty()) entries.push_back({box("window"), "cleanest windows"});
  std::string svg;
  double x = kMargin;
  for (const Entry& entry : entries) {
    svg += "<g transform=\"translate(" + SvgNumber(x) + ",0)\">" + entry.sample +
           SvgText({34, y}, "start", entry.name) + "</g>";
    x += 58 + 6.2 * static_cast<double>(entry.name.size());
  }
  return svg;
}

}  // namespace

std::string DrawOutlook(const OutlookPlot& plot) {
  TimeFrame frame;
  frame.window = plot.window;
  const core::Forecast& forecast = plot.view.forecast;
  const core::IntensitySeries ahead = forecast.series.Slice(plot.window);
  double highest = 1;
  for (const auto* series : {&plot.view.known, &forecast.series, &forecast.p90})
    highest = std::max(highest, HighestOf(*series, plot.window));
  frame.highest = highest * 1.06;
  const double bottom = TimeFrame::kTop + frame.curve_height;
  const double height = kTitleHeight + bottom + TimeFrame::kTimeHeight + kLegendHeight;
  const std::string size = SvgNumber(TimeFrame::kWidth) + " " + SvgNumber(height);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size +
                    "\" width=\"" + SvgNumber(TimeFrame::kWidth) + "\" height=\"" +
                    SvgNumber(height) + "\" role=\"img\"><title>" + EscapeHtml(plot.title) +
                    "</title><style>" + kStyle + "</style>" +
                    SvgRect({0, 0, TimeFrame::kWidth, height}, "page");
  svg += SvgText({kMargin, 24}, "start", Cut(plot.title, 105), "title");
  svg += "<g transform=\"translate(0," + SvgNumber(kTitleHeight) + ")\">";
  svg += DrawTimeAxis(frame, bottom) + DrawValueAxis(frame) + DrawWindows(frame, plot);
  svg += DrawCurve(frame, plot.view.known) + DrawBand(frame, forecast);
  if (!ahead.empty()) svg += "<path class=\"expected\" d=\"" + StepPath(frame, ahead) + "\"/>";
  const double now = frame.X(plot.view.now);
  svg += SvgLine({now, TimeFrame::kTop}, {now, bottom}, "now");
  svg += DrawLegend(plot, bottom + TimeFrame::kTimeHeight + 18);
  return svg + "</g></svg>\n";
}

}  // namespace ebb::report
