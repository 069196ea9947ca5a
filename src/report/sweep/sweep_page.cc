// The page of a sweep: loss against grams with the Pareto front, and the ranked table.
#include <algorithm>

#include "base/text.h"
#include "report/draw/page_parts.h"
#include "report/draw/svg_elements.h"
#include "report/draw/svg_plot.h"
#include "report/sweep/sweep_report.h"
#include "report/units_text.h"

namespace ebb::report {
namespace {

constexpr double kWidth = 900, kHeight = 420;
constexpr double kLeft = 70, kRight = 30, kTop = 20, kBottom = 50;

struct Scale {
  double low = 0, high = 1;
  double from = 0, to = 1;
  double operator()(double value) const {
    return from + (value - low) / (high - low) * (to - from);
  }
};

Scale ScaleFor(std::vector<double> values, double from, double to) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double room = *high > *low ? (*high - *low) * 0.08 : std::max(1e-9, *high * 0.1);
  return {std::max(0.0, *low - room), *high + room, from, to};
}

std::vector<const SweepRow*> Plotted(const SweepReport& report) {
  std::vector<const SweepRow*> rows;
  for (const SweepRow& row : report.rows) {
    if (row.loss && row.emissions) rows.push_back(&row);
  }
  return rows;
}

std::string Axes(const Scale& x, const Scale& y) {
  std::string svg;
  for (const double tick : NiceTicks(x.low, x.high, 7)) {
    if (tick < x.low || tick > x.high) continue;
    svg += SvgLine({x(tick), kTop}, {x(tick), kHeight - kBottom}, "grid");
    svg += SvgText({x(tick), kHeight - kBottom + 18}, "middle", EmissionsText({tick}));
  }
  for (const double tick : NiceTicks(y.low, y.high, 6)) {
    if (tick < y.low || tick > y.high) continue;
    svg += SvgLine({kLeft, y(tick)}, {kWidth - kRight, y(tick)}, "grid");
    svg += SvgText({kLeft - 8, y(tick) + 4}, "end", FormatSignificant(tick, 3));
  }
  svg += SvgText({(kLeft + kWidth) / 2, kHeight - 8}, "middle", "emitted");
  return svg + SvgText({kLeft, kTop - 6}, "middle", "loss");
}

std::string Scatter(const SweepReport& report) {
  const std::vector<const SweepRow*> rows = Plotted(report);
  if (rows.empty()) return Element("p", "No experiment has both a loss and known emissions yet.");
  std::vector<double> grams, losses;
  for (const SweepRow* row : rows) {
    grams.push_back(row->emissions->grams);
    losses.push_back(*row->loss);
  }
  const Scale x = ScaleFor(grams, kLeft, kWidth - kRight);
  const Scale y = ScaleFor(losses, kHeight - kBottom, kTop);
  std::string svg =
      OpenSvg({kWidth, kHeight}, "Loss against emissions of each experiment", "wide") + Axes(x, y);
  const SweepRow* before = nullptr;
  for (const SweepRow* row : rows) {
    if (!row->on_front) continue;
    if (before)
      svg += SvgLine({x(before->emissions->grams), y(*before->loss)},
                     {x(row->emissions->grams), y(*row->loss)}, "line c2");
    before = row;
  }
  for (const SweepRow* row : rows) {
    const bool done = row->outcome == SweepOutcome::kDone;
    const std::string look = row->on_front ? "dot c2" : done ? "dot c0" : "ring c7";
    svg += SvgCircle({x(row->emissions->grams), y(*row->loss)}, row->on_front ? 6 : 5, look,
                     row->name + ": loss " + FormatSignificant(*row->loss, 4) + ", " +
                         EmissionsText(*row->emissions) + ", " + std::string(Name(row->outcome)));
  }
  return "<figure class=\"card scroll\" tabindex=\"0\"><figcaption><b>Loss and emissions</b>: "
         "green "
         "on the front, rings did not run to their end</figcaption>" +
         svg + "</svg></figure>";
}

std::string Table(const SweepReport& report) {
  std::string rows;
  for (const SweepRow& row : report.rows) {
    rows += TableRow(row.name,
                     {row.tier, row.loss ? FormatSignificant(*row.loss, 4) : "-",
                      row.emissions      ? EmissionsText(*row.emissions)
                      : row.attempts > 0 ? "unknown"
                                         : "-",
                      EnergyText(row.energy), row.attempts > 0 ? FormatDuration(row.waited) : "-",
                      std::to_string(row.epochs), row.on_front ? "on the front" : "",
                      std::string(Name(row.outcome)) + (row.note.empty() ? "" : ": " + row.note)});
  }
  return TableCard({"experiment", "tier", "loss", "emitted", "energy", "waited (grid)", "epochs",
                    "front", "outcome"},
                   rows);
}

}  // namespace

std::string SweepPage(const SweepReport& report) {
  std::string body = Element("h1", "Sweep " + report.name);
  body += "<p class=\"lead\">" +
          EscapeHtml(std::to_string(report.rows.size()) + " experiments, " +
                     EnergyText(report.energy) + ", " + EmissionsText(report.emissions) + ".") +
          "</p>";
  if (report.machine) body += Element("p", MachineText(report) + ".");
  if (report.stopped_early > 0)
    body += Element("p", std::to_string(report.stopped_early) + " were stopped early: about " +
                             EmissionsText(report.saved_emissions) +
                             " not emitted, by estimate. Whether the best configuration was among "
                             "them cannot be known.");
  body += Scatter(report) + Element("h2", "Experiments, best first") + Table(report);
  std::string notices;
  for (const std::string& notice : report.notices) notices += Element("li", notice);
  if (!notices.empty()) body += Element("h2", "Notes") + "<ul>" + notices + "</ul>";
  return HtmlPage("Ebb: sweep " + report.name, body);
}

}  // namespace ebb::report
