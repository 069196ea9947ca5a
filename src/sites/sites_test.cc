#include <gmock/gmock.h>

#include <numeric>

#include "sites/site_world_for_test.h"

namespace ebb::sites {
namespace {

using ::testing::HasSubstr;

std::string TextOf(const std::filesystem::path& file) {
  return platform::ReadFile(file).value_or("");
}

std::int64_t MeasuredMicrojoules(const std::filesystem::path& file) {
  std::int64_t sum = 0;
  local::EnergyTail tail(file);
  do {
    for (const core::EnergyReading& reading : tail.Read()) sum += reading.energy.microjoules();
  } while (tail.has_more());
  return sum;
}

TEST(Sites, FilesGoThereAndResultsComeBack) {
  SiteWorld world;
  const auto job = world.AddShell(
      "cat data/in.txt > out.txt; echo more >> data/in.txt; mkdir new; echo made > new/file; "
      "echo $EBB_RUN_DIR > where; mkdir -p $EBB_CHECKPOINT_DIR; echo 1 > $EBB_CHECKPOINT_DIR/last; "
      "echo said");
  world.Write("work/1/data/in.txt", "from here\n");
  ASSERT_TRUE(world.executor().Execute(engine::StartJob{job, 1, 0}));
  world.WaitUntil(job, JobPhase::kSucceeded);
  EXPECT_EQ(TextOf(world.WorkOf(job) / "out.txt"), "from here\n");
  EXPECT_EQ(TextOf(world.WorkOf(job) / "data/in.txt"), "from here\nmore\n");
  EXPECT_EQ(TextOf(world.WorkOf(job) / "new/file"), "made\n");
  EXPECT_EQ(TextOf(world.FolderOf(job) / "checkpoints/last"), "1\n");
  EXPECT_EQ(TextOf(world.PathsOf(job).log()), "said\n");
  EXPECT_THAT(TextOf(world.WorkOf(job) / "where"), HasSubstr(world.state().string()));
  EXPECT_FALSE(std::filesystem::exists(world.RunThere(job))) << "the job is over";
}

TEST(Sites, AFileThatBothSidesChangedStaysHere) {
  SiteWorld world;
  const auto job = world.AddShell(
      "until [ -e $EBB_RUN_DIR/checkpoints/go ]; do sleep 0.02; done; "
      "echo there > notes");
  world.Write("work/1/notes", "as sent\n");
  ASSERT_TRUE(world.executor().Execute(engine::StartJob{job, 1, 0}));
  const auto run = world.RunThere(job);
  world.WaitFor([&] { return std::filesystem::exists(run / "attempt-1.energy"); });
  world.Write("work/1/notes", "here\n");
  std::filesystem::create_directories(run / "checkpoints");
  std::ofstream(run / "checkpoints/go") << "\n";
  world.WaitUntil(job, JobPhase::kSucceeded);
  EXPECT_EQ(TextOf(world.WorkOf(job) / "notes"), "here\n");
  EXPECT_EQ(TextOf(world.FolderOf(job) / "from-site/notes"), "there\n");
  EXPECT_THAT(world.records().ends[job].at(0).warnings,
              ::testing::Contains(HasSubstr("notes has changed here")));
}

TEST(Sites, EnergyIsThatOfTheLedgerThereAtTheValuesOfItsZone) {
  SiteWorld world;
  const auto job = world.AddShell("for i in $(seq 20000); do :; done; sleep 0.3; exit 3");
  ASSERT_TRUE(world.executor().Execute(engine::StartJob{job, 1, 0}));
  world.WaitUntil(job, JobPhase::kFailed);
  const auto& rows = world.records().rows[job];
  ASSERT_FALSE(rows.empty());
  const std::int64_t there = MeasuredMicrojoules(world.RunThere(job) / "attempt-1.energy");
  EXPECT_EQ(core::Total(rows).energy.microjoules(), there);
  EXPECT_GT(there, 0);
  for (const core::LedgerRow& row : rows) {
    EXPECT_EQ(row.intensity, Intensity{30});
    EXPECT_EQ(row.pue.ratio, 2);
  }
}

TEST(Sites, ABudgetOfGramsCountsWhatIsUsedThere) {
  SiteWorld world;
  core::Budget budget;
  budget.emissions = Emissions{1e-4};
  budget.action = core::BudgetAction::kPause;
  const auto job = world.AddShell("trap 'exit 75' TERM; while :; do :; done", budget);
  ASSERT_TRUE(world.executor().Execute(engine::StartJob{job, 1, 0}));
  world.WaitUntil(job, JobPhase::kPaused);
  const auto events = local::ReadBudgetEvents(world.FolderOf(job));
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().measure, core::BudgetMeasure::kEmissions);
  EXPECT_GE(events.back().level, core::BudgetLevel::kReached);
  EXPECT_TRUE(local::ReadBudgetEvents(world.RunThere(job)).empty());
}

TEST(Sites, ABrokenConnectionEndsNothingAndNothingRunsTwice) {
  SiteWorld world;
  const std::string ran = (world.Directory() / "ran").string();
  const auto job = world.AddShell("echo x >> " + ran + "; sleep 1; echo done");
  ASSERT_TRUE(world.executor().Execute(engine::StartJob{job, 1, 0}));
  world.WaitFor([&] { return std::filesystem::exists(ran); });
  world.Cut();
  world.WaitFor([&] {
    return std::ranges::any_of(world.said(), [](const std::string& text) {
      return text.find("No route to host") != std::string::npos;
    });
  });
  // The job ends while nobody can hear of it.
  world.WaitFor([&] { return std::filesystem::exists(world.RunThere(job) / "attempt-1.end"); });
  EXPECT_EQ(world.executor().Observe()->at(0).phase, JobPhase::kRunning);
  world.Restart();
  world.Reconnect();
  world.WaitUntil(job, JobPhase::kSucceeded);
  EXPECT_EQ(TextOf(ran), "x\n");
  EXPECT_EQ(TextOf(world.PathsOf(job).log()), "done\n");
}

TEST(Sites, AProgramThereReadsTheIntensityOfItsZone) {
  SiteWorld world;
  world.Write("intensity", "300");
  const auto job = world.AddShell(
      "cd $EBB_RUN_DIR; for g in 300 50 40; do until grep -qs g_per_kwh..$g grid.json; "
      "do sleep 0.02; done; cp grid.json saw-$g; done");
  // An attempt at another site may have left this one.
  world.Write("jobs/1/grid.json", "{\"g_per_kwh\": 40}");
  ASSERT_TRUE(world.executor().Execute(engine::StartJob{job, 1, 0}));
  const auto there = world.RunThere(job);
  const auto comes = [&](const std::string& name) {
    world.WaitFor([&] { return std::filesystem::exists(there / name); });
  };
  comes("saw-300");
  EXPECT_THAT(TextOf(there / "saw-300"), HasSubstr("\"g_per_kwh\":300.0,\"pue\":2.0}"));
  world.Write("intensity", "50");
  comes("saw-50");
  // Without a connection the last intensity stays, and the file catches up afterwards.
  world.Cut();
  world.Write("intensity", "40");
  world.WaitFor([&] {
    return TextOf(world.FolderOf(job) / "attempt-1.site").find("No route") != std::string::npos;
  });
  EXPECT_THAT(TextOf(there / "grid.json"), HasSubstr(":50.0,"));
  world.Reconnect();
  world.WaitUntil(job, JobPhase::kSucceeded);
  EXPECT_THAT(TextOf(world.FolderOf(job) / "saw-40"), HasSubstr(":40.0,"));
}

TEST(Sites, AFollowerThatIsKilledIsReplaced) {
  SiteWorld world;
  const std::string ran = (world.Directory() / "ran").string();
  const auto job = world.AddShell("echo x >> " + ran + "; sleep 2");
  ASSERT_TRUE(world.executor().Execute(engine::StartJob{job, 1, 0}));
  world.WaitFor([&] { return std::filesystem::exists(ran); });
  const auto follower = local::SupervisorOf(world.PathsOf(job));
  ASSERT_TRUE(follower);
  ::kill(*follower, SIGKILL);
  world.WaitUntil(job, JobPhase::kSucceeded);
  EXPECT_EQ(TextOf(ran), "x\n");
  const std::int64_t here = MeasuredMicrojoules(world.PathsOf(job).energy());
  EXPECT_EQ(core::Total(world.records().rows[job]).energy.microjoules(), here);
}

TEST(Sites, ASupervisorThatIsKilledThereLeavesACheckpoint) {
  SiteWorld world;
  const auto job = world.AddShell(
      "mkdir -p $EBB_CHECKPOINT_DIR; echo 1 > $EBB_CHECKPOINT_DIR/last; "
      "echo ready; " +
      kPausable);
  ASSERT_TRUE(world.executor().Execute(engine::StartJob{job, 1, 0}));
  world.WaitFor([&] { return TextOf(world.PathsOf(job).log()) == "ready\n"; });
  const auto supervisor = local::SupervisorOf({world.RunThere(job), 1});
  ASSERT_TRUE(supervisor);
  ::kill(*supervisor, SIGKILL);
  world.WaitUntil(job, JobPhase::kPaused);
  EXPECT_EQ(TextOf(world.FolderOf(job) / "checkpoints/last"), "1\n");
}

TEST(Sites, ARequestReachesTheSiteWhenTheConnectionIsBack) {
  SiteWorld world;
  const auto job = world.AddShell("echo ready; " + kPausable);
  ASSERT_TRUE(world.executor().Execute(engine::StartJob{job, 1, 0}));
  world.WaitFor([&] { return TextOf(world.PathsOf(job).log()) == "ready\n"; });
  world.Cut();
  ASSERT_TRUE(world.executor().Execute(engine::PauseJob{job, 1}));
  std::ignore = world.executor().WaitForEvents(world.executor().Now() + Duration{300});
  EXPECT_EQ(world.executor().Observe()->at(0).phase, JobPhase::kRunning);
  world.Reconnect();
  world.WaitUntil(job, JobPhase::kPaused);
  // A site that was away takes no start until it has been asked again.
  world.WaitFor([&] { return world.executor().Execute(engine::StartJob{job, 2, 0}).has_value(); });
  world.WaitUntil(job, JobPhase::kRunning);
}

TEST(Sites, AnAttemptThatCannotGetThereIsFreeToRunElsewhere) {
  SiteWorld world;
  const auto job = world.AddShell("sleep 0.1");
  world.Cut();
  ASSERT_TRUE(world.executor().Execute(engine::StartJob{job, 1, 0}));
  const engine::JobReport report = world.WaitUntil(job, JobPhase::kStartFailed);
  EXPECT_TRUE(report.machine_trouble) << report.detail;
  EXPECT_THAT(report.detail, HasSubstr("norway cannot be reached"));
  EXPECT_FALSE(std::filesystem::exists(world.RunThere(job)));
}

TEST(Sites, TheSiteStartsAJobByItsLatestStartWithoutAConnection) {
  SiteWorld world;
  const std::string ran = (world.Directory() / "ran").string();
  const auto job = world.AddShell("cat in.txt; echo x >> " + ran);
  world.Write("work/1/in.txt", "from here\n");
  world.KeepStart(job, std::chrono::hours{10});
  EXPECT_TRUE(world.executor().Observe()->empty()) << "it waits, and holds nothing";
  world.KeepStart(job, std::chrono::seconds{2});
  world.Cut();
  world.WaitFor([&] { return std::filesystem::exists(ran); });
  world.Restart();
  world.Reconnect();
  world.WaitUntil(job, JobPhase::kSucceeded);
  EXPECT_EQ(TextOf(ran), "x\n");
  EXPECT_EQ(TextOf(world.PathsOf(job).log()), "from here\n");
}

TEST(Sites, AJobThatASiteKeepsCountsAsRunningThereWhileTheSiteIsAway) {
  SiteWorld world;
  const std::string ran = (world.Directory() / "ran").string();
  const auto job = world.AddShell("echo x >> " + ran);
  world.KeepStart(job, std::chrono::hours{10});
  world.Cut();
  world.WaitUntil(job, JobPhase::kRunning);
  // The latest start is far away, so the site has not started it, and the plan decides again.
  world.Reconnect();
  const engine::JobReport report = world.WaitUntil(job, JobPhase::kStartFailed);
  EXPECT_TRUE(report.machine_trouble);
  EXPECT_FALSE(std::filesystem::exists(ran));
  world.WaitFor([&] { return world.executor().Execute(engine::StartJob{job, 2, 0}).has_value(); });
  world.WaitUntil(job, JobPhase::kSucceeded);
  EXPECT_EQ(TextOf(ran), "x\n");
}

TEST(Sites, AStartThatWaitsForASiteToLetGoIsNotLost) {
  SiteWorld world;
  const auto job = world.AddShell("true");
  world.KeepStart(job, std::chrono::hours{10});
  world.Cut();
  world.local().KeepStarts({});
  ASSERT_TRUE(world.executor().Execute(engine::StartJob{job, 1, 0}));
  const auto reports = world.executor().Observe();
  ASSERT_EQ(reports->size(), 1u);
  EXPECT_EQ(reports->front().phase, JobPhase::kStarting);
  EXPECT_EQ(reports->front().attempt, 1);
  world.Reconnect();
  world.WaitUntil(job, JobPhase::kSucceeded);
}

TEST(Sites, TheFolderThereOfAFailedJobGoesWithTheOneHere) {
  SiteWorld world;
  const auto failed = world.AddShell("exit 3"), other = world.AddShell("exit 3");
  for (const auto job : {failed, other}) {
    ASSERT_TRUE(world.executor().Execute(engine::StartJob{job, 1, 0}));
    world.WaitUntil(job, JobPhase::kFailed);
  }
  EXPECT_TRUE(std::filesystem::exists(world.RunThere(failed)));
  std::filesystem::remove_all(world.FolderOf(failed));
  world.WaitFor([&] { return !std::filesystem::exists(world.RunThere(failed)); });
  EXPECT_TRUE(std::filesystem::exists(world.RunThere(other)));
}

TEST(Sites, AKeptJobStartsWhenTheServiceSaysSo) {
  SiteWorld world;
  const std::string ran = (world.Directory() / "ran").string();
  const auto job = world.AddShell("echo x >> " + ran);
  world.KeepStart(job, std::chrono::hours{10});
  world.Restart();
  ASSERT_TRUE(world.executor().Execute(engine::StartJob{job, 1, 0}));
  world.WaitUntil(job, JobPhase::kSucceeded);
  EXPECT_EQ(TextOf(ran), "x\n");
}

TEST(Sites, AStartThatIsTakenBackDoesNotHappen) {
  SiteWorld world;
  const std::string ran = (world.Directory() / "ran").string();
  const auto job = world.AddShell("echo x >> " + ran);
  world.KeepStart(job, std::chrono::hours{10});
  world.local().KeepStarts({});
  world.WaitFor([&] { return !std::filesystem::exists(world.PathsOf(job).plan()); });
  const local::AttemptPaths there{world.RunThere(job), 1};
  const auto kept = ReadKeptStart(there);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->state, KeptState::kTakenBack);
  EXPECT_FALSE(platform::FileLock::IsHeld(there.lock()));
  EXPECT_FALSE(std::filesystem::exists(ran));
  ASSERT_TRUE(world.executor().Execute(engine::StartJob{job, 1, 0}));
  world.WaitUntil(job, JobPhase::kSucceeded);
  EXPECT_EQ(TextOf(ran), "x\n");
}

