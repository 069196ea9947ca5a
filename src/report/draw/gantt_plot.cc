#include "report/draw/gantt_plot.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "core/jobs/widths.h"
#include "report/draw/svg_elements.h"
#include "report/draw/svg_plot.h"
#include "report/draw/time_frame.h"

namespace ebb::report {
namespace {

constexpr double kCurveHeight = 150, kLaneHeight = 26, kBarHeight = 18, kNarrowestBar = 2,
                 kCharacterWidth = 6.6;

struct Piece {
  std::size_t job;
  plan::Segment segment;
};

std::vector<Piece> InOrder(const std::vector<std::vector<plan::Segment>>& segments) {
  std::vector<Piece> pieces;
  for (std::size_t job = 0; job < segments.size(); ++job)
    for (const plan::Segment& segment : segments[job]) pieces.push_back({job, segment});
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return a.segment.time.begin < b.segment.time.begin;
  });
  return pieces;
}

// The forecast is a thin line, because the true intensity is drawn as an area.
std::string DrawForecast(const TimeFrame& frame, const core::IntensitySeries& forecast) {
  std::string path;
  Time reached{};
  const core::IntensitySeries shown = forecast.Slice(frame.window);
  for (const core::Sample& sample : shown.samples()) {
    const std::string y = SvgNumber(frame.Y(sample.intensity.g_per_kwh));
    path += (path.empty() || sample.interval.begin != reached ? "M" : "L") +
            SvgNumber(frame.X(sample.interval.begin)) + " " + y + "L" +
            SvgNumber(frame.X(sample.interval.end)) + " " + y;
    reached = sample.interval.end;
  }
  return path.empty() ? "" : "<path class=\"forecast\" d=\"" + path + "\"/>";
}

double LaneY(int lane) { return TimeFrame::kTop + kCurveHeight + 22 + kLaneHeight * (lane + 0.5); }

std::string DrawBar(const TimeFrame& frame, const GanttBar& bar, const GanttJob& job) {
  const double from = frame.X(bar.time.begin);
  const double width = std::max(kNarrowestBar, frame.X(bar.time.end) - from - 1);
  const double y = LaneY(bar.lane);
  std::string svg = "<g class=\"" + SvgColorClass(job.color) + "\">" +
                    SvgRect({from, y - kBarHeight / 2, width, kBarHeight}, "bar", job.title, 2.5);
  if (static_cast<double>(job.name.size()) * kCharacterWidth < width - 4)
    svg += SvgText({from + width / 2, y + 4}, "middle", job.name, "onbar");
  return svg + "</g>";
}

// Links the end of each piece of a job to the beginning of its next piece.
std::string DrawPauses(const TimeFrame& frame, const GanttPlot& plot) {
  std::map<std::size_t, const GanttBar*> before;
  std::string svg;
  for (const GanttBar& bar : plot.bars) {
    const auto [it, first] = before.emplace(bar.job, &bar);
    const GanttBar* last = it->second;
    // A wide job has several bars at a time. The link uses the bar of its first device.
    if (first || last->time == bar.time) continue;
    svg += "<g class=\"" + SvgColorClass(plot.jobs[bar.job].color) + "\">" +
           SvgLine({frame.X(last->time.end), LaneY(last->lane)},
                   {frame.X(bar.time.begin), LaneY(bar.lane)}, "waiting") +
           "</g>";
    it->second = &bar;
  }
  return svg;
}

}  // namespace

DeviceLanes LanesOf(const core::Cluster& cluster) {
  DeviceLanes lanes;
  for (std::size_t pool = 0; pool < cluster.pools.size(); ++pool) {
    const core::DevicePool& devices = cluster.pools[pool];
    const std::string site =
        cluster.sites.size() > 1 ? cluster.SiteOf(static_cast<int>(pool)).name + ", " : "";
    for (int device = 0; device < devices.count; ++device) {
      const std::string number = devices.count > 1 ? " " + std::to_string(device + 1) : "";
      lanes.names.push_back(site + devices.model + number);
      lanes.pools.push_back(static_cast<int>(pool));
    }
  }
  return lanes;
}

std::vector<GanttBar> PlaceBars(const core::Cluster& cluster, const std::vector<core::Job>& jobs,
                                const std::vector<std::vector<plan::Segment>>& segments) {
  const DeviceLanes lanes = LanesOf(cluster);
  std::vector<Time> free_from(lanes.pools.size(), Time::min());
  std::vector<GanttBar> bars;
  for (const Piece& piece : InOrder(segments)) {
    int wanted = core::WidthFrom(jobs[piece.job], piece.segment.devices);
    for (std::size_t lane = 0; lane < lanes.pools.size() && wanted > 0; ++lane) {
      if (lanes.pools[lane] != piece.segment.pool || free_from[lane] > piece.segment.time.begin)
        continue;
      free_from[lane] = piece.segment.time.end;
      bars.push_back({piece.segment.time, piece.job, static_cast<int>(lane)});
      --wanted;
    }
  }
  return bars;
}

std::string DrawGantt(const GanttPlot& plot) {
  const auto lanes = static_cast<int>(std::min(plot.lanes.size(), kMostGanttLanes));
  TimeFrame frame;
  frame.window = plot.window;
  frame.curve_height = kCurveHeight;
  frame.highest = 1.06 * std::max({1.0, HighestOf(*plot.truth, plot.window),
                                   HighestOf(*plot.forecast, plot.window)});
  const double bottom = LaneY(lanes) - kLaneHeight / 2;
  std::string svg =
      OpenSvg({TimeFrame::kWidth, bottom + TimeFrame::kTimeHeight}, plot.description, "wide");
  svg += DrawTimeAxis(frame, bottom) + DrawValueAxis(frame) + DrawCurve(frame, *plot.truth) +
         DrawForecast(frame, *plot.forecast);
  for (int lane = 0; lane < lanes; ++lane)
    svg += SvgText({TimeFrame::kLeft - 12, LaneY(lane) + 4}, "end",
                   ShortLaneName(plot.lanes[static_cast<std::size_t>(lane)]), "label");
  svg += DrawPauses(frame, plot);
  for (const GanttBar& bar : plot.bars)
    if (bar.lane < lanes) svg += DrawBar(frame, bar, plot.jobs[bar.job]);
  return svg + "</svg>";
}

}  // namespace ebb::report
