#include "report/compare/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/compare/compare_words.h"
#include "report/golden_for_test.h"
#include "report/run/run_builder_for_test.h"

namespace ebb::report {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

RunBuilder Baseline(std::int64_t seed) {
  RunBuilder builder;
  builder.seed = seed;
  // Noise that differs by seed and is the same in every group.
  builder.power_factor = 1 + 0.01 * static_cast<double>(seed);
  builder.test_accuracy_percent = 98.5 + 0.1 * static_cast<double>(seed);
  return builder;
}

RunBuilder Optimized(std::int64_t seed) {
  RunBuilder builder = Baseline(seed);
  builder.group = "optimized";
  builder.policy = "threshold";
  builder.waited = hours(17);
  builder.replayed = true;
  builder.batch_size = 16;
  builder.accumulation_steps = 4;
  builder.running = minutes(14);
  builder.power_factor += 0.002 * static_cast<double>(seed % 2);
  builder.peak_tensor_bytes = 49e6;
  builder.test_accuracy_percent += seed == 2 ? -0.05 : 0.02;
  return builder;
}

std::vector<core::RunRecord> ThreeSeedsOfEach() {
  std::vector<core::RunRecord> runs;
  for (const std::int64_t seed : {1, 2, 3}) {
    runs.push_back(Baseline(seed).Build());
    runs.push_back(Optimized(seed).Build());
  }
  return runs;
}

Comparison Of(std::vector<core::RunRecord> runs, const std::string& baseline = "") {
  auto comparison = Compare(std::move(runs), {baseline});
  EXPECT_TRUE(comparison) << comparison.error().Message();
  return *comparison;
}

TEST(Compare, PairsGroupsBySeedAndGivesAnInterval) {
  const Comparison comparison = Of(ThreeSeedsOfEach());
  const Difference* emissions = FindDifference(comparison, 1, Metric::kEmissions);
  ASSERT_TRUE(emissions);
  EXPECT_TRUE(emissions->paired);
  EXPECT_EQ(emissions->difference.count, 3);
  ASSERT_TRUE(emissions->difference.interval);
  // 0.2 kWh x 400 g against 0.28 kWh x 160 g, give or take the noise.
  EXPECT_NEAR(*emissions->percent, -44, 0.5);
  EXPECT_EQ(emissions->verdict, Verdict::kBetter);
}

// Both did the same work; the optimized runs used 1.4 times the energy for it.
TEST(Compare, EnergyPerUnitOfWorkComesFirst) {
  std::vector<core::RunRecord> runs = ThreeSeedsOfEach();
  for (core::RunRecord& run : runs) run.work = {.samples = 60'000, .steps = 938};
  const Comparison comparison = Of(runs);
  const Difference* energy = FindDifference(comparison, 1, Metric::kEnergyPerSample);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(*energy->percent, 40.2, 0.1);
  EXPECT_EQ(energy->verdict, Verdict::kWorse);
  EXPECT_EQ(FindDifference(comparison, 1, Metric::kEmissionsPerSample)->verdict, Verdict::kBetter);
  EXPECT_FALSE(FindDifference(comparison, 1, Metric::kEnergyPerStep))
      << "steps of unlike batches are unlike work";
  EXPECT_FALSE(FindDifference(comparison, 1, Metric::kEnergyPerToken));
  const std::string text = ComparisonText(comparison);
  EXPECT_TRUE(
      text.starts_with("optimized used 40.2 % more energy per sample than baseline (95 % "
                       "interval 39.1 to 41.2 % more): worse.\n"))
      << text;
  EXPECT_THAT(text, HasSubstr("\nenergy per sample                     12.2 J "));
  EXPECT_LT(text.find("\nemissions per 1,000 samples "), text.find("\nemissions  "));
}

TEST(Compare, StepsAreComparedWhereNothingElseIsReported) {
  std::vector<core::RunRecord> runs = ThreeSeedsOfEach();
  for (core::RunRecord& run : runs) run.work.steps = 938;
  EXPECT_TRUE(FindDifference(Of(runs), 1, Metric::kEnergyPerStep));
  runs.front().work = {};
  EXPECT_EQ(FindDifference(Of(runs), 1, Metric::kEnergyPerStep)->difference.count, 2)
      << "of one pair nothing is known";
}

TEST(Compare, CallsWorseWhatGotWorse) {
  const Comparison comparison = Of(ThreeSeedsOfEach());
  EXPECT_EQ(FindDifference(comparison, 1, Metric::kEnergy)->verdict, Verdict::kWorse);
  EXPECT_EQ(FindDifference(comparison, 1, Metric::kRunningTime)->verdict, Verdict::kWorse);
  EXPECT_EQ(FindDifference(comparison, 1, Metric::kWait)->verdict, Verdict::kWorse);
  EXPECT_EQ(FindDifference(comparison, 1, Metric::kPeakMemory)->verdict, Verdict::kBetter);
  EXPECT_EQ(FindDifference(comparison, 1, Metric::kTestAccuracy)->verdict,
            Verdict::kNoClearDifference);
}

TEST(Compare, NeverSpeaksOfAReductionThatIsAnIncrease) {
  std::vector<core::RunRecord> runs = ThreeSeedsOfEach();
  const Comparison comparison = Of(runs, "optimized");  // the baseline is the cleaner group
  EXPECT_THAT(comparison.headlines, Contains(HasSubstr("baseline emitted 78.")));
  EXPECT_THAT(comparison.headlines, Contains(HasSubstr("% more than optimized")));
  EXPECT_THAT(comparison.headlines, Contains(HasSubstr(": worse.")));
  const std::string text = ComparisonText(comparison) + ComparisonMarkdown(comparison);
  EXPECT_THAT(text, Not(HasSubstr("reduction")));
}

TEST(Compare, AWaitIsNeverAPercentage) {
  std::vector<core::RunRecord> runs = ThreeSeedsOfEach();
  for (core::RunRecord& run : runs)  // a program takes milliseconds to start
    if (run.spec.group == "baseline") run.spec.submitted -= Duration{28};
  const Comparison comparison = Of(runs);
  EXPECT_FALSE(FindDifference(comparison, 1, Metric::kWait)->percent);
  EXPECT_THAT(ComparisonText(comparison), HasSubstr("+17h 0m ("));
}

TEST(Compare, TwoSeedsHaveNoInterval) {
  std::vector<core::RunRecord> runs = ThreeSeedsOfEach();
  runs.resize(4);
  const Comparison comparison = Of(runs);
  EXPECT_FALSE(FindDifference(comparison, 1, Metric::kEmissions)->difference.interval);
  for (const Difference& difference : comparison.differences)
    EXPECT_EQ(difference.verdict, Verdict::kNone) << Info(difference.metric).key;
  EXPECT_THAT(ComparisonText(comparison), HasSubstr("2 runs each: no verdict"));
}

// A single run against a single run with 0.01 % more energy gets no verdict.
TEST(Compare, WithoutRepetitionTheDifferenceIsShownAndNothingIsJudged) {
  std::vector<core::RunRecord> runs;
  for (const char* group : {"a", "b"}) {
    RunBuilder builder;
    builder.group = group;
    builder.power_factor = group[0] == 'a' ? 1 : 1.002;
    runs.push_back(builder.Build());
  }
  const Comparison comparison = Of(runs);
  EXPECT_THAT(comparison.headlines,
              Contains(HasSubstr("b emitted 0.2 % more than a (one run each: no verdict).")));
  EXPECT_THAT(comparison.headlines, Contains(HasSubstr("Energy +0.2 %; ")));
  for (const std::string& text :
       {ComparisonText(comparison), ComparisonMarkdown(comparison), ComparisonJson(comparison)}) {
    EXPECT_THAT(text, HasSubstr("no verdict"));
    EXPECT_THAT(text, Not(HasSubstr("worse")));
    EXPECT_THAT(text, Not(HasSubstr("better")));
  }
}

TEST(Compare, OneRunAgainstSeveralIsSaidSo) {
  std::vector<core::RunRecord> runs;
  for (const char* group : {"a", "b", "b", "b"}) {
    RunBuilder builder;
    builder.group = group;
    builder.trains = false;
    runs.push_back(builder.Build());
  }
  EXPECT_THAT(ComparisonText(Of(runs)), HasSubstr("1 run against 3: no verdict"));
}

TEST(Compare, SeedsThatDoNotMatchAreNotPaired) {
  std::vector<core::RunRecord> runs;
  for (const std::int64_t seed : {1, 2, 3}) runs.push_back(Baseline(seed).Build());
  for (const std::int64_t seed : {4, 5, 6}) runs.push_back(Optimized(seed).Build());
  const Comparison comparison = Of(runs);
  EXPECT_FALSE(FindDifference(comparison, 1, Metric::kEmissions)->paired);
  EXPECT_TRUE(FindDifference(comparison, 1, Metric::kEmissions)->difference.interval);
}

// Seeds 4 and 5 of the reference have no counterpart, so a paired line leaves them out.
TEST(Compare, APairedLineIsOfThePairsAlone) {
  std::vector<core::RunRecord> runs = ThreeSeedsOfEach();
  const Comparison matching = Of(runs);
  for (const std::int64_t seed : {4, 5}) {
    RunBuilder alone = Baseline(seed);
    alone.power_factor = 10;
    runs.push_back(alone.Build());
  }
  const Comparison partly = Of(runs);
  for (const Metric metric : {Metric::kEmissions, Metric::kEnergy, Metric::kTestAccuracy}) {
    const Difference* wanted = FindDifference(matching, 1, metric);
    const Difference* found = FindDifference(partly, 1, metric);
    ASSERT_TRUE(wanted && found);
    EXPECT_TRUE(found->paired);
    EXPECT_EQ(found->reference_mean, wanted->reference_mean);
    EXPECT_EQ(found->group_mean, wanted->group_mean);
    EXPECT_NEAR(found->group_mean - found->reference_mean, found->difference.value,
                1e-9 * found->reference_mean);
    EXPECT_EQ(found->percent, wanted->percent);
    EXPECT_EQ(found->verdict, wanted->verdict);
  }
  EXPECT_THAT(partly.notices, Contains(HasSubstr("the 3 seeds that both have")));
  EXPECT_THAT(matching.notices, Not(Contains(HasSubstr("seeds that both have"))));
}

TEST(Compare, TheScheduleIsSeparatedWithoutASecondRun) {
  const Comparison comparison = Of(ThreeSeedsOfEach());
  EXPECT_EQ(comparison.groups[0].schedule_effect_g->value, 0);
  EXPECT_NEAR(*comparison.groups[1].schedule_effect_percent, -60, 1e-9);
  // Without the effect of the schedule, more energy at the same 400 g remains.
  EXPECT_NEAR(*FindDifference(comparison, 1, Metric::kEmissionsAtSubmission)->percent, 40, 0.5);
}

TEST(Compare, FactorsThatVaryTogetherAreNamedAndNotSplit) {
  const Comparison comparison = Of(ThreeSeedsOfEach());
  EXPECT_THAT(comparison.factors.varied, ElementsAre(Factor::kSchedule, Factor::kAccumulation));
  EXPECT_THAT(comparison.factors.confounded,
              ElementsAre(ElementsAre(Factor::kSchedule, Factor::kAccumulation)));
  EXPECT_THAT(comparison.factors.effects, IsEmpty());
  EXPECT_THAT(comparison.factors.notes,
              Contains(HasSubstr("In these runs schedule and accumulation only vary together")));
}

RunBuilder FactorialRun(std::int64_t seed, bool waits, bool accumulates, bool half) {
  RunBuilder builder = Baseline(seed);
  builder.group = std::string(waits ? "wait" : "now") + (accumulates ? "-accumulate" : "") +
                  (half ? "-bf16" : "");
  if (waits) {
    builder.policy = "threshold";
    builder.waited = hours(17);
  }
  if (accumulates) {
    builder.batch_size = 16;
    builder.accumulation_steps = 4;
    builder.peak_tensor_bytes *= 0.7;
  }
  if (half) {
    builder.precision = "bf16";
    builder.peak_tensor_bytes *= 0.6;
    builder.running = minutes(8);
  }
  return builder;
}

std::vector<core::RunRecord> Factorial() {
  std::vector<core::RunRecord> runs;
  for (const std::int64_t seed : {1, 2, 3})
    for (int cell = 0; cell < 8; ++cell)
      runs.push_back(FactorialRun(seed, cell & 1, cell & 2, cell & 4).Build());
  return runs;
}

const FactorEffect* FindEffect(const Comparison& comparison, Factor factor, Metric metric) {
  for (const FactorEffect& effect : comparison.factors.effects)
    if (effect.factor == factor && effect.metric == metric) return &effect;
  return nullptr;
}

TEST(Compare, AFactorialSeparatesTheFactors) {
  const Comparison comparison = Of(Factorial());
  EXPECT_THAT(comparison.factors.confounded, IsEmpty());
  EXPECT_THAT(comparison.factors.effects, SizeIs(3 * comparison.groups.front().metrics.size()));
  EXPECT_NEAR(*FindEffect(comparison, Factor::kAccumulation, Metric::kPeakMemory)->percent, -30,
              1e-6);
  EXPECT_NEAR(*FindEffect(comparison, Factor::kPrecision, Metric::kPeakMemory)->percent, -40, 1e-6);
  EXPECT_EQ(FindEffect(comparison, Factor::kSchedule, Metric::kPeakMemory)->verdict,
            Verdict::kNoClearDifference);
  EXPECT_NEAR(FindEffect(comparison, Factor::kPrecision, Metric::kRunningTime)->effect.value, -120,
              1e-6);
}

TEST(Compare, AnInteractionOfTwoFactorsIsNotChargedToAThird) {
  // One variant per factor and one with all three, whose memory shrinks less than both factors
  // alone promise.
  std::vector<core::RunRecord> runs;
  for (const std::int64_t seed : {1, 2, 3}) {
    for (const int cell : {0, 1, 2, 4, 7})
      runs.push_back(FactorialRun(seed, cell & 1, cell & 2, cell & 4).Build());
    runs.back().training->peak_tensor_bytes *= 1.3;
  }
  const Comparison comparison = Of(runs);
  EXPECT_NEAR(*FindEffect(comparison, Factor::kSchedule, Metric::kPeakMemory)->percent, 0, 1e-9);
  EXPECT_NEAR(*FindEffect(comparison, Factor::kAccumulation, Metric::kPeakMemory)->percent, -30,
              1e-6);
  EXPECT_NEAR(*FindEffect(comparison, Factor::kPrecision, Metric::kPeakMemory)->percent, -40, 1e-6);
}

TEST(Compare, TheScheduleEffectOfAFactorialIsTheRatioOfGeometricMeans) {
  const Comparison comparison = Of(Factorial());
  double log_ratio = 0;
  for (const ComparedRun& run : comparison.runs)
    log_ratio +=
        (run.record.spec.policy == "now" ? -1 : 1) * std::log(*run.Value(Metric::kEmissions)) / 12;
  const FactorEffect* effect = FindEffect(comparison, Factor::kSchedule, Metric::kEmissions);
  EXPECT_NEAR(*effect->percent, 100 * std::expm1(log_ratio), 1e-9);
  EXPECT_EQ(effect->verdict, Verdict::kBetter);
  EXPECT_EQ(effect->level, "threshold 200 g/kWh");
}

TEST(Compare, FactorsOfAProductAreEachFoundWhole) {
  // Waiting saves 60 % of emissions and bf16 saves 20 % of the energy, independently of each other.
  const Comparison comparison = Of(Factorial());
  const FactorEffect* schedule = FindEffect(comparison, Factor::kSchedule, Metric::kEmissions);
  EXPECT_NEAR(*schedule->percent, -60, 1e-6);
  ASSERT_TRUE(schedule->effect.interval);
  EXPECT_NEAR(schedule->effect.low(), schedule->effect.high(), 1e-6);
  EXPECT_NEAR(*FindEffect(comparison, Factor::kPrecision, Metric::kEmissions)->percent, -20, 1e-6);
  EXPECT_NEAR(*FindEffect(comparison, Factor::kAccumulation, Metric::kEmissions)->percent, 0, 1e-6);
}

TEST(Compare, AnEffectThatIsASumIsTheDifferenceOfMeans) {
  const Comparison comparison = Of(Factorial());
  const FactorEffect* effect = FindEffect(comparison, Factor::kSchedule, Metric::kWait);
  EXPECT_NEAR(effect->effect.value, Seconds(hours(17)), 1e-6);
}

TEST(Compare, AFactorThatVariesAloneIsSeparatedFromTwoThatDoNot) {
  std::vector<core::RunRecord> runs;
  for (const std::int64_t seed : {1, 2, 3}) {
    runs.push_back(FactorialRun(seed, false, false, false).Build());
    runs.push_back(FactorialRun(seed, false, true, true).Build());
    runs.push_back(FactorialRun(seed, true, false, false).Build());
  }
  const Comparison comparison = Of(runs);
  EXPECT_THAT(comparison.factors.confounded,
              ElementsAre(ElementsAre(Factor::kAccumulation, Factor::kPrecision)));
  EXPECT_TRUE(FindEffect(comparison, Factor::kSchedule, Metric::kEmissions));
  EXPECT_FALSE(FindEffect(comparison, Factor::kPrecision, Metric::kEmissions));
}

TEST(Compare, ARunThatFailedIsNamedAndLeftOut) {
  std::vector<core::RunRecord> runs = ThreeSeedsOfEach();
  runs[1].attempts.back().outcome = core::AttemptOutcome::kFailed;
  const Comparison comparison = Of(runs);
  EXPECT_THAT(comparison.groups[1].runs, SizeIs(2));
  EXPECT_THAT(comparison.groups[1].unfinished, ElementsAre(1u));
  EXPECT_THAT(comparison.notices, Contains(HasSubstr("optimized-seed1: Did not finish (failed)")));
  EXPECT_THAT(NeoComparisonJson(comparison, kMidnight),
              HasSubstr("\"optimized_completed\": false"));
}

TEST(Compare, EmissionsOfUnknownIntensityAreLeftOutAndSaidSo) {
  std::vector<core::RunRecord> runs = ThreeSeedsOfEach();
  for (core::LedgerRow& row : runs[0].ledger) row.intensity.reset();
  runs[0].signal = {};
  const Comparison comparison = Of(runs);
  EXPECT_EQ(FindMetric(comparison.groups[0], Metric::kEmissions)->mean.count, 2);
  EXPECT_THAT(comparison.notices, Contains(HasSubstr("intensity was unknown")));
}

TEST(Compare, EveryOutputSaysWhatWasReplayed) {
  const Comparison comparison = Of(ThreeSeedsOfEach());
  for (const std::string& text :
       {ComparisonText(comparison), ComparisonMarkdown(comparison), ComparisonJson(comparison)}) {
    EXPECT_THAT(text, HasSubstr("The grid clock was replayed"));
    EXPECT_THAT(text, HasSubstr("were skipped, not slept"));
  }
}

TEST(Compare, DifferencesOutsideTheFactorsAreNamed) {
  std::vector<core::RunRecord> runs = ThreeSeedsOfEach();
  runs[1].spec.training->batch_size = 128;
  runs[1].spec.training->epochs = 9;
  const Comparison comparison = Of(runs);
  EXPECT_THAT(comparison.notices, Contains(HasSubstr("differ in effective batch size: 64; 512")));
  EXPECT_THAT(comparison.notices, Contains(HasSubstr("differ in epochs: 2; 9")));
}

TEST(Compare, RefusesWhatCannotBeCompared) {
  EXPECT_FALSE(Compare({}));
  std::vector<core::RunRecord> runs = ThreeSeedsOfEach();
  const auto misspelt = Compare(runs, {"basline"});
  ASSERT_FALSE(misspelt);
  EXPECT_THAT(misspelt.error().Message(), HasSubstr("did you mean \"baseline\"?"));
  runs[0].spec.signal.kind = core::SignalKind::kMarginal;
  EXPECT_THAT(Compare(runs).error().Message(), HasSubstr("average and marginal"));
}

TEST(Compare, OneGroupAloneIsDescribed) {
  std::vector<core::RunRecord> runs;
  for (const std::int64_t seed : {1, 2, 3}) runs.push_back(Baseline(seed).Build());
  const Comparison comparison = Of(runs);
  EXPECT_THAT(comparison.differences, IsEmpty());
  EXPECT_THAT(ComparisonText(comparison), HasSubstr("baseline (3 seeds)"));
}

TEST(Compare, RunsOfOtherProgramsAreComparedByWhatTheyHave) {
  std::vector<core::RunRecord> runs;
  for (const char* group : {"a", "b"})
    for (int i = 0; i < 3; ++i) {
      RunBuilder builder;
      builder.group = group;
      builder.trains = false;
      runs.push_back(builder.Build());
    }
  const Comparison comparison = Of(runs);
  EXPECT_FALSE(FindDifference(comparison, 1, Metric::kTestAccuracy));
  EXPECT_FALSE(FindDifference(comparison, 1, Metric::kEnergy)->paired);
  EXPECT_EQ(FindDifference(comparison, 1, Metric::kEnergy)->verdict, Verdict::kNoClearDifference);
}

RunBuilder OtherProgram(const std::string& group, const std::string& policy) {
  RunBuilder builder;
  builder.group = group;
  builder.trains = false;
  builder.policy = policy;
  if (policy != "now") builder.waited = hours(17);
  return builder;
}

TEST(Compare, WithoutASampleThereIsNoEffectAndItSaysWhatGivesOne) {
  const Comparison comparison =
      Of({OtherProgram("a", "now").Build(), OtherProgram("b", "threshold").Build()});
  EXPECT_THAT(comparison.factors.effects, IsEmpty());
  EXPECT_THAT(comparison.factors.notes,
              ElementsAre(HasSubstr("no two of these runs have the same")));
  const std::string text = ComparisonText(comparison) + ComparisonMarkdown(comparison);
  EXPECT_THAT(text, Not(HasSubstr("n = 0")));
}

TEST(Compare, ARunOfAnotherProgramIsNoSampleOfAFactor) {
  std::vector<core::RunRecord> runs = Factorial();
  const Comparison alone = Of(runs);
  RunBuilder other = OtherProgram("other", "now");
  other.power_factor = 1000;
  runs.push_back(other.Build());
  const Comparison comparison = Of(runs);
  ASSERT_THAT(comparison.factors.effects, SizeIs(alone.factors.effects.size()));
  for (std::size_t i = 0; i < alone.factors.effects.size(); ++i)
    EXPECT_EQ(comparison.factors.effects[i].effect.value, alone.factors.effects[i].effect.value);
}

TEST(Compare, UnlikeCommandsWithoutANameAreNotAveraged) {
  std::vector<core::RunRecord> runs;
  for (const char* script : {"train.py", "eval.py"}) {
    runs.push_back(OtherProgram("python3", "now").Build());
    runs.back().spec.command = {"python3", script};
  }
  const auto together = Compare(runs, {.baseline = "", .unlike_programs = true});
  ASSERT_TRUE(together) << together.error().Message();
  const Comparison& comparison = *together;
  ASSERT_THAT(comparison.groups, SizeIs(2));
  EXPECT_EQ(comparison.groups[0].name, "train.py");
  EXPECT_EQ(comparison.groups[1].name, "eval.py");
}

TEST(Compare, ALargeRatioIsSaidInTimes) {
  std::vector<core::RunRecord> runs = ThreeSeedsOfEach();
  for (core::RunRecord& run : runs)
    if (run.spec.group == "optimized")
      for (core::LedgerRow& row : run.ledger)
        row.energy = Energy::Joules(row.energy.joules() * 1e4);
  const Comparison comparison = Of(runs);
  EXPECT_THAT(comparison.headlines,
              Contains(HasSubstr("times as much as baseline (95 % interval")));
  EXPECT_THAT(ComparisonText(comparison), HasSubstr(" times ("));
  EXPECT_THAT(ComparisonMarkdown(comparison), HasSubstr(" times ("));
  EXPECT_THAT(ComparisonText(comparison), Not(HasSubstr("00 %")));
}

TEST(Compare, AGroupOfWhichNothingFinishedIsNotTheReferenceAndHasNoTable) {
  std::vector<core::RunRecord> runs{OtherProgram("a", "now").Build(),
                                    OtherProgram("b", "now").Build()};
  runs[0].attempts.back().outcome = core::AttemptOutcome::kFailed;
  const Comparison comparison = Of(runs);
  EXPECT_EQ(comparison.reference, 1u);
  EXPECT_THAT(ComparisonText(comparison), Not(HasSubstr("0 runs")));
  EXPECT_THAT(ComparisonText(comparison), HasSubstr("unknown: no run finished"));
}

TEST(Compare, ABaselineThatEmitsNothingHasNoPercentage) {
  std::vector<core::RunRecord> runs = ThreeSeedsOfEach();
  for (core::RunRecord& run : runs)
    if (run.spec.group == "baseline") {
      run.signal = {};
      for (core::LedgerRow& row : run.ledger) row.intensity = Intensity{0};
    }
  const Comparison comparison = Of(runs);
  EXPECT_FALSE(FindDifference(comparison, 1, Metric::kEmissions)->percent);
  EXPECT_THAT(NeoComparisonJson(comparison, kMidnight),
              HasSubstr("\"emissions_reduction_percent\": null"));
}

TEST(Compare, NamesAreCutForATerminalAndFiguresAreNot) {
  const Comparison comparison = Of(ThreeSeedsOfEach());
  const std::string narrow = ComparisonText(comparison, 1);
  EXPECT_THAT(narrow, HasSubstr("\nemissions, same energy …  81.6 g"));
  EXPECT_THAT(ComparisonText(comparison), Not(HasSubstr("…")));
  EXPECT_THAT(narrow, HasSubstr("+17h 0m (+17h 0m to +17h 0m)"));
}

TEST(Compare, OutputsLookAsDocumented) {
  const Comparison comparison = Of(ThreeSeedsOfEach());
  ExpectGolden("comparison.json", ComparisonJson(comparison));
  ExpectGolden("comparison_report.json", NeoComparisonJson(comparison, kMidnight));
  ExpectGolden("comparison.md", ComparisonMarkdown(comparison));
  ExpectGolden("comparison.txt", ComparisonText(comparison));
  ExpectGolden("comparison_factorial.txt", ComparisonText(Of(Factorial())));
}

}  // namespace
}  // namespace ebb::report
