#include "report/compare/compare_words.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "base/units_text.h"

namespace ebb::report {
namespace {

constexpr const char* kMinus = "\u2212";

std::string Sign(double value) { return value < 0 ? kMinus : value > 0 ? "+" : ""; }

std::string FixedWithSign(double value, int decimals) {
  const std::string size = FormatFixed(std::fabs(value), decimals);
  return (ParseNumber(size) == 0.0 ? "" : Sign(value)) + size;
}

bool InPercent(Metric metric, double reference) {
  return reference != 0 && metric != Metric::kTestAccuracy && metric != Metric::kWait;
}

bool IsManyTimes(const Estimate& difference, double reference) {
  return 100 * difference.value / std::fabs(reference) >= kMostPercent;
}

std::string TimesReference(double difference, double reference) {
  return TimesText(1 + difference / std::fabs(reference));
}

// "one run each", "2 runs each", "1 run against 3".
std::string RepeatsText(const Difference& difference) {
  const auto least = static_cast<std::size_t>(difference.difference.count);
  const std::string runs = std::to_string(least) + (least == 1 ? " run" : " runs");
  if (least != difference.most_repeats)
    return runs + " against " + std::to_string(difference.most_repeats);
  return (least == 1 ? "one run" : runs) + " each";
}

// "58.0 to 62.0 % less", "3.0 % less to 5.4 % more", "11.8 times to 12.2 times as much".
std::string IntervalSentence(const Estimate& difference, double reference) {
  if (IsManyTimes(difference, reference))
    return "95 % interval " + TimesReference(difference.low(), reference) + " to " +
           TimesReference(difference.high(), reference) + " as much";
  const double low = 100 * difference.low() / std::fabs(reference);
  const double high = 100 * difference.high() / std::fabs(reference);
  const auto fixed = [](double percent) { return FormatFixed(std::fabs(percent), 1); };
  if (high < 0) return "95 % interval " + fixed(high) + " to " + fixed(low) + " % less";
  if (low > 0) return "95 % interval " + fixed(low) + " to " + fixed(high) + " % more";
  return "95 % interval " + fixed(low) + " % less to " + fixed(high) + " % more";
}

std::string TimesWithInterval(const Estimate& difference, double reference) {
  std::string text = TimesReference(difference.value, reference);
  if (difference.interval)
    text += " (" + TimesReference(difference.low(), reference) + " to " +
            TimesReference(difference.high(), reference) + ")";
  return text;
}

// " (95 % interval ...)", or why there is none.
std::string IntervalInBrackets(const Difference& difference) {
  return " (" +
         (difference.verdict == Verdict::kNone
              ? VerdictText(difference)
              : IntervalSentence(difference.difference, difference.reference_mean)) +
         ")";
}

std::string EmissionsSentence(const Comparison& comparison, const Difference& difference) {
  const std::string& group = comparison.groups[difference.group].name;
  const std::string& reference = comparison.groups[comparison.reference].name;
  if (!difference.percent)
    return group + " emitted " + MetricText(Metric::kEmissions, difference.group_mean) + " where " +
           reference + " emitted nothing.";
  const std::string interval = IntervalInBrackets(difference);
  if (difference.verdict == Verdict::kNoClearDifference)
    return "The emissions of " + group + " and " + reference + " do not clearly differ" + interval +
           ".";
  return group + " emitted " + ChangeAgainst(*difference.percent, reference) + interval +
         (difference.verdict == Verdict::kWorse ? ": worse." : ".");
}

// "optimized used 12.3 % less energy per token than baseline (95 % interval ...)."
std::string PerUnitSentence(const Comparison& comparison, const Difference& difference) {
  const std::string& group = comparison.groups[difference.group].name;
  const std::string& reference = comparison.groups[comparison.reference].name;
  const std::string energy(Info(difference.metric).label);
  if (!difference.percent) return "";
  const std::string interval = IntervalInBrackets(difference);
  if (difference.verdict == Verdict::kNoClearDifference)
    return "The " + energy + " of " + group + " and " + reference + " does not clearly differ" +
           interval + ".";
  const std::string change = ChangeText(*difference.percent);
  const bool as_much = change == "the same" || *difference.percent >= kMostPercent;
  return group + " used " + (change == "the same" ? "as much" : change) + " " + energy +
         (as_much ? " as " : " than ") + reference + interval +
         (difference.verdict == Verdict::kWorse ? ": worse." : ".");
}

// The difference in energy per unit of work; nullptr if it is not known.
const Difference* FindPerUnit(const Comparison& comparison, std::size_t group) {
  for (const Metric metric :
       {Metric::kEnergyPerToken, Metric::kEnergyPerSample, Metric::kEnergyPerStep})
    if (const Difference* difference = FindDifference(comparison, group, metric)) return difference;
  return nullptr;
}

// `subject`: "Its schedule".
std::string ScheduleSentence(const Group& group, const std::string& subject) {
  if (!group.schedule_effect_g || !group.schedule_effect_percent) return "";
  const double percent = *group.schedule_effect_percent;
  if (ChangeText(percent) == "the same")
    return subject +
           " changed nothing: the same energy at submission would have emitted as "
           "much.";
  return subject + " alone made it emit " +
         ChangeAgainst(percent, "the same energy at submission") +
         (percent > 0 ? ", so waiting made it worse." : ".");
}

std::string OtherSentence(const Comparison& comparison, std::size_t group) {
  std::vector<std::string> parts;
  std::string without_verdict;
  for (const Metric metric :
       {Metric::kEnergy, Metric::kRunningTime, Metric::kPeakMemory, Metric::kTestAccuracy}) {
    const Difference* difference = FindDifference(comparison, group, metric);
    if (!difference) continue;
    std::string& part = parts.emplace_back(Info(metric).label);
    part += " " + ChangeWithInterval(metric, difference->difference, difference->reference_mean);
    if (difference->verdict == Verdict::kNone)
      without_verdict = " (" + VerdictText(*difference) + ")";
    else
      part += ", " + std::string(Name(difference->verdict));
  }
  if (parts.empty()) return "";
  std::string sentence = Join(parts, "; ") + without_verdict + ".";
  sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
  return sentence;
}

}  // namespace

std::string MetricText(Metric metric, double value) {
  switch (metric) {
    case Metric::kEnergyPerToken:
    case Metric::kEnergyPerSample:
    case Metric::kEnergyPerStep:
      return JoulesText(value);
    case Metric::kEmissionsPerToken:
      return EmissionsText({value * core::UnitsAtOnce(core::WorkUnit::kToken)});
    case Metric::kEmissionsPerSample:
      return EmissionsText({value * core::UnitsAtOnce(core::WorkUnit::kSample)});
    case Metric::kEmissionsPerStep:
      return EmissionsText({value * core::UnitsAtOnce(core::WorkUnit::kStep)});
    case Metric::kEmissions:
    case Metric::kEmissionsAtSubmission:
      return EmissionsText({value});
    case Metric::kEnergy:
      return EnergyText(Energy::Joules(value));
    case Metric::kRunningTime:
    case Metric::kWait:
      return FormatDuration(DurationFromSeconds(value));
    case Metric::kPeakMemory:
      return BytesText(value);
    case Metric::kTestAccuracy:
      return FormatFixed(value, 2) + " %";
    case Metric::kTestLoss:
      return FormatSignificant(value, 3);
  }
  return "";
}

std::string SignedMetricText(Metric metric, double difference) {
  if (metric == Metric::kTestAccuracy) return FixedWithSign(difference, 2) + " points";
  return Sign(difference) + MetricText(metric, std::fabs(difference));
}

std::string ChangeWithInterval(Metric metric, const Estimate& difference, double reference) {
  if (InPercent(metric, reference)) {
    if (IsManyTimes(difference, reference)) return TimesWithInterval(difference, reference);
    const auto percent = [&](double value) {
      return FixedWithSign(100 * value / std::fabs(reference), 1);
    };
    std::string text = percent(difference.value) + " %";
    if (difference.interval)
      text += " (" + percent(difference.low()) + " to " + percent(difference.high()) + ")";
    return text;
  }
  std::string text = SignedMetricText(metric, difference.value);
  const auto end = [&](double value) {
    return metric == Metric::kTestAccuracy ? FixedWithSign(value, 2)
                                           : SignedMetricText(metric, value);
  };
  if (difference.interval)
    text += " (" + end(difference.low()) + " to " + end(difference.high()) + ")";
  return text;
}

std::string ChangeAlone(const Difference& difference) {
  return ChangeWithInterval(difference.metric,
                            {difference.difference.value, difference.difference.count, {}},
                            difference.reference_mean);
}

std::string ScheduleEffectText(const Group& group) {
  if (group.runs.empty()) return "unknown: no run finished";
  if (!group.schedule_effect_g || !group.schedule_effect_percent)
    return "unknown: the intensity is not known throughout";
  const Estimate& effect = *group.schedule_effect_g;
  if (effect.value == 0) return "none";
  return ChangeWithInterval(Metric::kEmissions, effect,
                            100 * effect.value / *group.schedule_effect_percent);
}

std::string VerdictText(const Difference& difference) {
  const std::string verdict(Name(difference.verdict));
  return difference.verdict == Verdict::kNone ? RepeatsText(difference) + ": " + verdict : verdict;
}

std::string VerdictText(const FactorEffect& effect) {
  const std::string verdict(Name(effect.verdict));
  if (effect.verdict != Verdict::kNone) return verdict;
  return (effect.effect.count == 1 ? "one seed: "
                                   : std::to_string(effect.effect.count) + " seeds: ") +
         verdict;
}

std::string CountText(const Comparison& comparison, const Group& group) {
  std::set<std::int64_t> seeds;
  for (const std::size_t run : group.runs)
    if (const auto& training = comparison.runs[run].record.spec.training)
      seeds.insert(training->seed);
  const bool by_seed = seeds.size() == group.runs.size() && seeds.size() > 1;
  const std::string count = std::to_string(group.runs.size());
  if (by_seed) return count + " seeds";
  return count + (group.runs.size() == 1 ? " run" : " runs");
}

std::vector<std::string> Headlines(const Comparison& comparison) {
  std::vector<std::string> headlines;
  const auto add = [&](std::string sentence) {
    if (!sentence.empty()) headlines.push_back(std::move(sentence));
  };
  for (std::size_t group = 0; group < comparison.groups.size(); ++group) {
    if (!IsCompared(comparison, group)) continue;
    if (const Difference* energy = FindPerUnit(comparison, group))
      add(PerUnitSentence(comparison, *energy));
    const Difference* emissions = FindDifference(comparison, group, Metric::kEmissions);
    if (emissions) add(EmissionsSentence(comparison, *emissions));
    if (comparison.groups.size() > kFewGroups) continue;
    const Group& subject = comparison.groups[group];
    add(ScheduleSentence(subject, emissions ? "Its schedule" : "The schedule of " + subject.name));
    add(OtherSentence(comparison, group));
  }
  return headlines;
}

std::vector<Metric> MainMetrics(const Comparison& comparison) {
  std::vector<Metric> metrics{Metric::kEmissions, Metric::kEnergy, Metric::kRunningTime,
                              Metric::kPeakMemory, Metric::kTestAccuracy};
  // The energy per unit of work comes first: the finest unit that is compared.
  for (const Metric metric :
       {Metric::kEnergyPerToken, Metric::kEnergyPerSample, Metric::kEnergyPerStep})
    if (std::ranges::any_of(comparison.differences,
                            [&](const Difference& each) { return each.metric == metric; })) {
      metrics.insert(metrics.begin(), metric);
      break;
    }
  return metrics;
}

bool IsCompared(const Comparison& comparison, std::size_t group) {
  return group != comparison.reference && !comparison.groups[group].runs.empty();
}

const Difference* FindDifference(const Comparison& comparison, std::size_t group, Metric metric) {
  for (const Difference& difference : comparison.differences)
    if (difference.group == group && difference.metric == metric) return &difference;
  return nullptr;
}

const GroupMetric* FindMetric(const Group& group, Metric metric) {
  for (const GroupMetric& item : group.metrics)
    if (item.metric == metric) return &item;
  return nullptr;
}

}  // namespace ebb::report
