#include "local/supervised_executor.h"

#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "base/text.h"
#include "local/supervised_world_for_test.h"
#include "meter/sharing/cgroup.h"
#include "platform/process_table.h"
#include "testing/no_room.h"

namespace ebb::local {
namespace {

using ::testing::ElementsAre;

TEST(SupervisedExecutor, SpeaksTheTrainingContract) {
  SupervisedWorld world;
  const auto job = world.AddShell(
      "echo $EBB_JOB_ID $EBB_RESUME $CG_CARBON_INTENSITY ${EBB_RUN_DIR##*/} $COLOUR ${PWD##*/}; "
      "exit 75");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.WaitUntil(job, JobPhase::kPaused);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 2, 0}));
  world.WaitUntil(job, JobPhase::kPaused);
  EXPECT_EQ(*platform::ReadFile(world.PathsOf(job, 1).log()), "1 0 360.0 1 green 1\n");
  EXPECT_EQ(*platform::ReadFile(world.PathsOf(job, 2).log()), "1 1 360.0 1 green 1\n");
}

TEST(SupervisedExecutor, AClockThatIsSetBackStopsNeitherFiguresNorLimits) {
  SupervisedWorld world;
  const auto job = world.AddShell("sleep 20", false);
  world.LimitTime(job, Duration{600});
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  std::ignore = world.local().WaitForEvents(world.local().Now() + Duration{60});
  world.wall().Jump(-std::chrono::hours{1});
  const int before = world.ticks();
  const engine::JobReport report = world.WaitUntil(job, JobPhase::kFailed);
  EXPECT_NE(report.detail.find("longer than its limit"), std::string::npos) << report.detail;
  EXPECT_GT(world.ticks(), before + 5);
}

TEST(SupervisedExecutor, AClockThatIsSetAheadEndsNothingBeforeItsLimit) {
  SupervisedWorld world;
  const auto job = world.AddShell("sleep 0.5");
  world.LimitTime(job, std::chrono::minutes{1});
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.wall().Jump(std::chrono::hours{48});
  const auto figures = world.local().Running().at(0).figures;
  EXPECT_LT(figures.elapsed, Duration{std::chrono::minutes{1}});
  world.WaitUntil(job, JobPhase::kSucceeded);
}

// The supervisor goes on measuring by the clock as it was when the program began.
TEST(SupervisedExecutor, WhatIsMeasuredIsCountedAtTheHourThatTheClockShows) {
  SupervisedWorld world;
  const auto job = world.AddShell("while :; do :; done");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  const auto wait_for = [&](double g_per_kwh) {
    const auto& rows = world.records().rows[job];
    for (const Time limit = world.local().Now() + world.patience(); world.local().Now() < limit;) {
      if (!rows.empty() && rows.back().intensity == Intensity{g_per_kwh}) return true;
      std::ignore = world.local().WaitForEvents(world.local().Now() + Duration{20});
    }
    return false;
  };
  EXPECT_TRUE(wait_for(360));
  world.wall().Jump(std::chrono::hours{1});
  EXPECT_TRUE(wait_for(100));
  world.wall().Jump(-std::chrono::hours{1});
  EXPECT_TRUE(wait_for(360));
  world.Restart();
  world.wall().Jump(std::chrono::hours{1});
  EXPECT_TRUE(wait_for(100)) << "in another life, too";
  ASSERT_TRUE(world.local().Execute(engine::CancelJob{job, 1}));
  world.WaitUntil(job, JobPhase::kCancelled);
  EXPECT_EQ(core::Total(world.records().rows[job]).energy.microjoules(),
            world.MeasuredMicrojoules(job));
}

