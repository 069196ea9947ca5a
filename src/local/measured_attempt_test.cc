#include "local/measured_attempt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "platform/system_clock.h"
#include "testing/fake_feed.h"

namespace ebb::local {
namespace {

using std::chrono::hours;

const Time kDay = *ParseTime("2023-05-01");

// Constant power, so that energy is known from time.
class HundredWatts final : public meter::Meter {
 public:
  std::string Description() const override { return "test: 100 W"; }
  void Start(meter::Instant) override {}
  std::vector<core::EnergyReading> Sample(const meter::IntervalUsage& usage) override {
    return {{"cpu", core::Component::kCpu, core::EnergySource::kModel, usage.wall,
             Energy::Joules(100 * Seconds(usage.wall.length()))}};
  }
};

struct Recorder final : AttemptObserver {
  std::vector<core::LedgerRow> rows;
  bool disk_full = false;
  bool refuse = false;
  int offers = 0;
  int kill_after_ticks = -1;
  std::vector<core::BudgetEvent> budget_events;
  void OnBudget(const core::BudgetEvent& event) override { budget_events.push_back(event); }
  Status OnBegin(const core::Attempt&) override {
    if (refuse) return Fail({ExitCode::kUnavailable, "disk full", "", ""});
    return {};
  }
  Status OnRows(std::span<const core::LedgerRow> offered) override {
    ++offers;
    if (disk_full) return Fail({ExitCode::kUnavailable, "disk full", "", ""});
    rows.insert(rows.end(), offered.begin(), offered.end());
    return {};
  }
  bool OnTick(const LiveFigures&) override {
    if (kill_after_ticks-- == 0) ::kill(::getpid(), SIGTERM);
    return false;
  }
};

Result<AttemptResult> RunCommand(std::vector<std::string> argv, Recorder& recorder,
                                 std::optional<core::Budget> budget = std::nullopt,
                                 std::optional<Duration> stop_grace = std::nullopt) {
  platform::ProcessSignals signals;
  platform::SystemClock wall(signals);
  runtime::GridClock clock(wall, {true, kDay, 1, false});
  testing::FakeFeed feed(kDay, {360, 100});
  AttemptOptions options;
  options.child.argv = std::move(argv);
  options.sampler.interval = Duration{10};
  options.tick = Duration{5};
  options.stop_grace = stop_grace;
  if (budget) options.budget = runtime::BudgetWatch::Terms{*budget, {}, {}, 1, {}, {}};
  std::vector<std::unique_ptr<meter::Meter>> meters;
  meters.push_back(std::make_unique<HundredWatts>());
  if (!options.child.argv.empty())
    return RunAttempt(options, std::move(meters), feed, clock, signals, recorder);
  options.sampler.scope = core::MeterScope::kMachine;
  return MonitorMachine(options, std::move(meters), feed, clock, signals, recorder);
}

TEST(MeasuredAttempt, AProgramThatIgnoresTheRequestToStopIsEndedAfterItsGrace) {
  // Deaf to SIGTERM, which is what the test sends; so only SIGKILL ends it.
  Recorder recorder;
  recorder.kill_after_ticks = 3;
  const auto result = RunCommand({"sh", "-c", "trap '' TERM; while :; do sleep 0.02; done"},
                                 recorder, std::nullopt, Duration{40});
  ASSERT_TRUE(result) << result.error().Message();
  EXPECT_EQ(result->attempt.exit_code, 128 + SIGTERM) << "the request, not the SIGKILL after it";
  EXPECT_EQ(result->attempt.outcome, core::AttemptOutcome::kKilled);
}

TEST(MeasuredAttempt, AProgramThatEndsWithinItsGraceKeepsItsExitCode) {
  Recorder recorder;
  recorder.kill_after_ticks = 3;
  const auto result = RunCommand({"sh", "-c", "trap 'exit 7' TERM; while :; do sleep 0.01; done"},
                                 recorder, std::nullopt, Duration{5000});
  ASSERT_TRUE(result) << result.error().Message();
  EXPECT_EQ(result->attempt.exit_code, 7);
}

TEST(MeasuredAttempt, TheMachineIsMeasuredUntilARequestToStop) {
  Recorder recorder;
  recorder.kill_after_ticks = 8;
  const auto result = RunCommand({}, recorder);
  ASSERT_TRUE(result) << result.error().Message();
  EXPECT_EQ(result->attempt.outcome, core::AttemptOutcome::kDone);
  EXPECT_EQ(result->attempt.exit_code, 0);
  EXPECT_GT(core::Total(recorder.rows).energy.joules(), 0);
}

TEST(MeasuredAttempt, EnergyCoversTheWholeAttemptAndMeetsTheSignal) {
  Recorder recorder;
  const auto result = RunCommand({"sleep", "0.05"}, recorder);
  ASSERT_TRUE(result) << result.error().Message();
  EXPECT_EQ(result->attempt.outcome, core::AttemptOutcome::kDone);
  const auto totals = core::Total(recorder.rows);
  const double row_seconds =
      Seconds(recorder.rows.back().wall.end - recorder.rows.front().wall.begin);
  EXPECT_NEAR(totals.energy.joules(), 100 * row_seconds, 1e-6);
  EXPECT_GT(row_seconds, 0);
  // 360 g/kWh is 1e-4 g/J.
  EXPECT_NEAR(totals.emissions.grams, totals.energy.joules() * 1e-4, 1e-12);
}

TEST(MeasuredAttempt, OutcomesFollowTheContract) {
  Recorder recorder;
  EXPECT_EQ(RunCommand({"sh", "-c", "exit 75"}, recorder)->attempt.outcome,
            core::AttemptOutcome::kPaused);
  EXPECT_EQ(RunCommand({"sh", "-c", "exit 3"}, recorder)->attempt.outcome,
            core::AttemptOutcome::kFailed);
  const auto killed = RunCommand({"sh", "-c", "kill -9 $$"}, recorder);
  EXPECT_EQ(killed->attempt.outcome, core::AttemptOutcome::kKilled);
  EXPECT_EQ(killed->attempt.exit_code, 137);
  EXPECT_EQ(RunCommand({"ebb-no-such"}, recorder).error().code, ExitCode::kCommandNotFound);
}

TEST(MeasuredAttempt, AStopRequestReachesTheProgramAndItsMeasurementIsKept) {
  Recorder recorder;
  recorder.kill_after_ticks = 3;
  const auto result =
      RunCommand({"sh", "-c", "trap 'exit 75' TERM; while :; do sleep 0.01; done"}, recorder);
  EXPECT_EQ(result->attempt.outcome, core::AttemptOutcome::kPaused);
  EXPECT_FALSE(recorder.rows.empty());
}

TEST(MeasuredAttempt, ABudgetAsksForACheckpointAndKillsWhatIgnoresIt) {
  // 100 W: 10 J are 100 ms, of which a tenth is kept back.
  core::Budget budget{Energy::Joules(10), std::nullopt, core::BudgetAction::kStop,
                      std::chrono::seconds{5}};
  Recorder polite;
  const auto stopped = RunCommand(
      {"sh", "-c", "trap 'exit 75' TERM; while :; do sleep 0.002; done"}, polite, budget);
  EXPECT_EQ(stopped->attempt.outcome, core::AttemptOutcome::kStoppedByBudget);
  EXPECT_EQ(stopped->attempt.exit_code, 75);
  ASSERT_GE(polite.budget_events.size(), 1u);
  Recorder stubborn;
  const auto killed =
      RunCommand({"sh", "-c", "trap '' TERM; while :; do sleep 0.002; done"}, stubborn, budget);
  EXPECT_EQ(killed->attempt.outcome, core::AttemptOutcome::kStoppedByBudget);
  EXPECT_EQ(killed->attempt.exit_code, 137);
  ASSERT_FALSE(stubborn.budget_events.empty());
  EXPECT_EQ(stubborn.budget_events.back().level, core::BudgetLevel::kKilled);
  budget.action = core::BudgetAction::kPause;
  Recorder paused;
  EXPECT_EQ(
      RunCommand({"sh", "-c", "trap 'exit 75' TERM; while :; do sleep 0.002; done"}, paused, budget)
          ->attempt.outcome,
      core::AttemptOutcome::kPaused);
}

TEST(MeasuredAttempt, RowsThatCannotBeStoredAreOfferedAgainAndNamedAtTheEnd) {
  Recorder recorder;
  recorder.disk_full = true;
  const auto result = RunCommand({"sleep", "0.03"}, recorder);
  EXPECT_GT(recorder.offers, 1);
  ASSERT_FALSE(result->warnings.empty());
  EXPECT_NE(result->warnings.back().find("disk full"), std::string::npos);
  EXPECT_EQ(result->attempt.exit_code, 0) << "the program's result is not lost for a full disk";
}

}  // namespace
}  // namespace ebb::local
