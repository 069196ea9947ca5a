#include "report/compare/compare_answer.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>
#include <vector>

#include "base/columns.h"
#include "base/text.h"
#include "base/units_text.h"
#include "report/compare/compare_words.h"

namespace ebb::report {
namespace {

// The costs that a variant may have besides its wait. Energy is left out because emissions include
// its effect.
constexpr Metric kCosts[] = {Metric::kEmissions, Metric::kRunningTime, Metric::kPeakMemory,
                             Metric::kTestAccuracy};

// "baseline, scheduled (3 seeds each)"; "baseline (3 seeds), scheduled (2 seeds)".
std::string GroupsText(const Comparison& comparison) {
  std::vector<std::string> names, counted;
  std::set<std::string> counts;
  for (const Group& group : comparison.groups) {
    if (group.runs.empty()) continue;
    names.push_back(group.name);
    counts.insert(CountText(comparison, group));
    counted.push_back(group.name + " (" + CountText(comparison, group) + ")");
  }
  if (names.size() > 1 && counts.size() == 1)
    return Join(names, ", ") + " (" + *counts.begin() + " each)";
  return Join(counted, ", ");
}

std::string RanText(const Comparison& comparison) {
  std::size_t runs = 0;
  for (const Group& group : comparison.groups) runs += group.runs.size();
  const auto& training = comparison.runs.front().record.spec.training;
  return std::to_string(runs) + (runs == 1 ? " run: " : " runs: ") + GroupsText(comparison) +
         (training && !training->dataset.empty() ? "; data: " + training->dataset : "");
}

// Groups that began alike, within a minute, share one entry. The first run of a group stands for
// its repeats.
struct Start {
  Time at{};
  Duration waited{};  ///< zero if the gate never said wait, however long the start took
  std::vector<std::string> groups;
};

Duration WaitedAtGate(const ComparedRun& run) {
  const auto& decisions = run.record.decisions;
  const bool held = std::any_of(decisions.begin(), decisions.end(), [](const auto& decision) {
    return decision.action == core::GateAction::kWait;
  });
  return held ? run.summary.waited : Duration::zero();
}

bool Alike(const Start& a, const Start& b) {
  constexpr Duration kAlike = std::chrono::minutes{1};
  return std::chrono::abs(a.at - b.at) < kAlike && std::chrono::abs(a.waited - b.waited) < kAlike;
}

std::vector<Start> StartsOf(const Comparison& comparison) {
  std::vector<Start> starts;
  for (const Group& group : comparison.groups) {
    if (group.runs.empty()) continue;
    const ComparedRun& run = comparison.runs[group.runs.front()];
    if (!run.summary.started) continue;
    const Start start{*run.summary.started, WaitedAtGate(run), {group.name}};
    const auto alike = std::find_if(starts.begin(), starts.end(),
                                    [&](const Start& other) { return Alike(start, other); });
    if (alike == starts.end())
      starts.push_back(start);
    else
      alike->groups.push_back(group.name);
  }
  return starts;
}

std::string WhenText(const Comparison& comparison) {
  const bool skipped =
      std::any_of(comparison.runs.begin(), comparison.runs.end(),
                  [](const ComparedRun& run) { return !run.record.skipped_waits.empty(); });
  std::vector<std::string> parts;
  for (const Start& start : StartsOf(comparison)) {
    const bool at_once = start.waited == Duration::zero();
    parts.push_back(FormatTime(std::chrono::floor<std::chrono::minutes>(start.at)) + ", " +
                    (at_once ? "at once" : "after " + FormatDuration(start.waited)) + ": " +
                    Join(start.groups, ", "));
  }
  return Join(parts, "; ") + (skipped ? " (on a replayed clock that skips waits)" : "");
}

// "; waiting saved 117 g of CO2 for each kWh", for the group whose schedule saved most.
std::string OfEachKilowattHour(const Comparison& comparison) {
  double most = 0;
  for (const Group& group : comparison.groups) {
    const GroupMetric* energy = FindMetric(group, Metric::kEnergy);
    if (!group.schedule_effect_g || !energy || energy->mean.value <= 0) continue;
    const double joules_per_kwh = 3.6e6;
    most = std::max(most, -group.schedule_effect_g->value / energy->mean.value * joules_per_kwh);
  }
  return most < 1 ? "" : "; waiting saved " + FormatFixed(most, 0) + " g of CO2 for each kWh";
}

bool EmissionsAreKnown(const Comparison& comparison) {
  return std::any_of(
      comparison.differences.begin(), comparison.differences.end(),
      [](const Difference& difference) { return difference.metric == Metric::kEmissions; });
}

std::string SavedText(const Comparison& comparison) {
  if (!EmissionsAreKnown(comparison))
    return "emissions are unknown, or there is nothing to compare";
  std::vector<const Difference*> better;
  for (const Difference& difference : comparison.differences)
    if (difference.metric == Metric::kEmissions && difference.percent &&
        difference.verdict == Verdict::kBetter)
      better.push_back(&difference);
  if (better.empty()) return "no variant clearly emitted less";
  std::sort(better.begin(), better.end(),
            [](const Difference* a, const Difference* b) { return *a->percent < *b->percent; });
  std::vector<std::string> parts;
  for (const Difference* difference : better)
    parts.push_back(comparison.groups[difference->group].name + " " +
                    ChangeText(*difference->percent));
  return "emissions against " + comparison.groups[comparison.reference].name + ": " +
         Join(parts, ", ") + OfEachKilowattHour(comparison);
}

std::string CostText(const Comparison& comparison) {
  std::vector<std::string> parts;
  for (const Start& start : StartsOf(comparison))
    if (start.waited > Duration::zero())
      parts.push_back(FormatDuration(start.waited) + " of waiting (" + Join(start.groups, ", ") +
                      ")");
  for (const Metric metric : kCosts)
    for (std::size_t group = 0; group < comparison.groups.size(); ++group) {
      const Difference* difference = FindDifference(comparison, group, metric);
      if (!difference || difference->verdict != Verdict::kWorse) continue;
      parts.push_back(std::string(Info(metric).label) + " of " + comparison.groups[group].name +
                      " " + ChangeAlone(*difference));
    }
  if (parts.empty()) return "nothing got clearly worse";
  return Join(parts, "; ") + "; nothing else got clearly worse";
}

}  // namespace

std::string ComparisonAnswer(const Comparison& comparison) {
  const std::pair<const char*, std::string> lines[] = {{"ran", RanText(comparison)},
                                                       {"when", WhenText(comparison)},
                                                       {"saved", SavedText(comparison)},
                                                       {"cost", CostText(comparison)}};
  std::string text;
  for (const auto& [label, sentence] : lines) text += "  " + Padded(label, 7) + sentence + "\n";
  return text;
}

}  // namespace ebb::report