TEST(SupervisedExecutor, AJumpOfTheClockIsToldOnceItHasLasted) {
  SupervisedWorld world;
  const Time begin = world.local().Now();
  const auto wait = [&] {
    std::ignore = world.local().WaitForEvents(world.local().Now() + Duration{500});
  };
  EXPECT_FALSE(world.local().TakeClockSet());
  world.wall().Jump(std::chrono::hours{48});
  wait();
  EXPECT_LT(world.local().Now(), begin + std::chrono::minutes{1}) << "not before it is taken";
  const auto set = world.local().TakeClockSet();
  ASSERT_TRUE(set);
  EXPECT_GE(set->to, set->from + std::chrono::hours{47});
  EXPECT_GE(world.local().Now(), begin + std::chrono::hours{47});
  EXPECT_FALSE(world.local().TakeClockSet());
  world.wall().Jump(-std::chrono::hours{48});
  wait();
  ASSERT_TRUE(world.local().TakeClockSet());
  EXPECT_LT(world.local().Now(), begin + std::chrono::minutes{1});
  EXPECT_EQ(world.clock_jumps().size(), 2u);
}

TEST(SupervisedExecutor, AnotherLifeAdoptsWhatRunsAndMissesNoEnergy) {
  SupervisedWorld world;
  const auto job = world.AddShell("while [ ! -e enough ]; do :; done");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  for (int life = 0; life < 5; ++life) {
    std::ignore = world.local().WaitForEvents(world.local().Now() + Duration{60});
    world.Restart();
    EXPECT_EQ(world.local().Running().size(), 1u);
    ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0})) << "known: does nothing";
  }
  std::ofstream(world.PathsOf(job).directory / "enough");
  world.WaitUntil(job, JobPhase::kSucceeded);
  const Energy stored = core::Total(world.records().rows[job]).energy;
  EXPECT_GT(stored.joules(), 0);
  EXPECT_EQ(stored.microjoules(), world.MeasuredMicrojoules(job));
}

TEST(SupervisedExecutor, WhatEndedWhileNobodyLookedIsFoundWithItsExitCode) {
  SupervisedWorld world;
  const auto failing = world.AddShell("sleep 0.1; exit 3");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{failing, 1, 0}));
  world.KillService();
  world.WaitForSupervisor(failing);
  world.Restart();
  const auto observed = world.local().Observe();
  ASSERT_EQ(observed->size(), 1u);
  EXPECT_EQ(observed->front().phase, JobPhase::kFailed);
  EXPECT_EQ(observed->front().exit_code, 3);
  EXPECT_EQ(core::Total(world.records().rows[failing]).energy.microjoules(),
            world.MeasuredMicrojoules(failing));
}

TEST(SupervisedExecutor, WhatAnotherJobWithItsNumberLeftIsSetAside) {
  SupervisedWorld world;
  const auto job = world.AddShell("echo this is A");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.WaitUntil(job, JobPhase::kSucceeded);
  world.Replace(job);
  EXPECT_TRUE(world.local().Observe()->empty());
  const auto aside = world.PathsOf(job).directory.parent_path() / "set-aside/1";
  EXPECT_TRUE(std::filesystem::exists(aside / "attempt-1.end"));
  EXPECT_FALSE(std::filesystem::exists(world.PathsOf(job).end()));
  EXPECT_THAT(world.said(), ElementsAre(::testing::HasSubstr(aside.string())));
  world.Restart();
  EXPECT_EQ(world.said().size(), 1u) << "nothing is left that could be another's";
}

TEST(SupervisedExecutor, ADamagedPlanCostsItsAttemptAndNoMore) {
  SupervisedWorld world;
  const auto job = world.AddShell(kPausable);
  const auto other = world.AddShell(kPausable);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  ASSERT_TRUE(world.local().Execute(engine::StartJob{other, 1, 0}));
  std::ignore = world.WaitForProgram();
  world.KillService();
  ::kill(*SupervisorOf(world.PathsOf(job)), SIGKILL);
  world.WaitForSupervisor(job);
  std::ofstream(world.PathsOf(job).plan()) << R"({"job": 1, "att)";
  world.Restart();
  const auto observed = world.local().Observe();
  ASSERT_EQ(observed->size(), 2u);
  EXPECT_EQ(observed->at(0).phase, JobPhase::kStartFailed);
  EXPECT_NE(observed->at(0).detail.find("attempt-1.json"), std::string::npos);
  EXPECT_EQ(observed->at(1).phase, JobPhase::kRunning);
  EXPECT_TRUE(world.local().Execute(engine::StartJob{job, 2, 0}));
  EXPECT_EQ(world.local().Running().size(), 2u);
}

