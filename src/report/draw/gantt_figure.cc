#include "report/draw/gantt_figure.h"

#include <algorithm>

#include "base/text.h"
#include "core/jobs/widths.h"
#include "report/draw/gantt_plot.h"
#include "report/draw/page_parts.h"
#include "report/draw/svg_elements.h"
#include "report/draw/svg_plot.h"

namespace ebb::report {
namespace {

constexpr std::size_t kMostBars = 4000;

int ColorOf(const core::Job& job, const std::vector<std::string>& tiers) {
  return static_cast<int>(std::find(tiers.begin(), tiers.end(), job.tier) - tiers.begin());
}

std::string TitleOf(const core::Job& job, const std::vector<plan::Segment>& segments) {
  std::string title = job.name;
  if (!job.tier.empty()) title += ", " + job.tier;
  title += ": submitted " + FormatTime(job.submitted);
  for (const plan::Segment& segment : segments) {
    title += "; ran " + FormatTime(segment.time.begin) + " to " + FormatTime(segment.time.end);
    if (core::IsElastic(job))
      title += " on " + core::DevicesText(core::WidthFrom(job, segment.devices));
  }
  if (job.start_by) title += "; latest start " + FormatTime(*job.start_by);
  if (job.finish_by) title += "; latest end " + FormatTime(*job.finish_by);
  return title;
}

GanttPlot PlotOf(const GanttFigure& figure) {
  GanttPlot plot;
  plot.window = figure.window;
  plot.truth = figure.truth;
  plot.forecast = figure.forecast;
  plot.lanes = LanesOf(*figure.cluster).names;
  plot.bars = PlaceBars(*figure.cluster, *figure.jobs, figure.segments);
  plot.description = figure.title +
                     ": which job runs on which device when, over the carbon "
                     "intensity of the grid";
  const std::vector<std::string> tiers = TiersOf(*figure.jobs);
  for (std::size_t i = 0; i < figure.jobs->size(); ++i) {
    const core::Job& job = (*figure.jobs)[i];
    plot.jobs.push_back({job.name, TitleOf(job, figure.segments[i]), ColorOf(job, tiers)});
  }
  return plot;
}

}  // namespace

std::vector<std::string> TiersOf(const std::vector<core::Job>& jobs) {
  std::vector<std::string> tiers;
  for (const core::Job& job : jobs)
    if (std::find(tiers.begin(), tiers.end(), job.tier) == tiers.end()) tiers.push_back(job.tier);
  return tiers;
}

std::string TierLegend(const std::vector<core::Job>& jobs) {
  const std::vector<std::string> tiers = TiersOf(jobs);
  if (tiers.size() < 2) return "";
  std::string html = "<ul class=\"legend\">";
  for (std::size_t i = 0; i < tiers.size(); ++i)
    html += "<li class=\"" + SvgColorClass(static_cast<int>(i)) + "\"><i></i>" +
            EscapeHtml(tiers[i].empty() ? "no tier" : "tier " + tiers[i]) + "</li>";
  return html + "</ul>";
}

std::string GanttFigureHtml(const GanttFigure& figure) {
  GanttPlot plot = PlotOf(figure);
  std::vector<std::string> left_out;
  if (plot.lanes.size() > kMostGanttLanes)
    left_out.push_back("the first " + std::to_string(kMostGanttLanes) + " of " +
                       std::to_string(plot.lanes.size()) + " devices are drawn");
  if (plot.bars.size() > kMostBars) {
    left_out.push_back("the first " + std::to_string(kMostBars) + " of " +
                       std::to_string(plot.bars.size()) + " bars are drawn");
    plot.bars.resize(kMostBars);
  }
  std::string html = "<figure class=\"card\"><figcaption><b>" + EscapeHtml(figure.title) + "</b>" +
                     EscapeHtml(figure.caption) +
                     "</figcaption><div class=\"scroll\" "
                     "tabindex=\"0\">" +
                     DrawGantt(plot) + "</div>";
  for (const std::string& text : left_out) html += "<p class=\"soft\">" + EscapeHtml(text) + "</p>";
  return html + "</figure>";
}

}  // namespace ebb::report
