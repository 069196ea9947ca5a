// The section of the comparison page on how the groups trained, epoch by epoch.
#include <cmath>
#include <map>

#include "base/text.h"
#include "base/units_text.h"
#include "report/compare/compare_page_sections.h"
#include "report/compare/compare_words.h"
#include "report/draw/page_parts.h"
#include "report/draw/svg_plot.h"

namespace ebb::report {
namespace {

using EpochValue = std::optional<double> (*)(const EpochSummary&);

struct AxisUnit {
  double size;
  const char* name;
};

struct EpochMetric {
  const char* title;
  EpochValue value;
  std::string (*format)(double);
  std::vector<AxisUnit> units;  ///< smallest first
  bool from_zero;
};

const std::vector<EpochMetric>& EpochMetrics() {
  static const std::vector<EpochMetric> metrics{
      {"Energy per epoch",
       [](const EpochSummary& e) -> std::optional<double> { return e.totals.energy.joules(); },
       [](double joules) { return EnergyText(Energy::Joules(joules)); },
       {{1, "J"}, {3600, "Wh"}, {3.6e6, "kWh"}},
       true},
      {"Emissions per epoch",
       [](const EpochSummary& e) -> std::optional<double> {
         if (e.totals.energy_without_intensity > Energy{}) return std::nullopt;
         return e.totals.emissions.grams;
       },
       [](double grams) { return EmissionsText({grams}); },
       {{1e-6, "\u00b5g"}, {1e-3, "mg"}, {1, "g"}, {1e3, "kg"}},
       true},
      {"Test loss",
       [](const EpochSummary& e) { return e.epoch.test_loss; },
       [](double loss) { return FormatSignificant(loss, 3); },
       {{1, ""}},
       true},
      {"Test accuracy",
       [](const EpochSummary& e) { return e.epoch.test_accuracy_percent; },
       [](double percent) { return FormatFixed(percent, 2) + " %"; },
       {{1, "%"}},
       false},
  };
  return metrics;
}

// Values of one group by epoch, over its runs.
std::map<int, std::vector<double>> ByEpoch(const Comparison& comparison, const Group& group,
                                           const EpochMetric& metric) {
  std::map<int, std::vector<double>> values;
  for (const std::size_t run : group.runs)
    for (const EpochSummary& epoch : comparison.runs[run].summary.epochs)
      if (const auto value = metric.value(epoch); value && std::isfinite(*value))
        values[epoch.epoch.number].push_back(*value);
  return values;
}

PlotSeries EpochSeries(const Comparison& comparison, std::size_t index, const EpochMetric& metric) {
  const Group& group = comparison.groups[index];
  PlotSeries series{group.name, static_cast<int>(index), {}, {}};
  for (const auto& [epoch, values] : ByEpoch(comparison, group, metric)) {
    const double mean = MeanOf(values).value;
    series.line.push_back(
        {static_cast<double>(epoch), mean,
         group.name + ", epoch " + std::to_string(epoch) + ": " + metric.format(mean)});
    if (values.size() > 1)
      for (const double value : values)
        series.dots.push_back({static_cast<double>(epoch), value, metric.format(value)});
  }
  return series;
}

// The largest unit in which the largest value is at least 1.
AxisUnit UnitFor(const EpochMetric& metric, double largest) {
  AxisUnit chosen = metric.units.front();
  for (const AxisUnit& unit : metric.units)
    if (largest >= unit.size) chosen = unit;
  return chosen;
}

std::string EpochFigure(const Comparison& comparison, const EpochMetric& metric) {
  LinePlot plot{metric.title,
                "Mean of the runs of each group by epoch; the figures are in the table of epochs "
                "below",
                "epoch",
                {},
                {},
                metric.from_zero};
  double largest = 0;
  bool any = false;
  for (std::size_t group = 0; group < comparison.groups.size(); ++group) {
    plot.series.push_back(EpochSeries(comparison, group, metric));
    for (const PlotPoint& point : plot.series.back().line) largest = std::max(largest, point.y);
    any = any || !plot.series.back().line.empty();
  }
  if (!any) return "";
  const AxisUnit unit = UnitFor(metric, largest);
  for (PlotSeries& series : plot.series)
    for (auto* points : {&series.line, &series.dots})
      for (PlotPoint& point : *points) point.y /= unit.size;
  plot.format_y = [](double value) { return FormatExact(std::round(value * 1e6) / 1e6); };
  const std::string name = *unit.name ? std::string(", ") + unit.name : "";
  return "<figure class=\"card\"><figcaption><b>" + EscapeHtml(metric.title) + "</b>" +
         EscapeHtml(name) + "</figcaption>" + DrawLinePlot(plot) + "</figure>";
}

std::string MemoryFigure(const Comparison& comparison) {
  std::vector<Bar> bars;
  for (std::size_t index = 0; index < comparison.groups.size(); ++index) {
    const Group& group = comparison.groups[index];
    const GroupMetric* memory = FindMetric(group, Metric::kPeakMemory);
    if (!memory) continue;
    Bar bar{
        group.name, BytesText(memory->mean.value), memory->mean.value, static_cast<int>(index), {}};
    bars.push_back(std::move(bar));
  }
  if (bars.empty()) return "";
  return "<figure class=\"card\"><figcaption><b>Peak tensor memory</b>: what the tensors took, "
         "not the process</figcaption>" +
         DrawBars("Peak tensor memory by group; the figures are in the table of differences",
                  bars) +
         "</figure>";
}

std::string EpochTable(const Comparison& comparison) {
  std::string rows;
  for (const Group& group : comparison.groups) {
    std::vector<std::map<int, std::vector<double>>> columns;
    std::map<int, std::vector<std::string>> cells;
    for (const EpochMetric& metric : EpochMetrics())
      columns.push_back(ByEpoch(comparison, group, metric));
    for (const auto& [epoch, values] : columns.front())
      for (std::size_t i = 0; i < columns.size(); ++i)
        cells[epoch].push_back(columns[i].contains(epoch)
                                   ? EpochMetrics()[i].format(MeanOf(columns[i][epoch]).value)
                                   : "");
    for (const auto& [epoch, texts] : cells)
      rows += "<tr>" + Element("th", group.name) + Element("td", std::to_string(epoch)) +
              Cells("td", texts) + "</tr>";
  }
  if (rows.empty()) return "";
  std::vector<std::string> headers{"group", "epoch"};
  for (const EpochMetric& metric : EpochMetrics()) headers.emplace_back(metric.title);
  return "<details><summary>Table of epochs (means)</summary><div class=\"scroll\"><table><thead>"
         "<tr>" +
         Cells("th", headers) + "</tr></thead><tbody>" + rows + "</tbody></table></div></details>";
}

}  // namespace

std::string EpochsSection(const Comparison& comparison) {
  std::string figures;
  for (const EpochMetric& metric : EpochMetrics()) figures += EpochFigure(comparison, metric);
  figures += MemoryFigure(comparison);
  if (figures.empty()) return "";
  return "<h2>Epoch by epoch</h2>" + GroupLegend(comparison) + "<div class=\"pair\">" + figures +
         "</div>" + EpochTable(comparison);
}

}  // namespace ebb::report