TEST(SupervisedExecutor, AStartOnAFullDiskIsTheMachinesFault) {
  SupervisedWorld world;
  const auto job = world.AddShell("true");
  auto no_room = std::make_optional<testing::NoRoomForFiles>(20);
  const auto started = world.local().Execute(engine::StartJob{job, 1, 0});
  no_room.reset();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ExitCode::kTryLater) << started.error().Message();
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 2, 0}));
  world.WaitUntil(job, JobPhase::kSucceeded);
}

TEST(SupervisedExecutor, AStoreFromABackupLearnsWhatEarlierAttemptsMeasured) {
  SupervisedWorld world;
  const auto job = world.AddShell("for i in $(seq 20000); do :; done; exit 75");
  for (int attempt = 1; attempt <= 3; ++attempt) {
    ASSERT_TRUE(world.local().Execute(engine::StartJob{job, attempt, 0}));
    world.WaitUntil(job, JobPhase::kPaused);
  }
  const Energy measured = core::Total(world.records().rows[job]).energy;
  ASSERT_GT(measured.joules(), 0);
  world.ForgetWhatIsStored();
  EXPECT_EQ(world.local().Observe()->front().attempt, 3);
  EXPECT_EQ(core::Total(world.records().rows[job]).energy, measured);
}

TEST(SupervisedExecutor, ACancellationIsRememberedOverARestart) {
  SupervisedWorld world;
  const auto job = world.AddShell("trap '' TERM; touch ready; while :; do sleep 0.02; done");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.WaitForFile(job, "ready");
  ASSERT_TRUE(world.local().Execute(engine::CancelJob{job, 1}));
  world.Restart();
  EXPECT_EQ(world.WaitUntil(job, JobPhase::kCancelled).exit_code, 128 + SIGKILL);
}

// Halving judges by the last line that a program writes, and a person may be as quick. A program
// that has ended is not cancelled any more, even if its end was not taken yet.
TEST(SupervisedExecutor, AnEndThatCameBeforeTheCancellationCounts) {
  const std::vector<std::tuple<std::string, JobPhase, int>> cases{
      {"true", JobPhase::kSucceeded, 0},
      {"exit 3", JobPhase::kFailed, 3},
      {"exit 75", JobPhase::kPaused, 75}};
  for (const auto& [script, phase, exit_code] : cases) {
    SupervisedWorld world;
    const auto job = world.AddShell(script);
    ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
    for (int i = 0; i < 1000 && !std::filesystem::exists(world.PathsOf(job).end()); ++i)
      std::this_thread::sleep_for(Duration{10});
    ASSERT_TRUE(world.local().Execute(engine::CancelJob{job, 1}));
    EXPECT_EQ(world.WaitUntil(job, phase).exit_code, exit_code) << script;
  }
}

const std::string kBusy = "trap 'exit 75' TERM; while :; do :; done";

TEST(SupervisedExecutor, ABudgetStopsTheProgramAndFailsTheJob) {
  SupervisedWorld world;
  const auto job = world.AddShell(kBusy);
  world.Limit(job, {Energy::Joules(2), std::nullopt, core::BudgetAction::kStop});
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  const auto report = world.WaitUntil(job, JobPhase::kFailed);
  EXPECT_NE(report.detail.find("budget"), std::string::npos) << report.detail;
  ASSERT_EQ(world.records().ends[job].size(), 1u);
  EXPECT_EQ(world.records().ends[job][0].attempt.outcome, core::AttemptOutcome::kStoppedByBudget);
  ASSERT_FALSE(world.budget_events().empty());
  EXPECT_EQ(std::count_if(world.budget_events().begin(), world.budget_events().end(),
                          [](const core::BudgetEvent& event) {
                            return event.level == core::BudgetLevel::kReached;
                          }),
            1);
}

