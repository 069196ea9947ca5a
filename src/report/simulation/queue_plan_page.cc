#include "report/simulation/queue_plan_page.h"

#include <algorithm>

#include "base/text.h"
#include "base/units_text.h"
#include "core/jobs/widths.h"
#include "report/draw/gantt_figure.h"
#include "report/draw/page_parts.h"
#include "report/draw/svg_plot.h"
#include "report/simulation/cost_table.h"

namespace ebb::report {
namespace {

// The places of the pieces, each once, in the order of their first piece.
std::string Places(const sim::QueuePlan& plan, const sim::PlannedJob& planned) {
  std::vector<std::string> places;
  for (const plan::Segment& segment : planned.segments) {
    const std::string& model = plan.cluster.pools[static_cast<std::size_t>(segment.pool)].model;
    const std::string place = plan.cluster.sites.size() == 1
                                  ? model
                                  : plan.cluster.SiteOf(segment.pool).name + ", " + model;
    if (std::ranges::find(places, place) == places.end()) places.push_back(place);
  }
  return Join(places, "; ");
}

// The places, and the numbers of devices of an elastic job, piece by piece.
std::string Device(const sim::QueuePlan& plan, const sim::PlannedJob& planned) {
  if (planned.segments.empty()) return "";
  const std::string text = Places(plan, planned);
  if (!core::IsElastic(planned.job)) return text;
  std::vector<int> widths;
  for (const plan::Segment& segment : planned.segments)
    widths.push_back(core::WidthFrom(planned.job, segment.devices));
  return text + ": " + core::WidthsText(widths);
}

std::string Start(const sim::PlannedJob& planned) {
  if (planned.starts_now) return "now";
  if (planned.segments.empty()) return "unknown";
  std::string text = FormatTime(planned.segments.front().time.begin).substr(0, 16);
  text[10] = ' ';
  return text;
}

std::string AgainstNow(const sim::PlannedJob& planned) {
  if (!planned.expected || !planned.at_once || planned.at_once->grams <= 0) return "-";
  return SignedPercentText(100 * (planned.expected->grams / planned.at_once->grams - 1));
}

}  // namespace

TextTable QueuePlanTable(const sim::QueuePlan& plan) {
  TextTable table{{"job", "start", "device", "pieces", "expected", "against now", "why"}, {}, true};
  for (const sim::PlannedJob& planned : plan.jobs) {
    if (!planned.refused.empty()) {
      table.rows.push_back({planned.job.name, "refused", "", "", "", "", planned.refused});
      continue;
    }
    table.rows.push_back({planned.job.name, Start(planned), Device(plan, planned),
                          std::to_string(planned.segments.size()),
                          planned.expected ? EmissionsText(*planned.expected) : "unknown",
                          AgainstNow(planned), planned.reason});
  }
  return table;
}

std::string QueuePlanSentence(const sim::QueuePlan& plan) {
  if (!plan.expected || !plan.at_once) return "the forecast does not reach over the whole plan";
  const double now = plan.at_once->grams;
  std::string text = "expected " + EmissionsText(*plan.expected);
  if (now > 0)
    text += ", " + ChangeText(100 * (plan.expected->grams / now - 1)) +
            " than if every job could start now";
  if (plan.lower_bound)
    text += "; no schedule under this forecast emits less than " + EmissionsText(*plan.lower_bound);
  return text;
}

std::vector<std::vector<plan::Segment>> SegmentsOf(const sim::QueuePlan& plan) {
  std::vector<std::vector<plan::Segment>> segments;
  for (const sim::PlannedJob& planned : plan.jobs) segments.push_back(planned.segments);
  return segments;
}

std::vector<core::Job> JobsOf(const sim::QueuePlan& plan) {
  std::vector<core::Job> jobs;
  for (const sim::PlannedJob& planned : plan.jobs) jobs.push_back(planned.job);
  return jobs;
}

std::string QueuePlanPage(const sim::QueuePlan& plan) {
  const std::vector<core::Job> jobs = JobsOf(plan);
  const core::SignalView& view = plan.views.front();
  const Interval span = plan.span();
  const Duration margin = std::max<Duration>(std::chrono::minutes{30}, span.length() / 40);
  const std::string& method = view.forecast.method;
  const GanttFigure figure{.title = "Plan",
                           .caption = ": dashed line: " + (method.empty() ? "no forecast" : method),
                           .cluster = &plan.cluster,
                           .jobs = &jobs,
                           .segments = SegmentsOf(plan),
                           .truth = &view.known,
                           .forecast = &view.forecast.series,
                           .window = {span.begin - margin, span.end + margin}};
  const std::string body =
      Element("h1", "Plan at " + FormatTime(plan.at)) + "<p class=\"lead\">" +
      EscapeHtml(QueuePlanSentence(plan)) + ".</p>" + Element("p", QueuePlanCostSentence(plan)) +
      Element("p", "Policy: " + plan.policy + ". Nothing was started.") + TierLegend(jobs) +
      GanttFigureHtml(figure) + "<h2>Jobs</h2>" + TableCard(QueuePlanTable(plan));
  return HtmlPage("Ebb: plan at " + FormatTime(plan.at), body);
}

}  // namespace ebb::report
