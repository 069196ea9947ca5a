// The section of the comparison page on when the runs ran, over the intensity of the grid.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "report/compare/compare_page_sections.h"
#include "report/compare/compare_words.h"
#include "report/draw/page_parts.h"
#include "report/draw/svg_plot.h"
#include "report/signal_text.h"

namespace ebb::report {
namespace {

constexpr std::size_t kMostLanes = 24;

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
      // Slices of one trace may be cut differently. Overlapping parts have the same value.
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
        {window.end, run.summary.ended, run.record.latest_start() + run.summary.running_time});
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

}  // namespace

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
      GroupLegend(comparison) + "<div class=\"scroll\" tabindex=\"0\">" + DrawIntensityPlot(plot) +
      "</div>";
  const std::size_t all = comparison.runs.size();
  if (all > kMostLanes)
    html += "<p class=\"soft\">The first " + std::to_string(kMostLanes) + " of " +
            std::to_string(all) + " runs are drawn.</p>";
  return html + "</figure>";
}

}  // namespace ebb::report
