#include "report/compare/factors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"

namespace ebb::report {
namespace {

using Columns = std::vector<std::vector<double>>;

constexpr std::array<Factor, 3> kFactors{Factor::kSchedule, Factor::kAccumulation,
                                         Factor::kPrecision};

struct LevelColumn {
  Factor factor;
  std::string level;
  std::vector<double> indicator;
};

// The design matrix: the level of each factor in each run, as 0/1 columns against the reference
// group's level.
struct Design {
  std::vector<std::size_t> runs;
  std::map<Factor, std::string> reference_levels;
  std::vector<LevelColumn> levels;
  Columns base;  ///< intercept and one block per seed

  Columns All() const {
    Columns all = base;
    for (const LevelColumn& column : levels) all.push_back(column.indicator);
    return all;
  }
  Columns BaseAnd(const std::set<Factor>& factors) const {
    Columns some = base;
    for (const LevelColumn& column : levels)
      if (factors.contains(column.factor)) some.push_back(column.indicator);
    return some;
  }
};

std::optional<std::int64_t> SeedOf(const core::RunRecord& run) {
  if (!run.spec.training) return std::nullopt;
  return run.spec.training->seed;
}

std::vector<double> Indicator(const Comparison& comparison, const std::vector<std::size_t>& runs,
                              const auto& predicate) {
  std::vector<double> column;
  for (const std::size_t run : runs)
    column.push_back(predicate(comparison.runs[run].record) ? 1.0 : 0.0);
  return column;
}

void AddFactor(const Comparison& comparison, Factor factor, Design& design) {
  const Group& reference = comparison.groups[comparison.reference];
  const auto level_of = [&](const core::RunRecord& run) { return FactorLevel(run.spec, factor); };
  const std::string reference_level = level_of(comparison.runs[reference.runs.front()].record);
  std::vector<std::string> others;
  for (const std::size_t run : design.runs) {
    const std::string level = level_of(comparison.runs[run].record);
    if (level != reference_level && std::find(others.begin(), others.end(), level) == others.end())
      others.push_back(level);
  }
  design.reference_levels[factor] = reference_level;
  for (const std::string& level : others)
    design.levels.push_back(
        {factor, level, Indicator(comparison, design.runs, [&](const core::RunRecord& run) {
           return level_of(run) == level;
         })});
}

Columns SeedBlocks(const Comparison& comparison, const std::vector<std::size_t>& runs) {
  std::set<std::int64_t> seeds;
  for (const std::size_t run : runs)
    if (const auto seed = SeedOf(comparison.runs[run].record)) seeds.insert(*seed);
  Columns blocks;
  if (seeds.empty()) return blocks;
  for (auto it = std::next(seeds.begin()); it != seeds.end(); ++it)
    blocks.push_back(Indicator(comparison, runs,
                               [&](const core::RunRecord& run) { return SeedOf(run) == *it; }));
  return blocks;
}

// Seed blocks are kept only if no factor loses its estimate by them. Groups with seeds of their own
// would otherwise be explained by their seeds.
Design MakeDesign(const Comparison& comparison, const std::vector<std::size_t>& runs) {
  Design design;
  design.runs = runs;
  for (const Factor factor : kFactors) AddFactor(comparison, factor, design);
  design.base.emplace_back(runs.size(), 1.0);
  const int without_blocks = Rank(design.All()) - Rank(design.base);
  Design blocked = design;
  for (auto& block : SeedBlocks(comparison, runs)) blocked.base.push_back(std::move(block));
  const bool costs_nothing = Rank(blocked.All()) - Rank(blocked.base) == without_blocks;
  return costs_nothing ? blocked : design;
}

std::vector<Factor> Varied(const Design& design) {
  std::vector<Factor> varied;
  for (const LevelColumn& column : design.levels)
    if (varied.empty() || varied.back() != column.factor) varied.push_back(column.factor);
  return varied;
}

std::set<Factor> Confounded(const Design& design) {
  std::set<Factor> confounded;
  const Columns all = design.All();
  const int rank = Rank(all);
  for (std::size_t i = 0; i < design.levels.size(); ++i) {
    Columns others = all;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(design.base.size() + i));
    if (Rank(others) == rank) confounded.insert(design.levels[i].factor);
  }
  return confounded;
}

bool Entangled(const Design& design, Factor a, Factor b) {
  return Rank(design.BaseAnd({a, b})) <
         Rank(design.BaseAnd({a})) + Rank(design.BaseAnd({b})) - Rank(design.base);
}

// Confounded factors in sets: factors that vary together pair by pair share a set, and all others
// form one set.
std::vector<std::vector<Factor>> ConfoundedSets(const Design& design) {
  std::vector<std::vector<Factor>> sets;
  std::vector<Factor> left;
  for (const Factor factor : Confounded(design)) {
    const auto set = std::find_if(sets.begin(), sets.end(), [&](const auto& members) {
      return std::any_of(members.begin(), members.end(),
                         [&](Factor member) { return Entangled(design, member, factor); });
    });
    if (set != sets.end())
      set->push_back(factor);
    else
      sets.push_back({factor});
  }
  for (auto it = sets.begin(); it != sets.end();) {
    if (it->size() > 1) {
      ++it;
      continue;
    }
    left.push_back(it->front());
    it = sets.erase(it);
  }
  if (!left.empty()) sets.push_back(left);
  return sets;
}

std::string ConfoundedNote(const std::vector<Factor>& factors) {
  std::vector<std::string> names;
  for (const Factor factor : factors) names.emplace_back(Name(factor));
  if (names.size() == 1)
    return "The effect of " + names[0] + " cannot be told from those of the other factors.";
  const std::string last = names.back();
  names.pop_back();
  const std::string list = Join(names, ", ") + " and " + last;
  return "In these runs " + list +
         " only vary together, so their effects cannot be told apart; add runs in which one of "
         "them "
         "changes alone.";
}

// The number of seeds, which are the replicates that an interval rests on.
int SeedCount(const Comparison& comparison, const std::vector<std::size_t>& runs) {
  std::set<std::int64_t> seeds;
  for (const std::size_t run : runs)
    if (const auto seed = SeedOf(comparison.runs[run].record)) seeds.insert(*seed);
  return static_cast<int>(seeds.size());
}

double ReferenceMean(const Comparison& comparison, Metric metric) {
  for (const GroupMetric& item : comparison.groups[comparison.reference].metrics)
    if (item.metric == metric) return item.mean.value;
  return 0;
}

// Finished runs with a known seed. A run whose settings and seed Ebb does not know is left out: it
// may be of another program altogether.
std::vector<std::size_t> SeededRuns(const Comparison& comparison) {
  std::vector<std::size_t> runs;
  for (const Group& group : comparison.groups)
    for (const std::size_t run : group.runs)
      if (SeedOf(comparison.runs[run].record)) runs.push_back(run);
  return runs;
}

// A note if the effect of the schedule is missing, because readers who compare schedules look for
// it.
std::string NoSampleNote(const Comparison& comparison) {
  std::set<std::string> schedules;
  for (const Group& group : comparison.groups)
    if (!group.runs.empty()) schedules.insert(group.schedule);
  if (schedules.size() < 2 && !schedules.contains("mixed")) return "";
  return "The effect of the schedule by itself is unknown: no two of these runs have the same seed "
         "and differ in the schedule alone. Such runs would give it, for example `ebb train` with "
         "the same seeds under both schedules.";
}

// True for quantities that factors multiply: energy is power times time, emissions are energy times
// intensity. The model is fitted to their logarithms, which add.
bool IsMultiplied(Metric metric, const std::vector<double>& values) {
  const bool by_nature =
      metric != Metric::kWait && metric != Metric::kTestAccuracy && metric != Metric::kTestLoss;
  return by_nature && std::all_of(values.begin(), values.end(), [](double v) { return v > 0; });
}

struct Observations {
  std::vector<std::size_t> runs;
  std::vector<double> values;
};

Observations Observe(const Comparison& comparison, Metric metric) {
  Observations observations;
  for (const std::size_t run : SeededRuns(comparison)) {
    const auto value = comparison.runs[run].Value(metric);
    if (!value) continue;
    observations.runs.push_back(run);
    observations.values.push_back(*value);
  }
  return observations;
}

// Converts an effect on the logarithm into a difference to `reference`.
Estimate FromLogarithm(Estimate effect, double reference) {
  const auto difference = [&](double log_ratio) { return reference * std::expm1(log_ratio); };
  if (effect.interval)
    effect.interval = {difference(effect.interval->low), difference(effect.interval->high)};
  effect.value = difference(effect.value);
  return effect;
}

// The effect of a level from runs that differ in this factor alone: per seed the mean over all such
// pairs, then the mean over seeds. Returns nothing if no seed has such a pair. Pairs, if there are
// any, give the better estimate: least squares would assign a factor part of an interaction between
// two others.
std::optional<Estimate> FromMatchedPairs(const Comparison& comparison, const LevelColumn& level,
                                         const std::string& reference_level,
                                         const Observations& observations) {
  using Levels = std::array<std::string, kFactors.size()>;
  std::map<std::int64_t, std::map<Levels, std::vector<double>>> by_seed;
  for (std::size_t i = 0; i < observations.runs.size(); ++i) {
    const core::RunRecord& run = comparison.runs[observations.runs[i]].record;
    const auto seed = SeedOf(run);
    if (!seed) continue;
    Levels levels;
    for (std::size_t f = 0; f < kFactors.size(); ++f)
      levels[f] = FactorLevel(run.spec, kFactors[f]);
    by_seed[*seed][levels].push_back(observations.values[i]);
  }
  std::vector<double> per_seed;
  for (const auto& [seed, variants] : by_seed) {
    std::vector<double> differences;
    for (const auto& [levels, values] : variants) {
      const auto factor = static_cast<std::size_t>(level.factor);
      if (levels[factor] != level.level) continue;
      Levels other = levels;
      other[factor] = reference_level;
      const auto partner = variants.find(other);
      if (partner == variants.end()) continue;
      differences.push_back(MeanOf(values).value - MeanOf(partner->second).value);
    }
    if (!differences.empty()) per_seed.push_back(MeanOf(differences).value);
  }
  if (per_seed.empty()) return std::nullopt;
  return MeanOf(per_seed);
}

// The effect in design column `column`, from the fit over all runs.
Estimate FromFit(const LeastSquares& fit, std::size_t column, int seeds) {
  Estimate effect{fit.coefficients[column], seeds, {}};
  if (seeds >= kFewestForInterval && !fit.standard_errors.empty())
    effect.SetHalfWidth(StudentQuantile95(fit.degrees_of_freedom) * fit.standard_errors[column]);
  return effect;
}

void AddEffects(Comparison& comparison, Metric metric) {
  Observations observations = Observe(comparison, metric);
  if (observations.runs.empty()) return;
  const bool multiplied = IsMultiplied(metric, observations.values);
  if (multiplied)
    for (double& value : observations.values) value = std::log(value);
  const Design design = MakeDesign(comparison, observations.runs);
  const LeastSquares fit = FitLeastSquares(design.All(), observations.values);
  const double reference = ReferenceMean(comparison, metric);
  const int seeds = SeedCount(comparison, observations.runs);
  for (std::size_t i = 0; i < design.levels.size(); ++i) {
    const std::size_t column = design.base.size() + i;
    const LevelColumn& level = design.levels[i];
    const std::string& reference_level = design.reference_levels.at(level.factor);
    auto estimate = FromMatchedPairs(comparison, level, reference_level, observations);
    if (!estimate && fit.estimable[column]) estimate = FromFit(fit, column, seeds);
    if (!estimate) continue;
    FactorEffect effect{level.factor, level.level, reference_level, metric, *estimate, {}, {}};
    if (multiplied) effect.effect = FromLogarithm(effect.effect, reference);
    if (reference != 0 && metric != Metric::kWait)
      effect.percent = 100 * effect.effect.value / std::fabs(reference);
    effect.verdict = Judge(effect.effect, reference, metric);
    comparison.factors.effects.push_back(std::move(effect));
  }
}

}  // namespace