TEST(SupervisedExecutor, ABudgetIsWatchedWhileNoServiceRuns) {
  SupervisedWorld world;
  const auto job = world.AddShell(kBusy);
  world.Limit(job, {Energy::Joules(3), std::nullopt, core::BudgetAction::kStop});
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.KillService();
  const auto deadline = std::chrono::steady_clock::now() + world.patience();
  while (!std::filesystem::exists(world.PathsOf(job).end()) &&
         std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(Duration{20});
  world.Restart();
  EXPECT_NE(world.WaitUntil(job, JobPhase::kFailed).detail.find("budget"), std::string::npos);
  const auto reached = [&] {
    return std::count_if(
        world.budget_events().begin(), world.budget_events().end(),
        [](const auto& event) { return event.level == core::BudgetLevel::kReached; });
  };
  EXPECT_EQ(reached(), 1);
  world.Restart();
  std::ignore = world.local().Observe();
  EXPECT_EQ(reached(), 1) << "heard once";
}

TEST(SupervisedExecutor, ABudgetCountsWhatEarlierAttemptsUsed) {
  SupervisedWorld world;
  const auto job = world.AddShell(kBusy);
  world.Limit(job, {Energy::Joules(20), std::nullopt, core::BudgetAction::kPause});
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  while (core::Total(world.records().rows[job]).energy < Energy::Joules(8))
    std::ignore = world.local().WaitForEvents(world.local().Now() + Duration{20});
  ASSERT_TRUE(world.local().Execute(engine::PauseJob{job, 1}));
  world.WaitUntil(job, JobPhase::kPaused);
  EXPECT_TRUE(
      std::none_of(world.budget_events().begin(), world.budget_events().end(),
                   [](const auto& event) { return event.level == core::BudgetLevel::kReached; }));
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 2, 0}));
  const auto report = world.WaitUntil(job, JobPhase::kPaused);
  EXPECT_EQ(report.attempt, 2) << "by its budget";
  EXPECT_TRUE(
      std::any_of(world.budget_events().begin(), world.budget_events().end(),
                  [](const auto& event) { return event.level == core::BudgetLevel::kReached; }));
  const auto& rows = world.records().rows[job];
  const double second_j =
      core::Total(rows).energy.joules() -
      std::accumulate(rows.begin(), rows.end(), 0.0, [](double sum, const auto& row) {
        return sum + (row.attempt == 1 ? row.energy.joules() : 0);
      });
  EXPECT_LT(second_j, 20) << "the limit itself";
}

TEST(SupervisedExecutor, ABudgetThatOnlyNotesIsNotedOnceOverRestarts) {
  SupervisedWorld world;
  const auto job = world.AddShell(kBusy);
  world.Limit(job, {Energy::Joules(0.2), std::nullopt, core::BudgetAction::kLog});
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  while (world.budget_events().empty() ||
         world.budget_events().back().level != core::BudgetLevel::kReached)
    std::ignore = world.local().WaitForEvents(world.local().Now() + Duration{20});
  const std::size_t said = world.budget_events().size();
  world.Restart();
  for (int i = 0; i < 10; ++i)
    std::ignore = world.local().WaitForEvents(world.local().Now() + Duration{20});
  EXPECT_EQ(world.budget_events().size(), said);
  EXPECT_EQ(world.local().Running().size(), 1u);
}

TEST(SupervisedExecutor, AKilledSupervisorTakesItsProgramAlong) {
  SupervisedWorld world;
  const auto job = world.Add(testing::JobKind::kLong);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  int program = 0;
  while (program == 0) {
    std::ignore = world.local().WaitForEvents(world.local().Now() + Duration{20});
    program = world.local().Running().at(0).program_pid;
  }
  ::kill(*SupervisorOf(world.PathsOf(job)), SIGKILL);
  const auto report = world.WaitUntil(job, JobPhase::kStartFailed);
  EXPECT_NE(report.detail.find("supervisor"), std::string::npos);
  EXPECT_EQ(platform::ProcessIdentity(program), "") << "the program is gone";
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 2, 0}));
}

