// Ends of attempts that nobody requested, and obstacles that keep the loop from taking an end.

#include "local/supervised_world_for_test.h"
#include "platform/process_table.h"
#include "platform/system_clock.h"

namespace ebb::local {
namespace {

const std::string kDeaf = "trap '' TERM; while :; do sleep 0.02; done";
const std::string kPlain = "while :; do sleep 0.02; done";

// Follows the contract, but ignores the request to end.
const std::string kSaves =
    "mkdir -p $EBB_CHECKPOINT_DIR; echo 7 > $EBB_CHECKPOINT_DIR/step; touch ready; ";

void WaitForEnd(pid_t pid) {
  for (int i = 0; i < 1000 && !platform::ProcessIdentity(pid).empty(); ++i)
    std::this_thread::sleep_for(Duration{10});
  EXPECT_EQ(platform::ProcessIdentity(pid), "");
}

// A false pause ----------------------------------------------------------------------

TEST(PauseWithoutACheckpoint, LosesTheWorkAndSaysSo) {
  SupervisedWorld world;
  const auto job = world.AddShell("sleep 1.1; touch ready; " + kPlain);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.WaitForFile(job, "ready");
  ASSERT_TRUE(world.local().Execute(engine::PauseJob{job, 1}));
  const auto report = world.WaitUntil(job, JobPhase::kStartFailed);
  EXPECT_NE(report.detail.find("ended by SIGTERM, not with exit code 75"), std::string::npos)
      << report.detail;
  EXPECT_NE(report.detail.find("the work of attempt 1 is lost"), std::string::npos);
  ASSERT_EQ(world.records().ends[job].size(), 1u);
  EXPECT_EQ(world.records().ends[job][0].warnings.back(), report.detail) << "it is said";
}

TEST(PauseWithoutACheckpoint, IsOneFromTheLastWhereThereIsANewOne) {
  SupervisedWorld world;
  const auto job = world.AddShell(kSaves + kPlain);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.WaitForFile(job, "ready");
  ASSERT_TRUE(world.local().Execute(engine::PauseJob{job, 1}));
  const auto report = world.WaitUntil(job, JobPhase::kPaused);
  EXPECT_NE(report.detail.find("goes on from its last checkpoint"), std::string::npos);
  EXPECT_EQ(world.records().ends[job][0].warnings.back(), report.detail) << "it is said";
}

TEST(PauseWithoutACheckpoint, IsSaidOfAProgramThatClaimsToHaveWrittenOne) {
  SupervisedWorld world;
  const auto job = world.AddShell("exit 75");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.WaitUntil(job, JobPhase::kPaused);
  EXPECT_NE(world.records().ends[job][0].warnings.back().find("no new checkpoint"),
            std::string::npos);
}

// Ended from outside ------------------------------------------------------------------------

struct Outside {
  const char* what;
  bool to_supervisor;
  bool to_program;
  int signal_number;
};

TEST(EndFromOutside, IsAPauseOrAFailedStartWhoeverIsSignalled) {
  for (const auto& [what, to_supervisor, to_program, number] :
       {Outside{"killall ebb", true, false, SIGTERM}, Outside{"killall bash", false, true, SIGTERM},
        Outside{"the machine shuts down", true, true, SIGTERM},
        Outside{"a hangup", true, true, SIGHUP}}) {
    for (const bool pausable : {true, false}) {
      SupervisedWorld world;
      const auto job = world.AddShell(kSaves + kPlain, pausable);
      ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
      const int program = world.WaitForProgram();
      world.WaitForFile(job, "ready");
      const int supervisor = *SupervisorOf(world.PathsOf(job));
      if (to_program) ::kill(program, number);
      if (to_supervisor) ::kill(supervisor, number);
      const auto report =
          world.WaitUntil(job, pausable ? JobPhase::kPaused : JobPhase::kStartFailed);
      EXPECT_NE(report.detail.find("from outside"), std::string::npos) << what << report.detail;
      ASSERT_EQ(world.records().ends[job].size(), 1u);
      EXPECT_EQ(world.records().ends[job][0].warnings.back(), report.detail) << "it is said";
      EXPECT_TRUE(world.local().Execute(engine::StartJob{job, 2, 0}));
    }
  }
}

// The program had the time to end in its own way.
TEST(EndFromOutside, AnExitCodeAfterwardsIsItsConsequence) {
  SupervisedWorld world;
  const auto job = world.AddShell("trap 'exit 1' TERM; " + kSaves + kPlain);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  const int program = world.WaitForProgram();
  world.WaitForFile(job, "ready");
  ::kill(program, SIGTERM);
  WaitForEnd(program);
  ::kill(*SupervisorOf(world.PathsOf(job)), SIGTERM);
  EXPECT_EQ(world.WaitUntil(job, JobPhase::kPaused).exit_code, 1);
}

TEST(EndFromOutside, IsFoundByTheNextLife) {
  SupervisedWorld world;
  const auto pausable = world.AddShell(kSaves + kPlain);
  const auto plain = world.AddShell(kSaves + kPlain, false);
  for (const auto job : {pausable, plain}) {
    ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
    std::ignore = world.WaitForProgram();
    world.WaitForFile(job, "ready");
  }
  world.KillService();
  for (const auto job : {pausable, plain}) ::kill(*SupervisorOf(world.PathsOf(job)), SIGTERM);
  for (const auto job : {pausable, plain}) world.WaitForSupervisor(job);
  world.Restart();
  const auto observed = world.local().Observe();
  ASSERT_EQ(observed->size(), 2u);
  EXPECT_EQ(observed->at(0).phase, JobPhase::kPaused);
  EXPECT_EQ(observed->at(1).phase, JobPhase::kStartFailed);
}

TEST(EndFromOutside, WhatFailsByItselfFails) {
  for (const std::string script : {"exit 3", "kill -SEGV $$", "kill -ABRT $$"}) {
    SupervisedWorld world;
    const auto job = world.AddShell(script);
    ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
    EXPECT_NE(world.WaitUntil(job, JobPhase::kFailed).exit_code, 0) << script;
  }
}

TEST(EndFromOutside, ACancellationStaysOne) {
  SupervisedWorld world;
  const auto job = world.AddShell(kPlain);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  std::ignore = world.WaitForProgram();
  ASSERT_TRUE(world.local().Execute(engine::CancelJob{job, 1}));
  ::kill(*SupervisorOf(world.PathsOf(job)), SIGTERM);
  world.WaitUntil(job, JobPhase::kCancelled);
}

// A limit was met before the supervisor was killed ------------------------------------

TEST(KilledSupervisor, TheBudgetThatItWasActingOnHolds) {
  SupervisedWorld world;
  world.SetGrace(std::chrono::seconds{60});
  const auto job = world.AddShell("trap '' TERM; while :; do :; done");
  world.Limit(job, {Energy::Joules(50), std::nullopt, core::BudgetAction::kStop});
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  const int program = world.WaitForProgram();
  const auto reached = [&] {
    const auto& events = world.budget_events();
    return std::any_of(events.begin(), events.end(), [](const auto& event) {
      return event.level == core::BudgetLevel::kReached;
    });
  };
  while (!reached()) std::ignore = world.local().WaitForEvents(world.local().Now() + Duration{10});
  ::kill(*SupervisorOf(world.PathsOf(job)), SIGKILL);
  ::kill(program, SIGKILL);
  const auto report = world.WaitUntil(job, JobPhase::kFailed);
  EXPECT_NE(report.detail.find("budget"), std::string::npos) << report.detail;
  EXPECT_EQ(world.records().ends[job][0].attempt.outcome, core::AttemptOutcome::kStoppedByBudget);
}

TEST(KilledSupervisor, TheTimeLimitThatItWasActingOnHolds) {
  SupervisedWorld world;
  world.SetGrace(std::chrono::seconds{60});
  const auto job = world.AddShell("trap '' TERM; " + kPlain);
  world.LimitTime(job, Duration{50});
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  const int program = world.WaitForProgram();
  while (ReadAsked(world.PathsOf(job)) != EndRequest::kTooLong)
    std::ignore = world.local().WaitForEvents(world.local().Now() + Duration{10});
  ::kill(*SupervisorOf(world.PathsOf(job)), SIGKILL);
  ::kill(program, SIGKILL);
  EXPECT_NE(world.WaitUntil(job, JobPhase::kFailed).detail.find("limit"), std::string::npos);
}

// The loop does not wait for processes -------------------------------------------------------

// The program ended, and its supervisor was killed before it could report that end.
TEST(KilledSupervisor, OfAProgramThatHadEndedHoldsNobodyUp) {
  SupervisedWorld world;
  const auto job = world.AddShell("true");
  AttemptPlan plan;
  plan.job = job;
  plan.pool = 0;
  plan.command = {"true"};
  ASSERT_TRUE(WritePlan(world.PathsOf(job), plan));
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  std::ofstream(world.PathsOf(job).energy())
      << ToLine(EnergyHeader{gone, "", platform::WallNow(), ""}) << "\n";
  world.Restart();
  const auto observed = world.local().Observe();
  ASSERT_EQ(observed->size(), 1u);
  EXPECT_EQ(observed->front().phase, JobPhase::kStartFailed) << "it left no checkpoint";
}

TEST(KilledSupervisor, ItsDeafProgramHoldsUpItsDevicesAndNobodyElse) {
  SupervisedWorld world;
  world.SetGrace(std::chrono::hours{1});
  const auto deaf = world.AddShell("trap '' TERM; " + kSaves + kPlain);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{deaf, 1, 0}));
  const int program = world.WaitForProgram();
  world.WaitForFile(deaf, "ready");
  ::kill(*SupervisorOf(world.PathsOf(deaf)), SIGKILL);
  world.KillService();
  world.Restart();
  EXPECT_EQ(world.local().Observe()->at(0).phase, JobPhase::kRunning);
  const auto other = world.AddShell("true");
  const auto third = world.AddShell("true");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{other, 1, 0}));
  EXPECT_FALSE(world.local().Execute(engine::StartJob{third, 1, 0})) << "its device is taken";
  world.WaitUntil(other, JobPhase::kSucceeded);
  EXPECT_NE(platform::ProcessIdentity(program), "");
  ::kill(program, SIGKILL);
  world.WaitUntil(deaf, JobPhase::kPaused);
}

