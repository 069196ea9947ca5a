#include "report/run/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/golden_for_test.h"
#include "report/run/run_builder_for_test.h"
#include "testing/scratch_directory.h"

namespace ebb::report {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// 10 minutes of 1200 W are 0.2 kWh.
constexpr double kKwh = 0.2;

core::RunRecord Waited(Duration wait) {
  RunBuilder builder;
  builder.group = "optimized";
  builder.policy = "threshold";
  builder.waited = wait;
  builder.replayed = true;
  return builder.Build();
}

TEST(Summary, StatesWhatWasUsedAndEmittedAndWhatItWouldHaveBeenAtSubmission) {
  // Submitted at 18 h (400 g), started at 11 h the next day (160 g).
  const Summary summary = Summarise(Waited(hours(17)));
  EXPECT_NEAR(summary.totals.energy.kwh(), kKwh, 1e-12);
  EXPECT_NEAR(summary.totals.emissions.grams, kKwh * 160, 1e-9);
  EXPECT_EQ(summary.intensity_at_submission, Intensity{400});
  EXPECT_EQ(summary.waited, hours(17));
  EXPECT_EQ(summary.running_time, minutes(10));
  ASSERT_TRUE(summary.at_submission && summary.at_submission->saving);
  EXPECT_NEAR(summary.at_submission->run.emissions.grams, kKwh * 400, 1e-9);
  EXPECT_NEAR(summary.at_submission->saving->grams, kKwh * 240, 1e-9);
  EXPECT_NEAR(*summary.at_submission->saving_percent, 60, 1e-9);
}

TEST(Summary, FindsTheBestStartInHindsightAndTheShareOfThePossibleSaving) {
  // The cleanest hour before the deadline (18 h the next day) is 13 h at 120 g.
  const Summary summary = Summarise(Waited(hours(17)));
  ASSERT_TRUE(summary.best_in_hindsight);
  EXPECT_NEAR(summary.best_in_hindsight->run.emissions.grams, kKwh * 120, 1e-9);
  EXPECT_GE(summary.best_in_hindsight->run.start, kMidnight + hours(24 + 13));
  EXPECT_LT(summary.best_in_hindsight->run.start, kMidnight + hours(24 + 14));
  EXPECT_NEAR(*summary.share_of_possible_saving, 240.0 / 280.0, 1e-9);
}

TEST(Summary, ARunThatDidNotWaitIsItsOwnCounterfactual) {
  const Summary summary = Summarise(RunBuilder{}.Build());
  ASSERT_TRUE(summary.at_submission && summary.at_submission->saving);
  EXPECT_EQ(summary.at_submission->saving->grams, 0);
  EXPECT_FALSE(summary.share_of_possible_saving);
}

TEST(Summary, ANegativeSavingIsCalledWorse) {
  RunBuilder builder;
  builder.submitted = hours(13);  // 110 g
  builder.waited = hours(5);      // 400 g
  const core::RunRecord run = builder.Build();
  const Summary summary = Summarise(run);
  EXPECT_NEAR(summary.at_submission->saving->grams, -kKwh * 290, 1e-9);
  EXPECT_THAT(SummaryText(run, summary), HasSubstr("worse by 58.0 g, 263.6 % more"));
  EXPECT_THAT(SummaryText(run, summary), Not(HasSubstr("saved")));
}

// `ebb track` starts at once: there is no wait to speak of.
TEST(Summary, AWaitIsSaidOnlyWhereSomethingCouldWait) {
  RunBuilder builder;
  const core::RunRecord at_once = builder.Build();
  EXPECT_THAT(SummaryText(at_once, Summarise(at_once)), Not(HasSubstr("waited")));
  const core::RunRecord waited = Waited(hours(1));
  EXPECT_THAT(SummaryText(waited, Summarise(waited)), HasSubstr("  waited         1h 0m; "));
}

TEST(Summary, ANegativeShareOfThePossibleSavingIsSaidInWords) {
  RunBuilder builder;
  builder.policy = "threshold";
  builder.submitted = hours(12);  // 120 g, an hour before 110 g
  builder.waited = hours(6);      // 400 g
  const core::RunRecord run = builder.Build();
  const Summary summary = Summarise(run);
  EXPECT_LT(*summary.share_of_possible_saving, 0);
  EXPECT_THAT(
      SummaryText(run, summary),
      HasSubstr("; none of the possible saving was made: it emitted more than at submission"));
}

TEST(Summary, ADifferenceWithinTheErrorsIsNoClearOne) {
  // One hour later it is 420 g.
  const core::RunRecord run = Waited(hours(1));
  const Summary summary = Summarise(run);
  EXPECT_NEAR(summary.at_submission->saving->grams, -kKwh * 20, 1e-9);
  EXPECT_THAT(SummaryText(run, summary), HasSubstr("no clear difference: 4.00 g, 5.0 % more, ± "));
  EXPECT_THAT(SummaryText(run, summary), Not(HasSubstr("worse by")));
}

TEST(Summary, EnergyOfUnknownIntensityIsStatedAndNotCompared) {
  RunBuilder builder;
  builder.submitted = hours(18);
  builder.intensity_by_hour.resize(18);
  const core::RunRecord run = builder.Build();
  const Summary summary = Summarise(run);
  EXPECT_EQ(summary.totals.energy_without_intensity, summary.totals.energy);
  ASSERT_TRUE(summary.at_submission);
  EXPECT_FALSE(summary.at_submission->saving);
  EXPECT_FALSE(summary.best_in_hindsight);
  EXPECT_THAT(SummaryText(run, summary), HasSubstr("carbon intensity was unknown"));
}

// The run's own hours have only expected intensities: they are not published yet.
TEST(Summary, TheBestStartIsNotYetKnownWhileTheRunsHoursAreNotPublished) {
  core::RunRecord run = Waited(hours(0));
  const core::IntensitySeries whole = run.signal;
  run.signal = whole.Slice({whole.span().begin, run.ledger.front().grid.begin});
  run.signal_versions = {{run.spec.created_wall, false, "", ""}};
  const Summary summary = Summarise(run);
  ASSERT_TRUE(summary.at_submission && summary.at_submission->saving);
  EXPECT_EQ(summary.at_submission->saving->grams, 0) << "it started at once";
  EXPECT_FALSE(summary.best_in_hindsight);
  EXPECT_THAT(SummaryText(run, summary), HasSubstr("not yet known"));
  EXPECT_THAT(SummaryText(run, summary), HasSubstr("may be revised"));
  run.signal = whole;
  EXPECT_TRUE(Summarise(run).best_in_hindsight);
}

TEST(Summary, ARevisionMovesBothSidesOfASaving) {
  core::RunRecord run = Waited(hours(0));
  std::vector<core::Sample> revised = run.signal.samples();
  for (core::Sample& sample : revised) sample.intensity.g_per_kwh *= 1.7;
  run.signal = *core::IntensitySeries::Create(run.signal.identity(), revised);
  const Summary summary = Summarise(run);
  EXPECT_EQ(summary.at_submission->saving->grams, 0);
  EXPECT_NEAR(summary.totals.emissions.grams, 1.7 * core::Total(run.ledger).emissions.grams, 1e-6);
}

TEST(Summary, ARunThatPausedIsHeldAgainstTheBestWithPauses) {
  RunBuilder builder;
  builder.policy = "window";
  builder.waited = hours(16);
  builder.running = hours(3);
  core::RunRecord run = builder.Build();
  const double unpaused = *Summarise(run).share_of_possible_saving;
  core::RunRecord paused = run;  // an hour later from its second hour on: cleaner still
  for (core::LedgerRow& row : paused.ledger)
    if (row.grid.begin >= run.ledger.front().grid.begin + hours(1)) {
      row.attempt = 2;
      for (Interval* span : {&row.grid, &row.wall}) {
        span->begin += hours(1);
        span->end += hours(1);
      }
    }
  const Summary summary = Summarise(paused);
  ASSERT_TRUE(summary.share_of_possible_saving);
  EXPECT_LE(*summary.share_of_possible_saving, 1);
  EXPECT_GT(*summary.share_of_possible_saving, 0);
  EXPECT_GT(unpaused, 0);
}

TEST(Summary, EpochsShareTheEnergyOfTheRunByTime) {
  const Summary summary = Summarise(RunBuilder{}.Build());
  ASSERT_THAT(summary.epochs, SizeIs(2));
  EXPECT_EQ(summary.epochs[0].totals.energy + summary.epochs[1].totals.energy,
            summary.totals.energy);
}

TEST(Summary, ALongRunIsSearchedOnCoarserRowsAndAnsweredOnExactOnes) {
  RunBuilder builder;
  builder.policy = "window";
  builder.waited = hours(10);
  builder.running = hours(9);  // 540 minutes of two devices
  const core::RunRecord run = builder.Build();
  const Summary summary = Summarise(run);
  ASSERT_TRUE(summary.best_in_hindsight);
  const auto fine = core::BestStart(run.ledger, {run.spec.submitted, *run.spec.start_by},
                                    minutes(30), run.signal);
  ASSERT_TRUE(fine);
  EXPECT_LE(summary.best_in_hindsight->run.emissions.grams, fine->emissions.grams * 1.0001);
}

TEST(Summary, AReplayedClockAndSkippedWaitsAreNamedEverywhere) {
  const core::RunRecord run = Waited(hours(17));
  const Summary summary = Summarise(run);
  for (const std::string& text : {SummaryText(run, summary), SummaryJson(run, summary),
                                  NeoSummaryJson(run, summary, "out")}) {
    EXPECT_THAT(text, HasSubstr("The grid clock was replayed from 2023-05-01T18:00:00Z"));
    EXPECT_THAT(text, HasSubstr("Waits of 17h 0m were skipped, not slept"));
  }
  EXPECT_THAT(ReplayNotices(RunBuilder{}.Build()), IsEmpty());
}

TEST(Summary, SkippedWaitsThatFollowOnEachOtherAreNamedAsOne) {
  core::RunRecord run = Waited(hours(17));
  const Interval whole = run.skipped_waits.front().grid;
  run.skipped_waits.clear();
  for (Time hour = whole.begin; hour < whole.end; hour += hours(1))
    run.skipped_waits.push_back({{hour, hour + hours(1)}});
  EXPECT_THAT(ReplayNotices(run).back(),
              HasSubstr("skipped, not slept: 2023-05-01T18:00:00Z to 2023-05-02T11:00:00Z."));
}

// 0.2 kWh are 720 kJ, and at 400 g/kWh 80 g.
TEST(Summary, EnergyPerUnitIsThatOfTheWholeRunWithItsUncertainty) {
  RunBuilder builder;
  builder.work = {.tokens = 2'000'000, .samples = 4000, .steps = 125};
  const core::RunRecord run = builder.Build();
  const Summary summary = Summarise(run);
  const std::string text = SummaryText(run, summary);
  EXPECT_THAT(text,
              HasSubstr("  per token      360 mJ/token ± 42 %, 40.0 g per million tokens ± 44 "
                        "%; 2,000,000 tokens\n"));
  EXPECT_THAT(text, HasSubstr("  per sample     180 J/sample ± 42 %, 20.0 g per 1,000 samples ± 44 "
                              "%; 4,000 samples\n"));
  EXPECT_THAT(text, HasSubstr("  per step       1.60 Wh/step ± 42 %, 640 g per 1,000 steps"));
  const auto json = nlohmann::json::parse(SummaryJson(run, summary));
  EXPECT_EQ(json["work"]["tokens"], 2'000'000);
  EXPECT_NEAR(json["work"]["energy_per_token_j"], 0.36, 1e-12);
  EXPECT_NEAR(json["work"]["emissions_per_sample_g"], 0.02, 1e-12);
}

TEST(Summary, WorkThatIsNotReportedIsNullAndHasNoLine) {
  RunBuilder builder;
  EXPECT_EQ(nlohmann::json::parse(SummaryJson(builder.Build(), Summarise(builder.Build())))["work"],
            nullptr);
  builder.work.steps = 10;
  core::RunRecord run = builder.Build();
  const Time begin = run.ledger.front().grid.begin;
  for (core::LedgerRow& row : run.ledger)
    if (row.grid.begin == begin) row.intensity.reset();
  run.signal = {};
  const Summary summary = Summarise(run);
  const auto work = nlohmann::json::parse(SummaryJson(run, summary))["work"];
  EXPECT_EQ(work["tokens"], nullptr);
  EXPECT_GT(work["energy_per_step_j"], 0);
  EXPECT_EQ(work["emissions_per_step_g"], nullptr) << "a part of the energy has no intensity";
  EXPECT_THAT(SummaryText(run, summary), Not(HasSubstr("per token")));
}

TEST(Summary, ARunThatNeverStartedHasASummary) {
  core::RunRecord run = Waited(hours(17));
  run.attempts.clear();
  run.ledger.clear();
  run.epochs.clear();
  run.training.reset();
  const Summary summary = Summarise(run);
  EXPECT_EQ(summary.outcome, core::AttemptOutcome::kNotStarted);
  EXPECT_FALSE(summary.at_submission);
  EXPECT_THAT(SummaryText(run, summary), HasSubstr("never started"));
  EXPECT_THAT(SummaryJson(run, summary), HasSubstr("\"outcome\": \"not_started\""));
}

TEST(Summary, FilesLookAsDocumented) {
  const core::RunRecord run = Waited(hours(17));
  const Summary summary = Summarise(run);
  ExpectGolden("summary.json", SummaryJson(run, summary));
  ExpectGolden("summary_optimized.json", NeoSummaryJson(run, summary, "output/optimized"));
  ExpectGolden("summary.txt", SummaryText(run, summary));
}

TEST(Summary, ARunNameCannotLeaveTheDirectory) {
  RunBuilder builder;
  builder.group = "../../evil";
  const core::RunRecord run = builder.Build();
  const auto directory = ScratchDirectory();
  ASSERT_TRUE(WriteSummaries(directory, run, Summarise(run)));
  EXPECT_TRUE(std::filesystem::exists(directory / "summary_.._.._evil.json"));
}

}  // namespace
}  // namespace ebb::report