// If it held the lock, it would seem supervised as long as it leaves something running.
TEST(SupervisedExecutor, ASupervisorWhoseDirectoryIsGoneEndsWithItsProgram) {
  SupervisedWorld world;
  const auto job = world.AddShell("touch begun; exec sleep 60");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  const std::filesystem::path directory = world.PathsOf(job).directory;
  while (!std::filesystem::exists(directory / "begun"))
    std::ignore = world.local().WaitForEvents(world.local().Now() + Duration{10});
  const auto watch = platform::ProcessWatch::Open(*SupervisorOf(world.PathsOf(job)));
  ASSERT_TRUE(watch);
  std::filesystem::remove_all(directory);
  watch->SendSignal(SIGTERM);
  for (int i = 0; i < 500 && !watch->HasEnded(); ++i) ::usleep(10'000);
  EXPECT_TRUE(watch->HasEnded());
}

TEST(SupervisedExecutor, AProgramInheritsNothingButItsStandardStreams) {
  const int ours = ::dup(STDERR_FILENO);
  SupervisedWorld world;
  const auto job = world.AddShell(
      "found=; for ((n = 3; n < 300; n++)); do [ -e /proc/$$/fd/$n ] && found=\"$found $n\"; done;"
      "echo \"found:$found\" > found");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.WaitUntil(job, JobPhase::kSucceeded);
  ::close(ours);
  EXPECT_EQ(*platform::ReadFile(world.PathsOf(job).directory / "found", 1000), "found:\n");
}

// The disk was full when it started.
TEST(SupervisedExecutor, ASupervisorThatCouldNotWriteItsNameIsFound) {
  SupervisedWorld world;
  const auto job = world.Add(testing::JobKind::kLong);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.WaitUntil(job, JobPhase::kRunning);
  const AttemptPaths paths = world.PathsOf(job);
  const int supervisor = *SupervisorOf(paths);
  std::filesystem::resize_file(paths.lock(), 0);
  EXPECT_EQ(*SupervisorOf(paths), supervisor);
}

// The service was killed between the plan and the supervisor: nothing ran, and the engine, which
// gets no report, gives the command again.
TEST(SupervisedExecutor, AnAttemptThatWasOnlyPlannedIsStartedWhenAskedAgain) {
  SupervisedWorld world;
  const auto job = world.Add(testing::JobKind::kShort);
  AttemptPlan plan;
  plan.job = job;
  plan.pool = 0;
  plan.command = {"false"};
  ASSERT_TRUE(WritePlan(world.PathsOf(job), plan));
  world.Restart();
  EXPECT_TRUE(world.local().Observe()->empty());
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.WaitUntil(job, JobPhase::kSucceeded);
}

TEST(SupervisedExecutor, AnAttemptIsNeverStartedBesideItself) {
  SupervisedWorld world;
  const auto job = world.Add(testing::JobKind::kLong);
  const auto lock = platform::FileLock::Take(world.PathsOf(job).lock());
  ASSERT_TRUE(lock);
  EXPECT_FALSE(world.local().Execute(engine::StartJob{job, 1, 0}));
  EXPECT_TRUE(world.local().Running().empty());
}

TEST(SupervisedExecutor, IsWokenFromAnotherThread) {
  SupervisedWorld world;
  std::thread other([&] { world.local().Wake(); });
  EXPECT_TRUE(world.local().WaitForEvents(Time::max())->empty());
  other.join();
}

TEST(SupervisedExecutor, ProgramsRunTogetherOnDifferentSlots) {
  SupervisedWorld world;
  for (int i = 0; i < 3; ++i) world.Add(testing::JobKind::kLong);
  EXPECT_TRUE(world.local().Execute(engine::StartJob{1, 1, 0}));
  EXPECT_TRUE(world.local().Execute(engine::StartJob{2, 1, 0}));
  EXPECT_FALSE(world.local().Execute(engine::StartJob{3, 1, 0}));
  world.Restart();
  EXPECT_FALSE(world.local().Execute(engine::StartJob{3, 1, 0})) << "slots are adopted too";
  std::set<int> slots;
  for (const SupervisedFigures& running : world.local().Running())
    slots.insert(running.slots.begin(), running.slots.end());
  EXPECT_EQ(slots, (std::set<int>{0, 1}));
}

TEST(SupervisedExecutor, AGpuIsOneProgramsAloneHoweverItIsCountedNow) {
  SupervisedWorld world;
  world.SetGpus({"GPU-a", "GPU-b"});
  world.Restart();
  const auto first = world.Add(testing::JobKind::kLong);
  const auto second = world.AddShell("echo $CUDA_VISIBLE_DEVICES");
  const auto third = world.Add(testing::JobKind::kLong);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{first, 1, 0}));
  EXPECT_THAT(world.local().Running().at(0).gpus, ElementsAre("GPU-a"));
  world.SetGpus({"GPU-b", "GPU-a"});
  world.Restart();
  EXPECT_THAT(world.local().Running().at(0).gpus, ElementsAre("GPU-a"));
  EXPECT_THAT(world.local().Running().at(0).slots, ElementsAre(1));
  ASSERT_TRUE(world.local().Execute(engine::StartJob{second, 1, 0}));
  EXPECT_FALSE(world.local().Execute(engine::StartJob{third, 1, 0}));
  world.WaitUntil(second, JobPhase::kSucceeded);
  EXPECT_EQ(*platform::ReadFile(world.PathsOf(second).log()), "GPU-b\n");
}

