#include "report/period/period_page.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "base/units_text.h"
#include "report/draw/page_parts.h"
#include "report/draw/svg_elements.h"
#include "report/draw/svg_plot.h"
#include "report/period/period_columns.h"
#include "report/period/period_words.h"

namespace ebb::report {
namespace {

constexpr std::size_t kMostDaysDrawn = 92;

std::string Opening(const PeriodReport& report) {
  const PeriodFigures& total = report.total.figures;
  std::string lead = EnergyText(total.energy) + " used by " + std::to_string(total.runs) +
                     (total.runs == 1 ? " run" : " runs") + ", ";
  lead += total.known_emissions_ug()
              ? EmissionsText({Grams(total.emissions_ug)}) + " emitted (location-based)"
              : "emissions not known";
  if (total.compared > 0)
    lead += total.saved_ug() < 0
                ? ", " + EmissionsText({-Grams(total.saved_ug())}) + " more than at submission"
                : ", " + EmissionsText({Grams(total.saved_ug())}) + " less than at submission";
  return Element("h1", "Energy and emissions") + "<p class=\"soft\">" +
         EscapeHtml(PeriodTitle(report.request)) + "</p><p class=\"lead\">" +
         EscapeHtml(lead + ".") + "</p>";
}

std::string TotalsSection(const PeriodReport& report) {
  const PeriodRow& row = report.total;
  const PeriodFigures& total = row.figures;
  TextTable table{{"", "value with its 95 % interval", ""}, {}, false};
  const auto add = [&](const char* name, const std::string& value, const std::string& remark) {
    table.rows.push_back({name, value, remark});
  };
  add("Energy", EnergyWithShare(total.energy, row.energy_half_j),
      EnergyText(total.facility_energy) + " with PUE");
  add("Emitted, location-based", GramsWithShare(total.known_emissions_ug(), row.emissions_half_g),
      "boundary: " + std::string(core::Name(report.request.boundary)));
  if (report.request.IsMarketBased())
    add("Emitted, market-based", GramsWithShare(total.known_market_ug(), row.market_half_g),
        "as suppliers state; never added to the line above");
  add("Saved against submission", SavedText(row),
      std::to_string(total.compared) + " of " + std::to_string(total.ended) + " runs that ended");
  add("Energy was read", EnergyCoverage(total), "measured: by a sensor for a whole device");
  add("Intensity was", IntensityCoverage(total), "shares of the energy");
  return TableCard(table);
}

struct GramsBar {
  std::string label, title;
  double grams = 0;
  bool unknown = false;   ///< true if some of its energy has no known intensity
  bool no_grams = false;  ///< true if none of its energy has a known intensity
};

std::vector<GramsBar> ColumnsOf(const PeriodReport& report) {
  const bool by_month = report.days.size() > kMostDaysDrawn;
  std::map<std::string, PeriodFigures> sums;
  for (const auto& [date, figures] : report.days)
    sums[by_month ? date.substr(0, 7) : date] += figures;
  std::vector<GramsBar> columns;
  for (const auto& [label, figures] : sums)
    columns.push_back(
        {label,
         label + ": " +
             (figures.known_emissions_ug() ? EmissionsText({Grams(figures.emissions_ug)})
                                           : std::string("emissions unknown")) +
             ", " + EnergyText(figures.energy),
         Grams(figures.emissions_ug), figures.without_intensity > Energy{},
         !figures.known_emissions_ug().has_value()});
  return columns;
}

std::string DrawColumns(const std::vector<GramsBar>& columns) {
  constexpr double kLeft = 72, kWidth = 1080, kTop = 16, kHeight = 190;
  double highest = 0;
  for (const GramsBar& column : columns) highest = std::max(highest, column.grams);
  const std::vector<double> ticks = NiceTicks(0, highest > 0 ? highest : 1, 4);
  const double top = std::max(ticks.back(), highest);
  const auto y_of = [&](double grams) { return kTop + kHeight * (1 - grams / top); };
  std::string svg = OpenSvg({kWidth, kTop + kHeight + 34}, "Emissions over the period", "wide");
  for (const double tick : ticks)
    svg += SvgLine({kLeft, y_of(tick)}, {kWidth, y_of(tick)}, "grid") +
           SvgText({kLeft - 8, y_of(tick) + 4}, "end", EmissionsText({tick}));
  const double step = (kWidth - kLeft) / static_cast<double>(columns.size());
  const std::size_t every = std::max<std::size_t>(1, (columns.size() + 9) / 10);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const GramsBar& column = columns[i];
    const double x = kLeft + step * static_cast<double>(i);
    const double width = std::max(1.0, step * 0.72);
    svg += "<g class=\"c0\">" +
           SvgRect({x + (step - width) / 2, y_of(column.grams), width,
                    std::max(0.0, kTop + kHeight - y_of(column.grams))},
                   column.unknown ? "pale" : "bar", column.title) +
           "</g>";
    // A missing bar would look like 0 g, so a question mark stands there.
    if (column.no_grams) svg += SvgText({x + step / 2, kTop + kHeight - 4}, "middle", "?");
    if (i % every == 0) svg += SvgText({x + step / 2, kTop + kHeight + 20}, "middle", column.label);
  }
  svg += SvgLine({kLeft, kTop + kHeight}, {kWidth, kTop + kHeight}, "axis");
  return svg + "</svg>";
}

std::string TimeSection(const PeriodReport& report) {
  const std::vector<GramsBar> columns = ColumnsOf(report);
  const bool any_unknown =
      std::any_of(columns.begin(), columns.end(), [](const GramsBar& c) { return c.unknown; });
  return "<h2>" +
         std::string(report.days.size() > kMostDaysDrawn ? "Month by month" : "Day by day") +
         "</h2><div class=\"card scroll\" tabindex=\"0\"><figure><figcaption>Emitted, "
         "location-based" +
         std::string(any_unknown
                         ? "; pale: some of the energy has no known intensity; ?: none of it has"
                         : "") +
         "</figcaption>" + DrawColumns(columns) + "</figure></div>";
}

std::string RowsSection(const PeriodReport& report) {
  return "<h2>By " + std::string(Name(report.request.by)) + "</h2>" +
         TableCard(TableFor(Readers::kPage, PeriodColumns(report.request), PeriodLines(report))) +
         "<p class=\"soft\" style=\"margin-top:10px\">Figures add up to the total exactly. Their "
         "95 % "
         "intervals do not: errors of one kind of meter, and of one kind of intensity, count as "
         "one "
         "error.</p>";
}

std::string OursText(const PeriodFigures& ours) {
  const auto known = ours.known_emissions_ug();
  return known ? EmissionsText({Grams(*known)}) : "unknown";
}

std::string MatchCard(const std::vector<BillingMatch>& matches, const std::string& name) {
  TextTable table{{"month, " + name, "theirs", "which", "ours", "Ebb \u2212 provider"}, {}, false};
  for (const BillingMatch& match : matches) {
    const auto difference = match.difference_g();
    table.rows.push_back(
        {match.month + " " + (match.name.empty() ? "unknown" : match.name),
         match.theirs.lines == 0 ? "no line"
         : match.comparable_g    ? EmissionsText({*match.comparable_g})
                                 : "not told",
         match.comparable,
         match.ours.energy == Energy{} ? "nothing measured" : OursText(match.ours),
         difference ? (*difference < 0 ? "\u2212" : "+") + EmissionsText({std::abs(*difference)})
                    : ""});
  }
  return TableCard(table);
}

std::string BillingSection(const BillingReport* billing) {
  if (!billing) return "";
  std::string html = "<h2>Beside the bill</h2>" + MatchCard(billing->by_zone, "zone");
  if (!billing->by_project.empty())
    html += "<h3>By project</h3>" + MatchCard(billing->by_project, "project");
  std::string items;
  for (const std::string& reason : billing->reasons) items += Element("li", reason);
  for (const BillingExport& file : billing->exports) {
    items += Element("li", file.file + ": " + file.format);
    for (const std::string& notice : file.notices) items += Element("li", notice);
  }
  return html + "<h3>Why they differ</h3><ul>" + items + "</ul>";
}

std::string SlurmSection(const SlurmReport* slurm) {
  if (!slurm) return "";
  std::string html = "<h2>Beside Slurm</h2>", items;
  for (const TextTable& table : {MeasuredTable(*slurm), NotMeasuredTable(*slurm)})
    if (!table.rows.empty()) html += TableCard(table);
  for (const std::string& note : slurm->notes) items += Element("li", note);
  return html + "<ul>" + items + "</ul>";
}

std::string NotesSection(const PeriodReport& report) {
  std::string items;
  for (const std::string& note : PeriodNotes(report)) items += Element("li", note);
  items += Element("li",
                   "Energy belongs to the day in which it was used, a saving to the day on which "
                   "its run ended. A run at its submission is the same measured energy, moved.");
  return "<h2>Notes</h2><ul>" + items + "</ul>";
}

}  // namespace

std::string PeriodPage(const PeriodReport& report, const BillingReport* billing,
                       const SlurmReport* slurm) {
  return HtmlPage("Ebb: " + PeriodTitle(report.request),
                  Opening(report) + "\n" + TotalsSection(report) + "\n" + TimeSection(report) +
                      "\n" + RowsSection(report) + "\n" + BillingSection(billing) + "\n" +
                      SlurmSection(slurm) + "\n" + NotesSection(report));
}

}  // namespace ebb::report
