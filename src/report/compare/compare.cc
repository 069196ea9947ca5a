#include "report/compare/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "report/compare/compare_words.h"
#include "report/compare/factors.h"
#include "report/compare/group_names.h"
#include "report/compare/one_program.h"
#include "report/run/width_course.h"
#include "report/signal_text.h"

namespace ebb::report {
namespace {

constexpr std::array<MetricInfo, kMetricCount> kMetrics{{
    {Metric::kEnergyPerToken, "energy_per_token_j", "energy per token", "J", true},
    {Metric::kEmissionsPerToken, "emissions_per_token_g", "emissions per million tokens", "g",
     true},
    {Metric::kEnergyPerSample, "energy_per_sample_j", "energy per sample", "J", true},
    {Metric::kEmissionsPerSample, "emissions_per_sample_g", "emissions per 1,000 samples", "g",
     true},
    {Metric::kEnergyPerStep, "energy_per_step_j", "energy per step", "J", true},
    {Metric::kEmissionsPerStep, "emissions_per_step_g", "emissions per 1,000 steps", "g", true},
    {Metric::kEmissions, "emissions_g", "emissions", "g", true},
    {Metric::kEmissionsAtSubmission, "emissions_at_submission_g",
     "emissions, same energy at submission", "g", true},
    {Metric::kEnergy, "energy_j", "energy", "J", true},
    {Metric::kRunningTime, "running_time_s", "running time", "s", true},
    {Metric::kWait, "wait_s", "wait before the start", "s", true},
    {Metric::kPeakMemory, "peak_tensor_bytes", "peak tensor memory", "bytes", true},
    {Metric::kTestAccuracy, "test_accuracy_percent", "test accuracy", "%", false},
    {Metric::kTestLoss, "test_loss", "test loss", "", true},
}};

std::optional<double> Finite(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

// The use of one unit. A step is a different amount of work in runs with unlike batches, so it is
// compared only if nothing finer is known.
const core::UnitUse* UseOf(const Summary& summary, core::WorkUnit unit) {
  const std::vector<core::UnitUse>& uses = summary.per_unit;
  if (unit == core::WorkUnit::kStep && uses.size() > 1) return nullptr;
  const auto use = std::ranges::find(uses, unit, &core::UnitUse::unit);
  return use == uses.end() ? nullptr : &*use;
}
std::optional<double> JoulesOf(const Summary& summary, core::WorkUnit unit) {
  const core::UnitUse* use = UseOf(summary, unit);
  return use ? std::optional(use->joules) : std::nullopt;
}
std::optional<double> GramsOf(const Summary& summary, core::WorkUnit unit) {
  const core::UnitUse* use = UseOf(summary, unit);
  return use ? use->grams : std::nullopt;
}

// The key that pairs a run with its counterpart in another group: its seed, and its number among
// the repetitions of that seed.
struct PairKey {
  std::int64_t seed;
  int repetition;
  auto operator<=>(const PairKey&) const = default;
};

// Values of a metric, all of them and by pair key. Runs without a seed have no pair key.
struct MetricValues {
  std::vector<double> values;
  std::map<PairKey, double> by_seed;
};

MetricValues ValuesOf(const Comparison& comparison, const Group& group, Metric metric) {
  MetricValues result;
  std::map<std::int64_t, int> repetitions;
  for (const std::size_t index : group.runs) {
    const ComparedRun& run = comparison.runs[index];
    const auto& training = run.record.spec.training;
    const int repetition = training ? repetitions[training->seed]++ : 0;
    const auto value = run.Value(metric);
    if (!value) continue;
    result.values.push_back(*value);
    if (training) result.by_seed[{training->seed, repetition}] = *value;
  }
  return result;
}

// Values of two groups for the pair keys that both have, in one order.
struct Pairs {
  std::vector<double> a, b, differences;
};

Pairs PairsOf(const MetricValues& a, const MetricValues& b) {
  Pairs pairs;
  for (const auto& [key, value] : a.by_seed) {
    const auto it = b.by_seed.find(key);
    if (it == b.by_seed.end()) continue;
    pairs.a.push_back(value);
    pairs.b.push_back(it->second);
    pairs.differences.push_back(it->second - value);
  }
  return pairs;
}

bool Pairable(const MetricValues& a, const MetricValues& b, std::size_t pairs) {
  const bool same_seeds = pairs == a.values.size() && pairs == b.values.size();
  return pairs > 0 && (same_seeds || pairs >= static_cast<std::size_t>(kFewestForInterval));
}

void AddDifference(Comparison& comparison, std::size_t group, Metric metric) {
  const MetricValues a = ValuesOf(comparison, comparison.groups[comparison.reference], metric);
  const MetricValues b = ValuesOf(comparison, comparison.groups[group], metric);
  if (a.values.empty() || b.values.empty()) return;
  const Pairs pairs = PairsOf(a, b);
  Difference difference;
  difference.group = group;
  difference.metric = metric;
  difference.paired = Pairable(a, b, pairs.differences.size());
  difference.most_repeats =
      difference.paired ? pairs.differences.size() : std::max(a.values.size(), b.values.size());
  // All figures of a paired line are of the same runs.
  difference.reference_mean = MeanOf(difference.paired ? pairs.a : a.values).value;
  difference.group_mean = MeanOf(difference.paired ? pairs.b : b.values).value;
  difference.difference =
      difference.paired ? MeanOf(pairs.differences) : DifferenceOfMeans(a.values, b.values);
  if (difference.reference_mean != 0 && metric != Metric::kWait)
    difference.percent = 100 * difference.difference.value / std::fabs(difference.reference_mean);
  difference.verdict = Judge(difference.difference, difference.reference_mean, metric);
  comparison.differences.push_back(difference);
}

std::string CommonLevel(const Comparison& comparison, const std::vector<std::size_t>& runs,
                        Factor factor) {
  std::set<std::string> levels;
  for (const std::size_t run : runs)
    levels.insert(FactorLevel(comparison.runs[run].record.spec, factor));
  return levels.size() == 1 ? *levels.begin() : "mixed";
}

void AddScheduleEffect(const Comparison& comparison, Group& group) {
  std::vector<double> effects;
  double at_submission = 0;
  for (const std::size_t index : group.runs) {
    const ComparedRun& run = comparison.runs[index];
    const auto actual = run.Value(Metric::kEmissions);
    const auto other = run.Value(Metric::kEmissionsAtSubmission);
    if (!actual || !other) continue;
    effects.push_back(*actual - *other);
    at_submission += *other;
  }
  if (effects.empty()) return;
  group.schedule_effect_g = MeanOf(effects);
  if (at_submission > 0)
    group.schedule_effect_percent =
        100 * group.schedule_effect_g->value * static_cast<double>(effects.size()) / at_submission;
}

void DescribeGroup(const Comparison& comparison, Group& group) {
  const auto& described = group.runs.empty() ? group.unfinished : group.runs;
  group.schedule = CommonLevel(comparison, described, Factor::kSchedule);
  group.accumulation = CommonLevel(comparison, described, Factor::kAccumulation);
  group.precision = CommonLevel(comparison, described, Factor::kPrecision);
  for (const MetricInfo& metric : kMetrics) {
    const MetricValues values = ValuesOf(comparison, group, metric.metric);
    if (!values.values.empty()) group.metrics.push_back({metric.metric, MeanOf(values.values)});
  }
  AddScheduleEffect(comparison, group);
}

void MakeGroups(Comparison& comparison) {
  std::vector<const core::RunSpec*> specs;
  for (const ComparedRun& run : comparison.runs) specs.push_back(&run.record.spec);
  const std::vector<std::string> names = GroupNames(specs);
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const std::string& name = names[i];
    auto it = std::find_if(comparison.groups.begin(), comparison.groups.end(),
                           [&](const Group& group) { return group.name == name; });
    if (it == comparison.groups.end()) {
      comparison.groups.emplace_back();
      it = std::prev(comparison.groups.end());
      it->name = name;
    }
    const bool finished = comparison.runs[i].summary.outcome == core::AttemptOutcome::kDone;
    (finished ? it->runs : it->unfinished).push_back(i);
  }
  const auto seed = [&](std::size_t run) {
    const auto& training = comparison.runs[run].record.spec.training;
    return training ? training->seed : 0;
  };
  for (Group& group : comparison.groups) {
    std::stable_sort(group.runs.begin(), group.runs.end(),
                     [&](std::size_t a, std::size_t b) { return seed(a) < seed(b); });
    DescribeGroup(comparison, group);
  }
}

// The first group with a finished run: differences need a reference with values.
std::size_t DefaultReference(const std::vector<Group>& groups) {
  const auto finished = std::find_if(groups.begin(), groups.end(),
                                     [](const Group& group) { return !group.runs.empty(); });
  return finished == groups.end() ? 0 : static_cast<std::size_t>(finished - groups.begin());
}

Status ChooseReference(const CompareOptions& options, Comparison& comparison) {
  comparison.reference = DefaultReference(comparison.groups);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < comparison.groups.size(); ++i) {
    names.push_back(comparison.groups[i].name);
    if (comparison.groups[i].name == options.baseline) comparison.reference = i;
  }
  if (!options.baseline.empty() && comparison.groups[comparison.reference].name != options.baseline)
    return Fail({ExitCode::kUsage,
                 "no run belongs to the baseline \"" + options.baseline + "\"" +
                     SuggestionText(options.baseline, names),
                 "", "groups here: " + Join(names, ", ")});
  return {};
}

Status CheckComparable(const std::vector<core::RunRecord>& runs) {
  if (runs.empty())
    return Fail({ExitCode::kUsage, "there is no run to compare", "", "name run directories"});
  for (const core::RunRecord& run : runs) {
    if (run.spec.signal.kind == runs.front().spec.signal.kind) continue;
    return Fail({ExitCode::kConfiguration,
                 "average and marginal carbon intensities cannot be compared", run.spec.run_id,
                 "compare runs that were measured with one kind of signal"});
  }
  return {};
}

// Distinct values of a property over the finished runs, in order of appearance.
template <typename Get>
std::vector<std::string> Distinct(const Comparison& comparison, Get get) {
  std::vector<std::string> values;
  for (const ComparedRun& run : comparison.runs) {
    const std::string value = get(run.record);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

void NoteOtherDifferences(Comparison& comparison) {
  const auto note = [&](const char* what, auto get) {
    const auto values = Distinct(comparison, get);
    if (values.size() > 1)
      comparison.notices.push_back(std::string("The runs also differ in ") + what + ": " +
                                   Join(values, "; ") + ".");
  };
  const auto training = [](auto get) {
    return [get](const core::RunRecord& run) {
      return run.spec.training ? get(*run.spec.training) : std::string("none");
    };
  };
  note("model", training([](const auto& t) { return t.model; }));
  note("data set", training([](const auto& t) { return t.dataset; }));
  note("epochs", training([](const auto& t) { return std::to_string(t.epochs); }));
  note("learning rate", training([](const auto& t) { return FormatExact(t.learning_rate); }));
  note("effective batch size",
       training([](const auto& t) { return std::to_string(t.batch_size * t.accumulation_steps); }));
  note("signal", [](const core::RunRecord& run) { return SignalText(run.spec.signal); });
  note("PUE", [](const core::RunRecord& run) { return FormatExact(run.spec.pue.ratio); });
  note("processor", [](const core::RunRecord& run) { return run.spec.machine.cpu_model; });
}

void NoteSubmissions(Comparison& comparison) {
  const auto [first, last] = std::minmax_element(
      comparison.runs.begin(), comparison.runs.end(), [](const auto& a, const auto& b) {
        return a.record.spec.submitted < b.record.spec.submitted;
      });
  const Duration apart = last->record.spec.submitted - first->record.spec.submitted;
  if (apart >= std::chrono::hours(1))
    comparison.notices.push_back(
        "The runs were submitted up to " + FormatDuration(apart) +
        " apart on the grid clock, so the grid itself differed between them.");
}

// Adds a notice about runs whose seed the other group lacks: they count only in the mean of their
// own group.
void NotePairs(Comparison& comparison) {
  for (const Difference& difference : comparison.differences) {
    if (difference.metric != Metric::kEnergy || !difference.paired) continue;
    const Group& reference = comparison.groups[comparison.reference];
    const Group& group = comparison.groups[difference.group];
    const auto pairs = static_cast<std::size_t>(difference.difference.count);
    if (pairs == reference.runs.size() && pairs == group.runs.size()) continue;
    comparison.notices.push_back(group.name + " is compared with " + reference.name + " over the " +
                                 std::to_string(pairs) +
                                 " seeds that both have; the other runs are in no difference.");
  }
}

// The ids of the runs; a whole group is named by its name.
std::string NameRuns(const Comparison& comparison, const std::vector<std::size_t>& runs) {
  if (runs.size() == comparison.runs.size()) return "All runs";
  std::vector<std::string> whole_groups, single_runs;
  for (const Group& group : comparison.groups) {
    std::vector<std::size_t> members = group.runs;
    members.insert(members.end(), group.unfinished.begin(), group.unfinished.end());
    std::sort(members.begin(), members.end());
    if (std::includes(runs.begin(), runs.end(), members.begin(), members.end())) {
      whole_groups.push_back(group.name);
      continue;
    }
    for (const std::size_t run : members)
      if (std::binary_search(runs.begin(), runs.end(), run))
        single_runs.push_back(comparison.runs[run].record.spec.run_id);
  }
  std::vector<std::string> parts;
  if (!whole_groups.empty()) parts.push_back("All runs of " + Join(whole_groups, ", "));
  if (!single_runs.empty()) parts.push_back(Join(single_runs, ", "));
  return Join(parts, " and ");
}

// Writes a sentence that holds for several runs once, with their names.
template <typename Sentences>
void NoteTogether(Comparison& comparison, Sentences sentences_of) {
  std::map<std::string, std::vector<std::size_t>> runs_by_sentence;
  std::vector<std::string> order;
  for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
    for (const std::string& sentence : sentences_of(comparison.runs[run])) {
      auto [it, is_new] = runs_by_sentence.try_emplace(sentence);
      if (is_new) order.push_back(sentence);
      it->second.push_back(run);
    }
  }
  for (const std::string& sentence : order)
    comparison.notices.push_back(NameRuns(comparison, runs_by_sentence[sentence]) + ": " +
                                 sentence);
}

std::vector<std::string> AccountingNotices(const ComparedRun& run) {
  std::vector<std::string> notices;
  if (run.summary.outcome != core::AttemptOutcome::kDone)
    notices.push_back("Did not finish (" + std::string(core::Name(run.summary.outcome)) +
                      ") and is left out of all figures.");
  else if (run.summary.totals.energy_without_intensity > Energy{})
    notices.push_back(
        "Used energy while the carbon intensity was unknown; its emissions are left out.");
  if (run.summary.totals.on_modelled > Energy{})
    notices.push_back("Accounted with modelled carbon intensity.");
  if (const auto course = WidthCourse(run.record); !course.empty())
    notices.push_back("Elastic: " + WidthCourseText(course) + ".");
  return notices;
}

}  // namespace

std::span<const MetricInfo> Metrics() { return kMetrics; }
const MetricInfo& Info(Metric metric) { return kMetrics[static_cast<std::size_t>(metric)]; }

std::string_view Name(Verdict verdict) {
  static constexpr std::array<std::string_view, 4> kNames{"better", "worse", "no clear difference",
                                                          "no verdict"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::optional<double> ComparedRun::Value(Metric metric) const {
  if (record.ledger.empty() && metric <= Metric::kEnergy) return std::nullopt;
  const bool all_known = summary.totals.energy_without_intensity == Energy{};
  switch (metric) {
    case Metric::kEnergyPerToken:
      return JoulesOf(summary, core::WorkUnit::kToken);
    case Metric::kEmissionsPerToken:
      return GramsOf(summary, core::WorkUnit::kToken);
    case Metric::kEnergyPerSample:
      return JoulesOf(summary, core::WorkUnit::kSample);
    case Metric::kEmissionsPerSample:
      return GramsOf(summary, core::WorkUnit::kSample);
    case Metric::kEnergyPerStep:
      return JoulesOf(summary, core::WorkUnit::kStep);
    case Metric::kEmissionsPerStep:
      return GramsOf(summary, core::WorkUnit::kStep);
    case Metric::kEmissions:
      if (!all_known) return std::nullopt;
      return summary.totals.emissions.grams;
    case Metric::kEmissionsAtSubmission:
      if (!summary.at_submission || !summary.at_submission->saving) return std::nullopt;
      return summary.at_submission->run.emissions.grams;
    case Metric::kEnergy:
      return summary.totals.energy.joules();
    case Metric::kRunningTime:
      return Seconds(summary.running_time);
    case Metric::kWait:
      return Seconds(summary.waited);
    case Metric::kPeakMemory:
      if (!record.training) return std::nullopt;
      return Finite(record.training->peak_tensor_bytes);
    case Metric::kTestAccuracy:
      if (!record.training) return std::nullopt;
      return Finite(record.training->test_accuracy_percent);
    case Metric::kTestLoss:
      if (!record.training) return std::nullopt;
      return Finite(record.training->test_loss);
  }
  return std::nullopt;
}

Result<Comparison> Compare(std::vector<core::RunRecord> runs, const CompareOptions& options) {
  std::vector<std::string> notices = options.notices;
  if (!options.unlike_programs) {
    EBB_ASSIGN_OR_RETURN(OneProgram kept, OfOneProgram(std::move(runs), options.baseline));
    runs = std::move(kept.runs);
    if (!kept.notice.empty()) notices.push_back(std::move(kept.notice));
  }
  EBB_RETURN_IF_ERROR(CheckComparable(runs));
  Comparison comparison;
  for (core::RunRecord& run : runs) {
    Summary summary = Summarise(run);
    comparison.runs.push_back({std::move(run), std::move(summary)});
  }
  MakeGroups(comparison);
  EBB_RETURN_IF_ERROR(ChooseReference(options, comparison));
  for (std::size_t group = 0; group < comparison.groups.size(); ++group)
    for (const MetricInfo& metric : kMetrics)
      if (group != comparison.reference) AddDifference(comparison, group, metric.metric);
  SeparateFactors(comparison);
  NoteTogether(comparison, [](const ComparedRun& run) { return ReplayNotices(run.record); });
  comparison.notices.insert(comparison.notices.begin(), notices.begin(), notices.end());
  NoteTogether(comparison, AccountingNotices);
  NoteOtherDifferences(comparison);
  NoteSubmissions(comparison);
  NotePairs(comparison);
  comparison.headlines = Headlines(comparison);
  return comparison;
}

}  // namespace ebb::report