TEST(Sites, ACancellationReachesAJobThatASiteKeeps) {
  SiteWorld world;
  const std::string ran = (world.Directory() / "ran").string();
  const auto job = world.AddShell("echo x >> " + ran);
  world.KeepStart(job, std::chrono::hours{10});
  world.Cut();
  world.executor().Forget(job);
  world.Reconnect();
  world.WaitFor([&] { return !std::filesystem::exists(world.RunThere(job)); });
  EXPECT_FALSE(std::filesystem::exists(ran));
}

TEST(Sites, ConnectionsThatBreakAgainAndAgainLoseNothing) {
  SiteWorld world;
  const std::string ran = (world.Directory() / "ran").string();
  world.Write("work/1/big", std::string(5'000'000, 'x'));
  const auto job = world.AddShell("echo x >> " + ran +
                                  "; for i in $(seq 50); do echo $i; sleep 0.02; "
                                  "done; cp big copy; exit 3");
  int attempt = 1;
  ASSERT_TRUE(world.executor().Execute(engine::StartJob{job, attempt, 0}));
  std::optional<engine::JobReport> end;
  bool has_started = true;
  for (int i = 0; i < 1000 && !end; ++i) {
    // An attempt that did not get there in time is tried again, as the engine does.
    if (!has_started)
      has_started = world.executor().Execute(engine::StartJob{job, ++attempt, 0}).has_value();
    const auto reports =
        world.executor().WaitForEvents(world.executor().Now() + Duration{30 + 7 * (i % 20)});
    for (const engine::JobReport& report : *reports) {
      if (report.phase == JobPhase::kStartFailed) has_started = false;
      if (report.phase == JobPhase::kFailed) end = report;
    }
    if (i < 300) world.BreakConnections();
  }
  ASSERT_TRUE(end);
  EXPECT_EQ(TextOf(ran), "x\n");
  EXPECT_EQ(std::filesystem::file_size(world.WorkOf(job) / "copy"), 5'000'000U);
  EXPECT_EQ(core::Total(world.records().rows[job]).energy.microjoules(),
            MeasuredMicrojoules(local::AttemptPaths{world.RunThere(job), attempt}.energy()));
  std::string numbers;
  for (int i = 1; i <= 50; ++i) numbers += std::to_string(i) + "\n";
  EXPECT_EQ(TextOf(world.PathsOf(job, attempt).log()), numbers);
}

TEST(SshCommand, RefusesWhatAShellWouldNotLeaveAlone) {
  EXPECT_TRUE(SshCommand("ssh", "me@gpu.example.no", "/opt/ebb/bin/ebb"));
  for (const char* host : {"", "-oProxyCommand=x", "a b", "a;b", "$(x)"})
    EXPECT_FALSE(SshCommand("ssh", host, "ebb")) << host;
  for (const char* ebb : {"", "ebb; rm", "$(x)", "e bb", "`x`"})
    EXPECT_FALSE(SshCommand("ssh", "host", ebb)) << ebb;
}

}  // namespace

}  // namespace ebb::sites

namespace ebb::testing {
INSTANTIATE_TYPED_TEST_SUITE_P(AtASite, ExecutorContract, sites::SiteWorld);
}