// A daemon leaves its process group and its parent, and still belongs to the job.
TEST(SupervisedExecutor, WhatLeavesTheProcessGroupIsMeasuredAndEndsWithTheJob) {
  if (!meter::Cgroup::Permitted()) GTEST_SKIP() << "no cgroup v2 that this user may divide";
  SupervisedWorld world;
  const auto job = world.AddShell(
      "setsid bash -c 'echo $$ > daemon; while :; do :; done' & "
      "while [ ! -e enough ]; do sleep 0.02; done");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  const auto daemon_file = world.PathsOf(job).directory / "daemon";
  const auto daemon = [&] { return platform::ReadFile(daemon_file).value_or(""); };
  // A daemon that spins draws more than a shell that sleeps: more than a watt for half a second.
  for (int i = 0; i < 2000 && (daemon().empty() || world.MeasuredMicrojoules(job) < 500'000); ++i)
    std::ignore = world.local().WaitForEvents(world.local().Now() + Duration{10});
  EXPECT_GE(world.MeasuredMicrojoules(job), 500'000);
  const auto pid = ParseInteger(Trim(daemon()));
  ASSERT_TRUE(pid);
  EXPECT_NE(platform::ProcessIdentity(static_cast<int>(*pid)), "");
  std::ofstream(world.PathsOf(job).directory / "enough");
  world.WaitUntil(job, JobPhase::kSucceeded);
  EXPECT_EQ(platform::ProcessIdentity(static_cast<int>(*pid)), "");
}

TEST(SupervisedExecutor, ADaemonEndsWithAKilledSupervisor) {
  if (!meter::Cgroup::Permitted()) GTEST_SKIP() << "no cgroup v2 that this user may divide";
  SupervisedWorld world;
  const auto job = world.AddShell(
      "setsid bash -c 'echo $$ > daemon; while :; do sleep 0.1; done' & "
      "while :; do sleep 0.02; done");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  const auto daemon_file = world.PathsOf(job).directory / "daemon";
  const auto pid = [&] { return ParseInteger(Trim(platform::ReadFile(daemon_file).value_or(""))); };
  const auto known = [&] { return pid() && world.local().Running().at(0).program_pid > 0; };
  for (int i = 0; i < 2000 && !known(); ++i)
    std::ignore = world.local().WaitForEvents(world.local().Now() + Duration{10});
  ASSERT_TRUE(known());
  ::kill(*SupervisorOf(world.PathsOf(job)), SIGKILL);
  world.WaitUntil(job, JobPhase::kStartFailed);
  for (int i = 0; i < 500 && platform::ProcessIdentity(static_cast<int>(*pid())) != ""; ++i)
    std::this_thread::sleep_for(Duration{10});
  EXPECT_EQ(platform::ProcessIdentity(static_cast<int>(*pid())), "");
}

// Counts while it runs; the length of `ticks` is the count.
const std::string kCounting = "while [ ! -e enough ]; do echo -n . >> ticks; sleep 0.01; done";

struct Frozen {
  SupervisedWorld world;
  core::JobId job = world.AddFreezable(kCounting);
  std::filesystem::path File(const char* name) { return world.PathsOf(job).directory / name; }
  std::uintmax_t Ticks() {
    std::error_code ignored;
    const auto size = std::filesystem::file_size(File("ticks"), ignored);
    return ignored ? 0 : size;
  }
  template <typename Holds>
  void Wait(Holds holds) {
    for (int i = 0; i < 1000 && !holds(); ++i)
      std::ignore = world.local().WaitForEvents(world.local().Now() + Duration{10});
    ASSERT_TRUE(holds());
  }
  int Pid() { return world.local().Running().at(0).program_pid; }
  // Started, running, and stopped.
  void Freeze() {
    ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
    Wait([&] { return Ticks() > 0 && Pid() > 0; });
    ASSERT_TRUE(world.local().Execute(engine::PauseJob{job, 1}));
    EXPECT_EQ(world.WaitUntil(job, JobPhase::kFrozen).attempt, 1);
    Wait([&] { return platform::IsStopped(Pid()); });
  }
};

TEST(SupervisedExecutor, AFrozenProgramStandsStillAndGoesOnWhereItWas) {
  Frozen frozen;
  frozen.Freeze();
  const auto ticks = frozen.Ticks();
  const auto joules = frozen.world.MeasuredMicrojoules(frozen.job);
  frozen.Wait([&] { return frozen.world.MeasuredMicrojoules(frozen.job) > joules; });
  EXPECT_EQ(frozen.Ticks(), ticks);
  const auto& running = frozen.world.local().Running();
  EXPECT_THAT(running.at(0).slots, ElementsAre(0)) << "it keeps its slot";
  ASSERT_TRUE(frozen.world.local().Execute(engine::StartJob{frozen.job, 1, 0}));
  frozen.world.WaitUntil(frozen.job, JobPhase::kRunning);
  frozen.Wait([&] { return frozen.Ticks() > ticks; });
  std::ofstream(frozen.File("enough"));
  EXPECT_EQ(frozen.world.WaitUntil(frozen.job, JobPhase::kSucceeded).attempt, 1);
}

TEST(SupervisedExecutor, AnotherLifeFindsItFrozen) {
  Frozen frozen;
  frozen.Freeze();
  frozen.world.Restart();
  for (int look = 0; look < 2; ++look) {
    const auto observed = frozen.world.local().Observe();
    ASSERT_EQ(observed->size(), 1u);
    EXPECT_EQ(observed->front().phase, JobPhase::kFrozen);
  }
  ASSERT_TRUE(frozen.world.local().Execute(engine::StartJob{frozen.job, 1, 0}));
  EXPECT_EQ(frozen.world.local().Observe()->front().phase, JobPhase::kRunning);
  std::ofstream(frozen.File("enough"));
  frozen.world.WaitUntil(frozen.job, JobPhase::kSucceeded);
}

TEST(SupervisedExecutor, AFrozenProgramCanBeCancelled) {
  Frozen frozen;
  frozen.Freeze();
  const int pid = frozen.Pid();
  ASSERT_TRUE(frozen.world.local().Execute(engine::CancelJob{frozen.job, 1}));
  frozen.world.WaitUntil(frozen.job, JobPhase::kCancelled);
  EXPECT_EQ(platform::ProcessIdentity(pid), "");
}

TEST(SupervisedExecutor, AFrozenProgramEndsWithItsSupervisor) {
  Frozen frozen;
  frozen.Freeze();
  const int pid = frozen.Pid();
  ::kill(*SupervisorOf(frozen.world.PathsOf(frozen.job)), SIGKILL);
  frozen.world.WaitUntil(frozen.job, JobPhase::kStartFailed);
  EXPECT_EQ(platform::ProcessIdentity(pid), "");
}

}  // namespace
}  // namespace ebb::local

namespace ebb::testing {
INSTANTIATE_TYPED_TEST_SUITE_P(Supervised, ExecutorContract, local::SupervisedWorld);
}