std::string_view Name(Factor factor) {
  static constexpr std::array<std::string_view, 3> kNames{"schedule", "accumulation", "precision"};
  return kNames[static_cast<std::size_t>(factor)];
}

std::string FactorLevel(const core::RunSpec& spec, Factor factor) {
  if (factor == Factor::kSchedule)
    return spec.threshold && spec.policy == "threshold"
               ? spec.policy + " " + FormatExact(spec.threshold->g_per_kwh) + " g/kWh"
               : spec.policy;
  if (!spec.training) return "none";
  if (factor == Factor::kPrecision) return spec.training->precision;
  return std::to_string(spec.training->batch_size) + " x " +
         std::to_string(spec.training->accumulation_steps);
}

Verdict Judge(const Estimate& difference, double reference, Metric metric) {
  if (!difference.interval) return Verdict::kNone;
  // A wait below a second is the time that a program takes to start.
  const double rounding = metric == Metric::kWait ? 1.0 : 1e-9 * std::fabs(reference);
  const bool rose = difference.low() > 0 && difference.value > rounding;
  const bool fell = difference.high() < 0 && difference.value < -rounding;
  if (!rose && !fell) return Verdict::kNoClearDifference;
  return fell == Info(metric).lower_is_better ? Verdict::kBetter : Verdict::kWorse;
}

void SeparateFactors(Comparison& comparison) {
  FactorReport& report = comparison.factors;
  const Group& reference = comparison.groups[comparison.reference];
  if (reference.runs.empty() || !SeedOf(comparison.runs[reference.runs.front()].record)) {
    if (std::string note = NoSampleNote(comparison); !note.empty()) report.notes.push_back(note);
    return;
  }
  const Design design = MakeDesign(comparison, SeededRuns(comparison));
  report.varied = Varied(design);
  report.confounded = ConfoundedSets(design);
  for (const auto& set : report.confounded) report.notes.push_back(ConfoundedNote(set));
  if (report.varied.empty()) return;
  for (const MetricInfo& metric : Metrics()) AddEffects(comparison, metric.metric);
  if (!report.effects.empty())
    report.notes.push_back(
        "Each effect compares runs of one seed that differ in this factor alone; where there are "
        "none it "
        "comes from least squares over all runs. Emissions, energy, time and memory are compared "
        "as ratios, the rest "
        "as differences. What factors do together beyond that is not modelled.");
}

}  // namespace ebb::report