TEST(KilledSupervisor, ItsDeafProgramIsKilledAfterTheGrace) {
  SupervisedWorld world;
  const auto job = world.AddShell(kDeaf);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  const int program = world.WaitForProgram();
  ::kill(*SupervisorOf(world.PathsOf(job)), SIGKILL);
  world.WaitUntil(job, JobPhase::kStartFailed);
  EXPECT_EQ(platform::ProcessIdentity(program), "");
}

// A job against its own record ----------------------------------------------------------------

const std::string kForges =
    R"(echo '{"attempt":1,"started":true,"exit_code":0,"by_signal":false,"outcome":"done",)"
    R"("wall_ms":[0,1]}' > attempt-1.end; )";
// The program clears its environment, starts a session, changes its parent, and ignores signals.
const std::string kEscapes =
    "env -i setsid bash -c \"trap '' TERM; (trap '' TERM; while :; do sleep 0.05; done) & "
    "echo \\$! > child; echo \\$\\$ > daemon; wait\" & "
    "while [ ! -s daemon ] || [ ! -s child ]; do sleep 0.02; done; ";

TEST(ForgedEnd, IsNotBelieved) {
  SupervisedWorld world;
  const auto job = world.AddShell(kForges + "touch ready; kill -KILL $PPID; " + kPlain, false);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  const auto report = world.WaitUntil(job, JobPhase::kStartFailed);
  EXPECT_NE(report.detail.find("is not believed"), std::string::npos) << report.detail;
  ASSERT_EQ(world.records().ends[job].size(), 1u);
  EXPECT_EQ(world.records().ends[job][0].attempt.outcome, core::AttemptOutcome::kKilled);
  EXPECT_EQ(world.records().ends[job][0].warnings.back(), report.detail) << "it is said";
}

