#include "report/compare/compare_page.h"

#include <algorithm>

#include "base/text.h"
#include "base/times_in_text.h"
#include "base/units_text.h"
#include "platform/file.h"
#include "report/compare/compare_page_sections.h"
#include "report/compare/compare_words.h"
#include "report/draw/page_parts.h"
#include "report/draw/svg_plot.h"
#include "report/run/figures.h"

namespace ebb::report {
namespace {

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

// Runs and notes -----------------------------------------------------------------------------

std::string SavingText(const Summary& summary) {
  if (!summary.at_submission || !summary.at_submission->saving_percent) return "unknown";
  return ChangeText(-*summary.at_submission->saving_percent) +
         (summary.at_submission->IsClear() ? "" : ", no clear difference");
}

bool ReportsWork(const Comparison& comparison) {
  return std::ranges::any_of(comparison.runs,
                             [](const ComparedRun& run) { return !run.summary.per_unit.empty(); });
}

std::vector<std::string> RunRow(const ComparedRun& run, bool with_work) {
  const auto metric = [&](Metric m) {
    const auto value = run.Value(m);
    return value ? MetricText(m, *value) : std::string("unknown");
  };
  const core::Uncertainty& sure = run.summary.uncertainty;
  const auto with_share = [&](Metric m, double share) {
    return run.Value(m) ? metric(m) + " " + ShareText(share) : metric(m);
  };
  std::vector<std::string> cells{run.record.spec.run_id,
                                 std::string(core::Name(run.summary.outcome)),
                                 MinuteText(run.record.spec.submitted),
                                 run.summary.started ? MinuteText(*run.summary.started) : "never",
                                 FormatDuration(run.summary.running_time),
                                 with_share(Metric::kEnergy, sure.energy_share),
                                 EnergyBasis(run.summary),
                                 with_share(Metric::kEmissions, sure.emissions_share),
                                 metric(Metric::kEmissionsAtSubmission),
                                 SavingText(run.summary)};
  const std::string per_unit = core::EnergyPerText(run.summary.per_unit);
  if (with_work)
    cells.push_back(per_unit.empty() ? "unknown" : per_unit + " " + ShareText(sure.energy_share));
  return cells;
}

std::string RunsSection(const Comparison& comparison) {
  TextTable table;
  table.headers = {"run",           "outcome",           "submitted (grid)", "started (grid)",
                   "ran",           "energy (95 %)",     "energy is",        "emitted (95 %)",
                   "at submission", "against submission"};
  const bool with_work = ReportsWork(comparison);
  if (with_work) table.headers.emplace_back("energy per unit of work (95 %)");
  for (const ComparedRun& run : comparison.runs) table.rows.push_back(RunRow(run, with_work));
  return "<h2>Runs</h2>" + TableCard(table);
}

std::string NotesSection(const Comparison& comparison) {
  std::string items;
  for (const std::string& notice : comparison.notices) items += Element("li", notice);
  std::vector<std::string> meters;
  for (const ComparedRun& run : comparison.runs)
    for (const std::string& meter : run.record.spec.meters)
      if (std::find(meters.begin(), meters.end(), meter) == meters.end()) meters.push_back(meter);
  for (const std::string& meter : meters) items += Element("li", "Meter: " + meter + ".");
  return "<h2>Notes</h2><ul>" + items + "</ul>";
}

}  // namespace

std::string GroupLegend(const Comparison& comparison) {
  std::string html = "<ul class=\"legend\">";
  for (std::size_t group = 0; group < comparison.groups.size(); ++group)
    html += "<li class=\"c" + std::to_string(group % kSeriesColors) + "\"><i></i>" +
            EscapeHtml(comparison.groups[group].name) + " (" +
            EscapeHtml(CountText(comparison, comparison.groups[group])) + ")</li>";
  return html + "</ul>";
}

std::string ComparisonPage(const Comparison& comparison) {
  const std::string title = "Ebb: comparison with " + comparison.groups[comparison.reference].name;
  return HtmlPage(title, Opening(comparison) + "\n" + DifferencesSection(comparison) + "\n" +
                             IntensitySection(comparison) + "\n" + FactorsSection(comparison) +
                             "\n" + EpochsSection(comparison) + "\n" + RunsSection(comparison) +
                             "\n" + NotesSection(comparison));
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
