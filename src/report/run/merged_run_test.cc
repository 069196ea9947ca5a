#include "report/run/merged_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/golden_for_test.h"
#include "report/run/ledger_file.h"
#include "report/run/run_builder_for_test.h"
#include "report/run/run_json.h"
#include "report/run/summary.h"
#include "testing/scratch_directory.h"

namespace ebb::report {
namespace {

using testing::HasSubstr;

// A run of ten minutes at 1.2 kW on `host`.
core::RunRecord Rank(const std::string& id, const std::string& host, core::MeterScope scope) {
  core::RunRecord run = RunBuilder{}.Build();
  run.spec.run_id = id;
  run.spec.machine.host = host;
  run.spec.scope = scope;
  return run;
}

Path Stored(const Path& folder, const core::RunRecord& run) {
  MergedRun alone;
  alone.record = run;
  EXPECT_TRUE(WriteMergedRun(folder / run.spec.run_id, alone));
  return folder / run.spec.run_id;
}

std::string LedgerText(const MergedRun& merged) {
  std::string text = RunSpecToJson(merged.record.spec);
  for (const auto& row : merged.record.ledger) text += FormatLedgerLine(row) + "\n";
  for (const auto& attempt : merged.record.attempts) text += AttemptEndToJson(attempt) + "\n";
  return text;
}

TEST(MergedRunTest, RanksOnOneMachineCountOnceOnSeveralAddUp) {
  const Path folder = ScratchDirectory();
  const auto machine = core::MeterScope::kMachine;
  const Path a = Stored(folder, Rank("a", "one", machine));
  const Path b = Stored(folder, Rank("b", "one", machine));
  const Path c = Stored(folder, Rank("c", "two", machine));
  const Energy one = core::Total(ReadRun(a)->ledger).energy;
  const auto same = MergeRuns({a, b}, "");
  ASSERT_TRUE(same) << same.error().Message();
  EXPECT_EQ(core::Total(same->record.ledger).energy, one);
  EXPECT_EQ(same->not_counted, one);
  EXPECT_EQ(same->record.running_time(), std::chrono::minutes(10)) << "side by side";
  const auto both = MergeRuns({a, c}, "whole");
  EXPECT_EQ(core::Total(both->record.ledger).energy, one + one);
  EXPECT_EQ(both->record.spec.name, "whole");
  EXPECT_EQ(both->record.spec.machine.host, "one, two");
  EXPECT_EQ(both->record.outcome(), core::AttemptOutcome::kDone);
}

TEST(MergedRunTest, TheWorkThatOneRankReportsIsThatOfAll) {
  const Path folder = ScratchDirectory();
  core::RunRecord first = Rank("a", "one", core::MeterScope::kMachine);
  first.work = {.tokens = 1'000'000, .steps = 500};
  core::RunRecord second = Rank("b", "two", core::MeterScope::kMachine);
  const Path a = Stored(folder, first), b = Stored(folder, second);
  const auto merged = MergeRuns({a, b}, "");
  ASSERT_TRUE(merged) << merged.error().Message();
  ASSERT_TRUE(WriteMergedRun(folder / "ab", *merged));
  const auto read = ReadRun(folder / "ab");
  EXPECT_EQ(read->work, first.work);
  EXPECT_NEAR(Summarise(*read).per_unit.front().joules,
              2 * Summarise(first).per_unit.front().joules, 1e-12);
  EXPECT_EQ(MergeRuns({folder / "ab"}, "")->record.work, first.work) << "of its members";

  second.work.steps = 500;
  const auto unclear = MergeRuns({a, Stored(folder / "again", second)}, "");
  EXPECT_TRUE(unclear->record.work.empty());
  EXPECT_THAT(unclear->notices, testing::Contains(HasSubstr("several members report work")));
}

TEST(MergedRunTest, MergingMergedRunsIsMergingTheirMembers) {
  const Path folder = ScratchDirectory();
  const Path a = Stored(folder, Rank("a", "one", core::MeterScope::kMachine));
  const Path b = Stored(folder, Rank("b", "one", core::MeterScope::kProcessTree));
  const Path c = Stored(folder, Rank("c", "two", core::MeterScope::kProcessTree));
  const auto first = MergeRuns({a, b}, "");
  ASSERT_TRUE(WriteMergedRun(folder / "ab", *first));
  const auto second = MergeRuns({c, b}, "");
  ASSERT_TRUE(WriteMergedRun(folder / "cb", *second));
  const std::string all = LedgerText(*MergeRuns({a, b, c}, ""));
  EXPECT_EQ(LedgerText(*MergeRuns({folder / "ab", c}, "")), all);
  EXPECT_EQ(LedgerText(*MergeRuns({folder / "cb", folder / "ab", a}, "")), all);
  const auto read = ReadRun(folder / "ab");
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_EQ(core::Total(read->ledger).energy, core::Total(first->record.ledger).energy);
}

TEST(MergedRunTest, AFailedRankFailsTheRunAndAContinuedOneDoesNot) {
  const Path folder = ScratchDirectory();
  core::RunRecord failed = Rank("f", "one", core::MeterScope::kProcessTree);
  failed.attempts.back().outcome = core::AttemptOutcome::kFailed;
  const Path f = Stored(folder, failed);
  const Path g = Stored(folder, Rank("g", "two", core::MeterScope::kProcessTree));
  EXPECT_EQ(Summarise(MergeRuns({f, g}, "")->record).outcome, core::AttemptOutcome::kFailed);
  RunBuilder later;
  later.submitted = std::chrono::hours(20);
  core::RunRecord continued = later.Build();
  continued.spec.run_id = "h";
  const Path h = Stored(folder, continued);
  EXPECT_EQ(Summarise(MergeRuns({f, h}, "")->record).outcome, core::AttemptOutcome::kDone);
}

TEST(MergedRunTest, KindsAndBoundariesAreNeverMixed) {
  const Path folder = ScratchDirectory();
  const Path a = Stored(folder, Rank("a", "one", core::MeterScope::kMachine));
  core::RunRecord marginal = Rank("m", "two", core::MeterScope::kMachine);
  marginal.spec.signal.kind = core::SignalKind::kMarginal;
  const auto refused = MergeRuns({a, Stored(folder, marginal)}, "");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().Message(), HasSubstr("average and marginal"));
  core::RunRecord direct = Rank("d", "two", core::MeterScope::kMachine);
  direct.spec.signal.boundary = core::Boundary::kDirect;
  EXPECT_FALSE(MergeRuns({a, Stored(folder, direct)}, ""));
  EXPECT_FALSE(MergeRuns({folder / "nothing-here"}, ""));
}

}  // namespace
}  // namespace ebb::report
