#include "local/process/measured_attempt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <utility>

#include "local/process/grid_file.h"
#include "platform/file.h"
#include "platform/system_clock.h"
#include "testing/fake_clock.h"
#include "testing/fake_feed.h"
#include "testing/scratch_directory.h"

namespace ebb::local {
namespace {

using std::chrono::hours;

const Time kDay = *ParseTime("2023-05-01");

// A shell program that answers SIGTERM as given and tells when it is ready for it: on a busy
// machine that may take longer than a fixed wait.
class Trapper {
 public:
  std::vector<std::string> Command(const std::string& answer) const {
    std::filesystem::remove(ready_);
    return {"sh", "-c", "trap '" + answer + "' TERM; : > \"$0\"; while :; do sleep 0.01; done",
            ready_.string()};
  }
  bool IsReady() const { return std::filesystem::exists(ready_); }

 private:
  const std::filesystem::path ready_ = ScratchDirectory("trapper") / "ready";
};

// Constant power, so that energy follows from time; if a program is awaited, from its readiness on.
class HundredWatts : public meter::Meter {
 public:
  explicit HundredWatts(const Trapper* awaited) : awaited_(awaited) {}
  std::string Description() const override { return "test: 100 W"; }
  void Start(meter::Instant) override {}
  std::vector<core::EnergyReading> Sample(const meter::IntervalUsage& usage) override {
    const bool spends = !awaited_ || awaited_->IsReady();
    return {{"cpu", core::Component::kCpu, core::EnergySource::kModel, usage.wall,
             spends ? Spent(usage) : Energy()}};
  }

 protected:
  virtual Energy Spent(const meter::IntervalUsage& usage) {
    return Energy::Joules(100 * Seconds(usage.wall.length()));
  }

 private:
  const Trapper* awaited_;
};

// Spends 9.5 J at once and then nothing: close to a limit of 10 J, and never beyond it.
class NearlyTenJoules final : public HundredWatts {
 public:
  using HundredWatts::HundredWatts;

