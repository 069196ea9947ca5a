#include "report/simulation/simulation_page.h"

#include <algorithm>

#include "base/text.h"
#include "base/units_text.h"
#include "report/draw/gantt_figure.h"
#include "report/draw/page_parts.h"
#include "report/draw/svg_plot.h"
#include "report/simulation/cost_table.h"
#include "report/simulation/place_table.h"
#include "report/simulation/simulation_table.h"

namespace ebb::report {
namespace {

constexpr std::size_t kMostJobsDrawn = 2000;

// A figure has its interval in brackets.
std::string FiguresCard(TextTable table) {
  table.page_breaks.assign(table.headers.size(), " (");
  return TableCard(table);
}

bool KeepsDeadlines(const sim::PolicyFigures& policy) {
  return policy.late_starts + policy.late_ends == 0;
}

// A policy that misses deadlines has not done the job, so it is in the table but not in the
// headline.
std::string Headline(const sim::Comparison& comparison) {
  const sim::PolicyFigures* best = nullptr;
  for (const sim::PolicyFigures& policy : comparison.policies)
    if (policy.saving_percent && KeepsDeadlines(policy) &&
        (!best || policy.saving_percent->value > best->saving_percent->value))
      best = &policy;
  if (!best || !(best->saving_percent->value > 0)) return "";
  std::string text = best->label + " emits " + FormatFixed(best->saving_percent->value, 1) +
                     " % less than running at once";
  if (best->share_captured_percent)
    text += ", " + FormatFixed(best->share_captured_percent->value, 1) +
            " % of what the best schedule in hindsight saves";
  return text + ", and misses no deadline.";
}

std::string Opening(const sim::Experiment& experiment) {
  std::string html = Element("h1", experiment.scenario.name);
  const std::string headline = Headline(experiment.comparison);
  if (!headline.empty()) html += "<p class=\"lead\">" + EscapeHtml(headline) + "</p>";
  if (!experiment.scenario.description.empty())
    html += Element("p", experiment.scenario.description);
  html += Element("p", ExperimentSentence(experiment) + ".");
  std::string notices;
  for (const std::string& sentence : SignalSentences(experiment)) notices += Element("p", sentence);
  for (const std::string& remark : Remarks(experiment)) notices += Element("p", remark);
  return html + "<div class=\"notice\">" + notices + "</div>";
}

std::string PoliciesSection(const sim::Experiment& experiment) {
  std::string html = "<h2>Policies</h2>" + FiguresCard(PolicyTable(experiment));
  if (const TextTable costs = CostTable(experiment); !costs.rows.empty())
    html += "<h2>Cost of electricity</h2>" + FiguresCard(costs) +
            Element("p", PriceSentence(experiment));
  std::string how =
      "Saved: grams below those of running at once, first come first served (run-now), and below "
      "running at once, earliest latest start first (edf), on the same devices. Below a figure its "
      "95 % interval, by bootstrap over start dates. Worse: start dates that emit more than "
      "run-now. Idle: what free devices draw until the last job has ended; with idle: saved, with "
      "that draw on both sides.";
  if (!experiment.comparison.bound_g.empty())
    how +=
        " Share captured: (run-now - policy) / (run-now - best in hindsight), in grams summed "
        "over start dates; " +
        experiment.comparison.bound_method + ".";
  return html + "<p class=\"soft\" style=\"margin-top:10px\">" + EscapeHtml(how) + "</p>";
}

std::string PlacesSection(const sim::Experiment& experiment) {
  const TextTable places = PlaceTable(experiment);
  if (places.rows.empty()) return "";
  return "<h2>What place and time are worth</h2>" + FiguresCard(places) +
         "<p class=\"soft\" style=\"margin-top:10px\">" + EscapeHtml(PlaceSentence() + ".") +
         "</p>";
}

std::string PublishedSection(const sim::Experiment& experiment) {
  if (experiment.published.empty()) return "";
  return "<h2>Published, recomputed, ours</h2>" +
         Element("p", experiment.scenario.published->source) +
         FiguresCard(PublishedTable(experiment));
}

// All charts of a page show the same hours.
Interval CommonWindow(const sim::Experiment& experiment) {
  Interval window = experiment.first_start.front().span();
  for (const sim::Simulation& simulation : experiment.first_start)
    window.end = std::max(window.end, simulation.span().end);
  const Duration margin = std::max<Duration>(std::chrono::minutes(30), window.length() / 40);
  return {window.begin - margin, window.end + margin};
}

std::string Caption(const sim::Simulation& simulation) {
  std::string text = ": " + EmittedText(simulation.use) + ", " + EnergyText(simulation.use.energy);
  if (simulation.pauses > 0) text += ", " + std::to_string(simulation.pauses) + " pauses";
  return text;
}

std::string GanttSection(const sim::Experiment& experiment) {
  if (experiment.first_start.empty()) return "";
  if (experiment.scenario.jobs.size() > kMostJobsDrawn)
    return "<p class=\"soft\">No chart: more than " + std::to_string(kMostJobsDrawn) +
           " jobs cannot be told apart.</p>";
  const sim::Outlook& outlook = experiment.outlooks.front();
  std::string html =
      "<h2>When the jobs ran</h2><p class=\"soft\">" +
      EscapeHtml("From " + FormatTime(experiment.comparison.starts.front()) +
                 ". Area: the intensity as it was" +
                 (experiment.outlooks.size() > 1
                      ? " at " + experiment.scenario.cluster.sites.front().name
                      : std::string()) +
                 ". Dashed line: the forecast when the first plan was made (" +
                 (outlook.forecast.method.empty() ? "none" : outlook.forecast.method) +
                 "); plans are made anew as values come in. A dotted link between bars is a "
                 "pause.") +
      "</p>" + TierLegend(experiment.first_start.front().jobs);
  const Interval window = CommonWindow(experiment);
  for (std::size_t i = 0; i < experiment.first_start.size(); ++i) {
    const sim::Simulation& simulation = experiment.first_start[i];
    GanttFigure figure;
    figure.title = experiment.comparison.policies[i].label;
    figure.caption = Caption(simulation);
    figure.cluster = &experiment.scenario.cluster;
    figure.jobs = &simulation.jobs;
    for (const sim::JobOutcome& outcome : simulation.outcomes)
      figure.segments.push_back(outcome.segments);
    figure.truth = &outlook.truth;
    figure.forecast = &outlook.forecast.series;
    figure.window = window;
    html += GanttFigureHtml(figure);
  }
  return html;
}

}  // namespace

std::string SimulationPage(const sim::Experiment& experiment) {
  return HtmlPage("Ebb: " + experiment.scenario.name,
                  Opening(experiment) + "\n" + PoliciesSection(experiment) + "\n" +
                      PlacesSection(experiment) + PublishedSection(experiment) + "\n" +
                      GanttSection(experiment));
}

}  // namespace ebb::report