TEST(ForgedEnd, IsNotBelievedByTheNextLifeEither) {
  SupervisedWorld world;
  const auto job = world.AddShell(kForges + "touch ready; kill -KILL $PPID; " + kPlain, false);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.KillService();
  world.WaitForSupervisor(job);
  world.Restart();
  const auto report = world.WaitUntil(job, JobPhase::kStartFailed);
  EXPECT_NE(report.detail.find("is not believed"), std::string::npos) << report.detail;
}

TEST(ForgedEnd, IsReplacedByThatOfASupervisorThatLives) {
  SupervisedWorld world;
  const auto job = world.AddShell(kForges + "exit 3");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  EXPECT_EQ(world.WaitUntil(job, JobPhase::kFailed).exit_code, 3);
}

TEST(KilledSupervisor, WhatHidEverywhereEndsBeforeItsDeviceIsGivenAgain) {
  SupervisedWorld world;
  world.ForbidControlGroups();
  world.Restart();
  const auto job = world.AddShell(kEscapes + "kill -KILL $PPID; exit 0", false);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.WaitUntil(job, JobPhase::kStartFailed);
  for (const char* file : {"daemon", "child"})
    EXPECT_EQ(platform::ProcessIdentity(world.WaitForPidIn(job, file)), "") << file;
}