 private:
  Energy Spent(const meter::IntervalUsage&) override {
    return std::exchange(spent_, true) ? Energy() : Energy::Joules(9.5);
  }
  bool spent_ = false;
};

struct Recorder final : AttemptObserver {
  std::vector<core::LedgerRow> rows;
  bool disk_full = false;
  bool refuse = false;
  int offers = 0;
  int kill_after_ticks = -1;
  const Trapper* awaited = nullptr;  ///< the ticks count from when it is ready
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
    if (awaited && !awaited->IsReady()) return false;
    if (kill_after_ticks-- == 0) ::kill(::getpid(), SIGTERM);
    return false;
  }
};

Result<AttemptResult> RunCommand(std::vector<std::string> argv, Recorder& recorder,
                                 std::optional<core::Budget> budget = std::nullopt,
                                 std::optional<Duration> stop_grace = std::nullopt,
                                 std::unique_ptr<meter::Meter> meter = nullptr,
                                 const std::filesystem::path& directory = {}) {
  platform::ProcessSignals signals;
  platform::SystemClock wall(signals);
  runtime::GridClock clock(wall, {true, kDay, 1, false});
  testing::FakeFeed feed(kDay, {360, 100});
  AttemptOptions options;
  options.child.argv = std::move(argv);
  options.sampler.interval = Duration{10};
  options.tick = Duration{5};
  options.stop_grace = stop_grace;
  options.directory = directory;
  if (budget) options.budget = runtime::BudgetWatch::Terms{*budget, {}, {}, 1, {}, {}};
  std::vector<std::unique_ptr<meter::Meter>> meters;
  if (!meter) meter = std::make_unique<HundredWatts>(recorder.awaited);
  meters.push_back(std::move(meter));
  if (!options.child.argv.empty())
    return RunAttempt(options, std::move(meters), feed, clock, signals, recorder);
  options.sampler.scope = core::MeterScope::kMachine;
  return MonitorMachine(options, std::move(meters), feed, clock, signals, recorder);
}

TEST(MeasuredAttempt, AProgramThatIgnoresTheRequestToStopIsEndedAfterItsGrace) {
  // The program ignores SIGTERM, which the test sends, so only SIGKILL ends it.
  Recorder recorder;
  const Trapper deaf;
  recorder.awaited = &deaf;
  recorder.kill_after_ticks = 3;
  const auto result = RunCommand(deaf.Command(""), recorder, std::nullopt, Duration{40});
  ASSERT_TRUE(result) << result.error().Message();
  EXPECT_EQ(result->attempt.exit_code, 128 + SIGTERM) << "the request, not the SIGKILL after it";
  EXPECT_EQ(result->attempt.outcome, core::AttemptOutcome::kKilled);
}

TEST(MeasuredAttempt, AProgramThatEndsWithinItsGraceKeepsItsExitCode) {
  Recorder recorder;
  const Trapper polite;
  recorder.awaited = &polite;
  recorder.kill_after_ticks = 3;
  const auto result =
      RunCommand(polite.Command("exit 7"), recorder, std::nullopt, Duration{60'000});
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

TEST(MeasuredAttempt, TheProgramFindsTheGridInItsDirectory) {
  Recorder recorder;
  const std::filesystem::path scratch = ScratchDirectory("grid-file");
  const auto result = RunCommand(
      {"sh", "-c", "until grep -q 360 \"$0\"; do sleep 0.01; done; cp \"$0\" \"$0.seen\"",
       (scratch / kGridFile).string()},
      recorder, std::nullopt, std::nullopt, nullptr, scratch);
  ASSERT_TRUE(result) << result.error().Message();
  const auto seen = platform::ReadFile(scratch / "grid.json.seen");
  ASSERT_TRUE(seen) << seen.error().Message();
  EXPECT_NE(seen->find(R"("g_per_kwh":360.0,"pue":1.0)"), std::string::npos) << *seen;
}

TEST(GridFile, SaysTheIntensityNowAndNoneOfAnEarlierAttempt) {
  using std::chrono::seconds;
  const auto path = ScratchDirectory("grid-file") / kGridFile;
  ASSERT_TRUE(platform::WriteFileAtomically(path, "of an earlier attempt"));
  testing::FakeClock wall(kDay - hours{1});
  const runtime::GridClock clock(wall, {false, {}, 1, false});
  testing::FakeFeed feed(kDay, {360, 142.5, 142.5});
  GridFile file(path, feed, clock, Pue{1.25});
  const auto says = [&](Duration at, const std::string& intensity) {
    return *platform::ReadFile(path) == "{\"time_ms\":" + std::to_string(Milliseconds(kDay + at)) +
                                            ",\"g_per_kwh\":" + intensity + ",\"pue\":1.25}\n";
  };
  EXPECT_TRUE(file.Look());
  EXPECT_TRUE(says(-hours{1}, "null"));
  wall.SleepUntil(kDay + seconds{1});
  EXPECT_TRUE(file.Look());
  EXPECT_TRUE(says(seconds{1}, "360.0"));
  wall.SleepUntil(kDay + hours{1});
  EXPECT_TRUE(file.Look());
  EXPECT_TRUE(says(hours{1}, "142.5"));
  wall.SleepUntil(kDay + hours{3} - seconds{1});
  EXPECT_FALSE(file.Look()) << "the next hour is as clean";
  wall.SleepUntil(kDay + hours{3} + seconds{28});
  EXPECT_FALSE(file.Look()) << "the next value may be on its way";
  EXPECT_TRUE(says(hours{1}, "142.5"));
  wall.SleepUntil(kDay + hours{3} + seconds{30});
  EXPECT_TRUE(file.Look());
  EXPECT_TRUE(says(hours{3} + seconds{30}, "null"));
}

TEST(GridFile, IsTriedAgainIfItCouldNotBeWritten) {
  const auto folder = ScratchDirectory("grid-file") / "later";
  testing::FakeClock wall(kDay);
  const runtime::GridClock clock(wall, {false, {}, 1, false});
  testing::FakeFeed feed(kDay, {360});
  GridFile file(folder / kGridFile, feed, clock, Pue{1});
  EXPECT_FALSE(file.Look());
  std::filesystem::create_directories(folder);
  EXPECT_TRUE(file.Look());
  EXPECT_TRUE(std::filesystem::exists(folder / kGridFile));
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
  const Trapper polite;
  recorder.awaited = &polite;
  recorder.kill_after_ticks = 3;
  const auto result = RunCommand(polite.Command("exit 75"), recorder);
  EXPECT_EQ(result->attempt.outcome, core::AttemptOutcome::kPaused);
  EXPECT_FALSE(recorder.rows.empty());
}

TEST(MeasuredAttempt, ABudgetAsksForACheckpointAndHonoursTheAnswer) {
  const Trapper program;
  const core::BudgetAction actions[] = {core::BudgetAction::kStop, core::BudgetAction::kPause};
  const core::AttemptOutcome outcomes[] = {core::AttemptOutcome::kStoppedByBudget,
                                           core::AttemptOutcome::kPaused};
  for (int i = 0; i < 2; ++i) {
    Recorder recorder;
    const core::Budget budget{Energy::Joules(10), std::nullopt, actions[i],
                              std::chrono::minutes{1}};
    const auto stopped = RunCommand(program.Command("exit 75"), recorder, budget, std::nullopt,
                                    std::make_unique<NearlyTenJoules>(&program));
    ASSERT_TRUE(stopped) << stopped.error().Message();
    EXPECT_EQ(stopped->attempt.outcome, outcomes[i]);
    EXPECT_EQ(stopped->attempt.exit_code, 75);
    ASSERT_FALSE(recorder.budget_events.empty());
    EXPECT_EQ(recorder.budget_events.back().level, core::BudgetLevel::kReached);
  }
}

TEST(MeasuredAttempt, ABudgetKillsWhatIgnoresIt) {
  const Trapper program;
  Recorder recorder;
  recorder.awaited = &program;
  // 100 W: 10 J are 100 ms, of which a tenth is kept back.
  const core::Budget budget{Energy::Joules(10), std::nullopt, core::BudgetAction::kStop,
                            std::chrono::seconds{5}};
  const auto killed = RunCommand(program.Command(""), recorder, budget);
  ASSERT_TRUE(killed) << killed.error().Message();
  EXPECT_EQ(killed->attempt.outcome, core::AttemptOutcome::kStoppedByBudget);
  EXPECT_EQ(killed->attempt.exit_code, 137);
  ASSERT_FALSE(recorder.budget_events.empty());
  EXPECT_EQ(recorder.budget_events.back().level, core::BudgetLevel::kKilled);
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
