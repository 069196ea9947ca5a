#include "report/compare_page.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "platform/file.h"
#include "report/compare_page_style.h"
#include "report/compare_words.h"
#include "report/svg_plot.h"
#include "report/units_text.h"

namespace ebb::report {
namespace {

constexpr std::size_t kMostLanes = 24;

std::string Element(const std::string& tag, const std::string& text) {
  return "<" + tag + ">" + EscapeHtml(text) + "</" + tag + ">";
}

std::string Cells(const std::string& tag, const std::vector<std::string>& texts) {
  std::string html;
  for (const std::string& text : texts) html += Element(tag, text);
  return html;
}

std::string Legend(const Comparison& comparison) {
  std::string html = "<ul class=\"legend\">";
  for (std::size_t group = 0; group < comparison.groups.size(); ++group)
    html += "<li class=\"c" + std::to_string(group % kSeriesColors) + "\"><i></i>" +
            EscapeHtml(comparison.groups[group].name) + " (" +
            EscapeHtml(CountText(comparison, comparison.groups[group])) + ")</li>";
  return html + "</ul>";
}

// Opening ------------------------------------------------------------------------------------

bool SpeaksOfReplay(const std::string& notice) {
  return notice.find("replayed") != std::string::npos ||
         notice.find("skipped") != std::string::npos;
}

std::string Opening(const Comparison& comparison) {
  const Group& reference = comparison.groups[comparison.reference];
  std::vector<std::string> others;
  for (const Group& group : comparison.groups)
    if (group.name != reference.name) others.push_back(group.name);
  const std::string subject =
      others.size() < kFewGroups ? Join(others, ", ") : std::to_string(others.size()) + " groups";
  std::string html =
      Element("h1", others.empty() ? reference.name : subject + " against " + reference.name);
  bool first = true;
  for (const std::string& headline : comparison.headlines) {
    html +=
        std::string("<p") + (first ? " class=\"lead\"" : "") + ">" + EscapeHtml(headline) + "</p>";
    first = false;
  }
  std::string replay;
  for (const std::string& notice : comparison.notices)
    if (SpeaksOfReplay(notice)) replay += Element("p", notice);
  return replay.empty() ? html : html + "<div class=\"notice\">" + replay + "</div>";
}

// Intensity ----------------------------------------------------------------------------------

std::string LaneName(const Comparison& comparison, const Group& group, std::size_t run) {
  const auto& training = comparison.runs[run].record.spec.training;
  const bool alone = group.runs.size() + group.unfinished.size() == 1;
  if (!training || alone) return group.name;
  return group.name + ", seed " + std::to_string(training->seed);
}

std::vector<RunLane> Lanes(const Comparison& comparison) {
  std::vector<RunLane> lanes;
  for (std::size_t index = 0; index < comparison.groups.size(); ++index) {
    const Group& group = comparison.groups[index];
    std::vector<std::size_t> runs = group.runs;
    runs.insert(runs.end(), group.unfinished.begin(), group.unfinished.end());
    for (const std::size_t run : runs) {
      const ComparedRun& compared = comparison.runs[run];
      RunLane lane{LaneName(comparison, group, run), static_cast<int>(index),
                   compared.record.spec.submitted, std::nullopt};
      if (compared.summary.started)
        lane.ran = Interval{*compared.summary.started, compared.summary.ended};
      lanes.push_back(std::move(lane));
    }
  }
  if (lanes.size() > kMostLanes) lanes.resize(kMostLanes);
  return lanes;
}

// One curve per signal identity: the samples of all its runs, each interval once.
std::vector<core::IntensitySeries> JoinedSignals(const Comparison& comparison) {
  std::vector<std::pair<core::SignalIdentity, std::map<Time, core::Sample>>> joined;
  for (const ComparedRun& run : comparison.runs) {
    const core::SignalIdentity& identity = run.record.signal.identity();
    auto it = std::find_if(joined.begin(), joined.end(),
                           [&](const auto& item) { return item.first == identity; });
    if (it == joined.end()) it = joined.insert(it, {identity, {}});
    for (const core::Sample& sample : run.record.signal.samples()) {
      auto [at, is_new] = it->second.try_emplace(sample.interval.begin, sample);
      if (!is_new && at->second.interval.end < sample.interval.end) at->second = sample;
    }
  }
  std::vector<core::IntensitySeries> signals;
  for (auto& [identity, samples] : joined) {
    std::vector<core::Sample> ordered;
    for (auto& [begin, sample] : samples) {
      // Slices of one trace may be cut differently; what overlaps is the same value.
      if (!ordered.empty())
        ordered.back().interval.end = std::min(ordered.back().interval.end, begin);
      ordered.push_back(sample);
    }
    if (auto series = core::IntensitySeries::Create(identity, std::move(ordered)))
      signals.push_back(std::move(*series));
  }
  return signals;
}

Interval PlotWindow(const Comparison& comparison) {
  Interval window{comparison.runs.front().record.spec.submitted,
                  comparison.runs.front().summary.ended};
  for (const ComparedRun& run : comparison.runs) {
    window.begin = std::min(window.begin, run.record.spec.submitted);
    window.end = std::max(
        {window.end, run.summary.ended, run.record.spec.start_by + run.summary.running_time});
  }
  const Duration margin = std::max<Duration>(std::chrono::minutes(30), window.length() / 24);
  return {window.begin - margin, window.end + margin};
}

std::optional<double> CommonThreshold(const Comparison& comparison) {
  std::optional<double> threshold;
  for (const ComparedRun& run : comparison.runs) {
    if (!run.record.spec.threshold || run.record.spec.policy != "threshold") continue;
    const double value = run.record.spec.threshold->g_per_kwh;
    if (threshold && *threshold != value) return std::nullopt;
    threshold = value;
  }
  return threshold;
}

std::string SignalText(const core::SignalIdentity& signal) {
  return signal.zone + ", " + std::string(core::Name(signal.kind)) + ", " +
         std::string(core::Name(signal.boundary)) + "; " + signal.source;
}

std::string IntensitySection(const Comparison& comparison) {
  IntensityPlot plot;
  plot.window = PlotWindow(comparison);
  plot.signals = JoinedSignals(comparison);
  plot.lanes = Lanes(comparison);
  plot.threshold_g_per_kwh = CommonThreshold(comparison);
  plot.description =
      "Carbon intensity over grid time with the submission and the run of each "
      "training marked on it; the figures are in the table of runs below";
  std::vector<std::string> sources;
  for (const auto& signal : plot.signals) sources.push_back(SignalText(signal.identity()));
  std::string html =
      "<h2>When the runs ran</h2><figure class=\"card\"><figcaption><b>Carbon "
      "intensity of the grid</b>: " +
      EscapeHtml(Join(sources, " | ")) +
      ". A ring is a submission, a dot a start, a bar a run; dashed values were "
      "not measured.</figcaption>" +
      Legend(comparison) + "<div class=\"scroll\" tabindex=\"0\">" + DrawIntensityPlot(plot) +
      "</div>";
  const std::size_t all = comparison.runs.size();
  if (all > kMostLanes)
    html += "<p class=\"soft\">The first " + std::to_string(kMostLanes) + " of " +
            std::to_string(all) + " runs are drawn.</p>";
  return html + "</figure>";
}

// Differences --------------------------------------------------------------------------------

std::string VerdictClass(Verdict verdict) {
  switch (verdict) {
    case Verdict::kBetter:
      return "better";
    case Verdict::kWorse:
      return "worse";
    case Verdict::kNoClearDifference:
      return "unclear";
  }
  return "";
}

// A row of the forest: what is drawn is in percent of the reference.
struct ForestRow {
  std::vector<std::string> cells;
  Metric metric;
  Estimate estimate;
  double reference = 0;
  Verdict verdict;
};

double PercentOf(double value, double reference) { return 100 * value / std::fabs(reference); }

// A wait has no natural reference: most runs do not wait at all.
bool HasMark(const ForestRow& row) { return row.reference != 0 && row.metric != Metric::kWait; }

// The axis covers every value up to 150 %; beyond that an arrow says so.
double ForestLimit(const std::vector<ForestRow>& rows) {
  double limit = 10;
  for (const ForestRow& row : rows) {
    if (!HasMark(row)) continue;
    for (const double end : {row.estimate.low(), row.estimate.high()})
      limit = std::max(limit, std::fabs(PercentOf(end, row.reference)));
  }
  limit = std::min(limit, 150.0);
  for (const double round : {10.0, 20.0, 40.0, 60.0, 80.0, 100.0})
    if (limit <= round) return round;
  return 150;
}

std::string ForestCell(const ForestRow& row, double limit) {
  if (!HasMark(row)) return "<td class=\"soft\">not in percent</td>";
  const IntervalMark mark{
      PercentOf(row.estimate.value, row.reference), PercentOf(row.estimate.low(), row.reference),
      PercentOf(row.estimate.high(), row.reference), VerdictClass(row.verdict),
      row.cells.front() + " " + ChangeWithInterval(row.metric, row.estimate, row.reference)};
  return "<td>" + DrawInterval(mark, limit) + "</td>";
}

std::string ForestTable(const std::vector<std::string>& headers,
                        const std::vector<ForestRow>& rows) {
  const double limit = ForestLimit(rows);
  const std::vector<std::string> others(headers.begin() + 1, headers.end());
  // The answer comes first: on a phone the rest is scrolled to.
  std::string html = "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>" +
                     Element("th", headers.front()) + "<th>change, 95 % interval</th><th>" +
                     DrawIntervalAxis(limit) + "</th>" + Cells("th", others) +
                     "</tr></thead><tbody>";
  for (const ForestRow& row : rows) {
    html += "<tr>" + Element("th", row.cells.front()) + "<td class=\"" + VerdictClass(row.verdict) +
            "\"><b>" + EscapeHtml(VerdictText(row.verdict, row.estimate)) + "</b><small>" +
            EscapeHtml(ChangeWithInterval(row.metric, row.estimate, row.reference)) +
            "</small></td>" + ForestCell(row, limit) +
            Cells("td", {row.cells.begin() + 1, row.cells.end()}) + "</tr>";
  }
  return html + "</tbody></table></div>";
}

std::string DifferenceTable(const Comparison& comparison, std::size_t group) {
  std::vector<ForestRow> rows;
  for (const MetricInfo& info : Metrics()) {
    const Difference* difference = FindDifference(comparison, group, info.metric);
    if (!difference) continue;
    rows.push_back({{std::string(info.label), MetricText(info.metric, difference->reference_mean),
                     MetricText(info.metric, difference->group_mean)},
                    info.metric,
                    difference->difference,
                    difference->reference_mean,
                    difference->verdict});
  }
  const Group& reference = comparison.groups[comparison.reference];
  const Group& other = comparison.groups[group];
  return "<div class=\"card\">" +
         ForestTable({"", reference.name + ", " + CountText(comparison, reference),
                      other.name + ", " + CountText(comparison, other)},
                     rows) +
         "</div>";
}

std::string OverviewRow(const Comparison& comparison, std::size_t group) {
  std::string html = "<tr>" + Element("th", comparison.groups[group].name);
  for (const Metric metric : kMainMetrics) {
    const Difference* difference = FindDifference(comparison, group, metric);
    html += difference
                ? "<td class=\"" + VerdictClass(difference->verdict) + "\"><b>" +
                      EscapeHtml(ChangeAlone(*difference)) + "</b><small>" +
                      EscapeHtml(MetricText(metric, difference->group_mean)) + "</small><small>" +
                      EscapeHtml(std::string(Name(difference->verdict))) + "</small></td>"
                : "<td></td>";
  }
  return html + "</tr>";
}

std::string OverviewTable(const Comparison& comparison) {
  std::vector<std::string> headers{""};
  for (const Metric metric : kMainMetrics) headers.emplace_back(Info(metric).label);
  std::string html = "<div class=\"card scroll\" tabindex=\"0\"><table><thead><tr>" +
                     Cells("th", headers) + "</tr></thead><tbody>";
  for (std::size_t group = 0; group < comparison.groups.size(); ++group)
    if (group != comparison.reference) html += OverviewRow(comparison, group);
  return html + "</tbody></table></div>";
}

std::string DifferencesSection(const Comparison& comparison) {
  if (comparison.groups.size() < 2) return "";
  const bool many = comparison.groups.size() > kFewGroups;
  std::string html = "<h2>What changed</h2><p class=\"soft\">Change against " +
                     EscapeHtml(comparison.groups[comparison.reference].name) +
                     ". The line is the 95 % confidence interval, from three seeds on; where it "
                     "crosses zero there is no clear difference.</p>";
  if (many) html += OverviewTable(comparison);
  for (std::size_t group = 0; group < comparison.groups.size(); ++group) {
    if (group == comparison.reference) continue;
    const std::string name = comparison.groups[group].name;
    if (many)
      html += "<details><summary>" + EscapeHtml(name) + " with intervals</summary>" +
              DifferenceTable(comparison, group) + "</details>";
    else
      html += (comparison.groups.size() > 2 ? Element("h3", name) : "") +
              DifferenceTable(comparison, group);
  }
  return html;
}

// Factors ------------------------------------------------------------------------------------

std::string ScheduleTable(const Comparison& comparison) {
  std::string html = "<div class=\"card scroll\" tabindex=\"0\"><table><thead><tr>" +
                     Cells("th", {"group", "schedule", "batch x accumulation", "precision",
                                  "the schedule's own effect on emissions"}) +
                     "</tr></thead><tbody>";
  for (const Group& group : comparison.groups) {
    std::string effect = "unknown";
    if (group.schedule_effect_g && group.schedule_effect_percent)
      effect = group.schedule_effect_g->value == 0
                   ? "none"
                   : SignedPercentText(*group.schedule_effect_percent) + ", " +
                         SignedMetricText(Metric::kEmissions, group.schedule_effect_g->value) +
                         " per run";
    html += "<tr>" + Element("th", group.name) +
            Cells("td", {group.schedule, group.accumulation, group.precision, effect}) + "</tr>";
  }
  return html + "</tbody></table></div>";
}

std::string FactorsSection(const Comparison& comparison) {
  std::string html =
      "<h2>What did it</h2><p class=\"soft\">The schedule's own effect compares each run with the "
      "same measured energy, run at submission; it needs no second run.</p>" +
      ScheduleTable(comparison);
  std::vector<ForestRow> rows;
  for (const FactorEffect& effect : comparison.factors.effects) {
    const GroupMetric* mean = FindMetric(comparison.groups[comparison.reference], effect.metric);
    rows.push_back({{std::string(Info(effect.metric).label), std::string(Name(effect.factor)),
                     effect.level + " instead of " + effect.reference_level},
                    effect.metric,
                    effect.effect,
                    mean ? mean->mean.value : 0,
                    effect.verdict});
  }
  if (!rows.empty())
    html += "<h3>Each factor by itself</h3><div class=\"card\">" +
            ForestTable({"", "factor", "level"}, rows) + "</div>";
  for (const std::string& note : comparison.factors.notes)
    html += "<p class=\"soft\" style=\"margin-top:10px\">" + EscapeHtml(note) + "</p>";
  return html;
}

// Epochs -------------------------------------------------------------------------------------

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

std::string EpochsSection(const Comparison& comparison) {
  std::string figures;
  for (const EpochMetric& metric : EpochMetrics()) figures += EpochFigure(comparison, metric);
  figures += MemoryFigure(comparison);
  if (figures.empty()) return "";
  return "<h2>Epoch by epoch</h2>" + Legend(comparison) + "<div class=\"pair\">" + figures +
         "</div>" + EpochTable(comparison);
}

// Runs and notes -----------------------------------------------------------------------------

std::string SavingText(const Summary& summary) {
  if (!summary.at_submission || !summary.at_submission->saving_percent) return "unknown";
  return ChangeText(-*summary.at_submission->saving_percent);
}

std::string RunRow(const ComparedRun& run) {
  const auto metric = [&](Metric m) {
    const auto value = run.Value(m);
    return value ? MetricText(m, *value) : std::string("unknown");
  };
  return "<tr>" + Element("th", run.record.spec.run_id) +
         Cells("td",
               {std::string(core::Name(run.summary.outcome)), FormatTime(run.record.spec.submitted),
                run.summary.started ? FormatTime(*run.summary.started) : "never",
                FormatDuration(run.summary.running_time), metric(Metric::kEnergy),
                metric(Metric::kEmissions), metric(Metric::kEmissionsAtSubmission),
                SavingText(run.summary)}) +
         "</tr>";
}

std::string RunsSection(const Comparison& comparison) {
  std::string html = "<h2>Runs</h2><div class=\"card scroll\" tabindex=\"0\"><table><thead><tr>" +
                     Cells("th", {"run", "outcome", "submitted (grid)", "started (grid)", "ran",
                                  "energy", "emitted", "at submission", "against submission"}) +
                     "</tr></thead><tbody>";
  for (const ComparedRun& run : comparison.runs) html += RunRow(run);
  return html + "</tbody></table></div>";
}

std::string NotesSection(const Comparison& comparison) {
  std::string items;
  for (const std::string& notice : comparison.notices) items += Element("li", notice);
  std::vector<std::string> meters;
  for (const ComparedRun& run : comparison.runs)
    for (const std::string& meter : run.record.spec.meters)
      if (std::find(meters.begin(), meters.end(), meter) == meters.end()) meters.push_back(meter);
  for (const std::string& meter : meters) items += Element("li", "Measured by " + meter + ".");
  return "<h2>Notes</h2><ul>" + items + "</ul>";
}

}  // namespace

std::string ComparisonPage(const Comparison& comparison) {
  const std::string title = "Ebb: comparison with " + comparison.groups[comparison.reference].name;
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'\">\n" +
         Element("title", title) + "\n<style>" + kPageStyle +
         "</style>\n</head>\n<body>\n<main>\n" + Opening(comparison) + "\n" +
         DifferencesSection(comparison) + "\n" + IntensitySection(comparison) + "\n" +
         FactorsSection(comparison) + "\n" + EpochsSection(comparison) + "\n" +
         RunsSection(comparison) + "\n" + NotesSection(comparison) +
         "\n</main>\n</body>\n</html>\n";
}

Result<ComparisonFiles> WriteComparison(const std::filesystem::path& directory,
                                        const Comparison& comparison, Time generated_at) {
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(directory));
  const ComparisonFiles files{directory / "comparison.json", directory / "comparison_report.json",
                              directory / "comparison.md", directory / "comparison.html"};
  EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(files.json, ComparisonJson(comparison)));
  EBB_RETURN_IF_ERROR(
      platform::WriteFileAtomically(files.neo_json, NeoComparisonJson(comparison, generated_at)));
  EBB_RETURN_IF_ERROR(
      platform::WriteFileAtomically(files.markdown, ComparisonMarkdown(comparison)));
  EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(files.page, ComparisonPage(comparison)));
  return files;
}

}  // namespace ebb::report