TEST(KilledSupervisor, OfOneJobCostsTheOthersNothing) {
  SupervisedWorld world;
  world.ForbidControlGroups();
  world.Restart();
  const auto other = world.AddShell(kEscapes + "touch ready; sleep 1; exit 0");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{other, 1, 0}));
  world.WaitForFile(other, "ready");
  const auto job = world.AddShell(kEscapes + "kill -KILL $PPID; exit 0", false);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.WaitForPidIn(job, "daemon");
  world.WaitUntil(other, JobPhase::kSucceeded);
}

// Otherwise the program could not be ended any more.
TEST(StoppedSupervisor, GoesOnWhenItsProgramIsToEnd) {
  SupervisedWorld world;
  const auto job = world.AddShell("kill -STOP $PPID; touch ready; " + kPlain);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.WaitForFile(job, "ready");
  ASSERT_TRUE(world.local().Execute(engine::CancelJob{job, 1}));
  world.WaitUntil(job, JobPhase::kCancelled);
}

// Readings of a month that no service took in.
TEST(LongEnergyFile, IsTakenInToItsEnd) {
  SupervisedWorld world;
  const auto job = world.AddShell("true");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.WaitForSupervisor(job);
  world.KillService();
  const std::int64_t before = world.MeasuredMicrojoules(job);
  Time at = platform::WallNow();
  constexpr std::uintmax_t kLength = 20 << 20;
  // Without its clock since boot, the reader cannot tell that the written month is in the future.
  EnergyTail measured(world.PathsOf(job).energy());
  const auto readings_before = measured.Read();
  EnergyHeader header = *measured.header();
  header.since_boot = Duration::zero();
  std::ofstream file(world.PathsOf(job).energy(), std::ios::trunc);
  file << ToLine(header) << "\n";
  for (const core::EnergyReading& reading : readings_before) file << ToLine(reading) << "\n";
  std::int64_t readings = 0;
  for (std::uintmax_t written = 0; written < kLength; ++readings) {
    const std::string line = ToLine({"cpu:package-0",
                                     core::Component::kCpu,
                                     core::EnergySource::kCounter,
                                     {at, at + Duration{1000}},
                                     Energy::Microjoules(7)});
    at += Duration{1000};
    file << line << "\n";
    written += line.size() + 1;
  }
  file.close();
  world.Restart();
  const auto observed = world.local().Observe();
  EXPECT_EQ(observed->at(0).phase, JobPhase::kRunning) << "a part at a time";
  world.WaitUntil(job, JobPhase::kSucceeded);
  EXPECT_EQ(world.MeasuredMicrojoules(job), before + 7 * readings);
  EXPECT_EQ(core::Total(world.records().rows[job]).energy.microjoules(), before + 7 * readings);
}

// Processes that a program leaves running --------------------------------------------------------

// The daemon leaves its process group and its parent, and no control group holds it.
const std::string kDaemon = "(setsid bash -c 'echo $$ > daemon; while :; do sleep 0.1; done' &); ";

TEST(WithoutAControlGroup, WhatTheProgramLeavesRunningEndsWithIt) {
  SupervisedWorld world;
  world.ForbidControlGroups();
  world.Restart();
  const auto job = world.AddShell(
      kDaemon + "sleep 60 & echo $! > child; while [ ! -s daemon ]; do sleep 0.02; done");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.WaitUntil(job, JobPhase::kSucceeded);
  for (const char* file : {"daemon", "child"})
    EXPECT_EQ(platform::ProcessIdentity(world.WaitForPidIn(job, file)), "") << file;
}

TEST(WithoutAControlGroup, WhatIsDeafIsKilled) {
  SupervisedWorld world;
  world.ForbidControlGroups();
  world.Restart();
  const auto job = world.AddShell(
      "(setsid bash -c \"trap '' TERM; echo \\$\\$ > daemon; while :; do sleep 0.1; done\" &); "
      "while [ ! -s daemon ]; do sleep 0.02; done");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.WaitUntil(job, JobPhase::kSucceeded);
  EXPECT_EQ(platform::ProcessIdentity(world.WaitForPidIn(job, "daemon")), "");
}

TEST(WithoutAControlGroup, ADaemonEndsWithAKilledSupervisor) {
  SupervisedWorld world;
  world.ForbidControlGroups();
  world.Restart();
  const auto job = world.AddShell(kDaemon + kPlain);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  const pid_t daemon = world.WaitForPidIn(job, "daemon");
  std::ignore = world.WaitForProgram();
  ::kill(*SupervisorOf(world.PathsOf(job)), SIGKILL);
  world.WaitUntil(job, JobPhase::kStartFailed);
  EXPECT_EQ(platform::ProcessIdentity(daemon), "");
}

}  // namespace
}  // namespace ebb::local
