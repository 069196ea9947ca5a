#include "local/local_executor.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "base/text.h"
#include "platform/file.h"
#include "platform/process_table.h"
#include "platform/system_clock.h"
#include "runtime/run_loop.h"
#include "testing/executor_contract.h"
#include "testing/fake_feed.h"
#include "testing/scratch_directory.h"

namespace ebb::local {
namespace {

using engine::JobPhase;

const Time kDay = *ParseTime("2023-05-01");
// Runs until it is asked to end, then says that it has a checkpoint.
const std::string kPausable = "trap 'exit 75' TERM; while :; do sleep 0.02; done";

struct AtOnce final : plan::Policy {
  std::string_view name() const override { return "at-once"; }
  void Update(const plan::Problem& problem, const plan::Change&,
              plan::Schedule& schedule) const override {
    for (std::size_t i = 0; i < problem.jobs.size(); ++i) {
      schedule.jobs[i].job = problem.jobs[i].job->id;
      schedule.jobs[i].run_now = true;
    }
  }
};

struct Records final : JobRecords {
  std::map<core::JobId, std::vector<core::LedgerRow>> rows;
  std::vector<core::LedgerRow> machine;
  std::vector<AttemptResult> ends;
  Status Begin(core::JobId, const core::Attempt&) override { return {}; }
  Status Rows(core::JobId job, std::span<const core::LedgerRow> more) override {
    rows[job].insert(rows[job].end(), more.begin(), more.end());
    return {};
  }
  void End(core::JobId, const AttemptResult& result) override { ends.push_back(result); }
  Status MachineRows(std::span<const core::LedgerRow> more) override {
    machine.insert(machine.end(), more.begin(), more.end());
    return {};
  }
};

class LocalWorld {
 public:
  LocalWorld() { Restart(); }
  ~LocalWorld() { executor_.reset(); }

  runtime::Executor& executor() { return *executor_; }
  LocalExecutor& local() { return *executor_; }
  // From the next Restart on the machine has a RAPL counter, which stands at this.
  void SetRapl(std::int64_t energy_uj) {
    const auto zone = directory_ / "powercap" / "intel-rapl:0";
    std::filesystem::create_directories(zone);
    std::ofstream(zone / "name") << "package-0";
    std::ofstream(zone / "max_energy_range_uj") << 262143328850;
    std::ofstream(zone / "energy_uj") << energy_uj;
  }
  Duration patience() { return std::chrono::seconds{20}; }
  Records& records() { return records_; }
  runtime::SignalFeed& feed() { return feed_; }
  std::filesystem::path DirectoryOf(core::JobId job) const {
    return directory_ / std::to_string(job);
  }

  core::JobId AddCommand(std::vector<std::string> command, bool pausable = true,
                         std::optional<Duration> limit = {}) {
    auto submission = std::make_shared<core::Submission>();
    core::Job& job = submission->job;
    job.id = static_cast<core::JobId>(jobs_.size()) + 1;
    job.name = "job-" + std::to_string(job.id);
    job.run_time = Duration{1000};
    job.submitted = kDay;
    job.pausable = pausable;
    submission->command = std::move(command);
    submission->run_limit = limit;
    std::filesystem::create_directories(DirectoryOf(job.id));
    jobs_.push_back({submission, DirectoryOf(job.id)});
    EXPECT_TRUE(executor_->Add(jobs_.back()));
    return job.id;
  }
  core::JobId AddShell(const std::string& script, bool pausable = true) {
    return AddCommand({"bash", "-c", script}, pausable);
  }
  core::JobId Add(testing::JobKind kind) {
    switch (kind) {
      case testing::JobKind::kShort:
        return AddShell("sleep 0.05");
      case testing::JobKind::kLong:
        return AddShell(kPausable);
      case testing::JobKind::kFailing:
        return AddShell("exit 3");
      case testing::JobKind::kUnstartable:
        break;
    }
    return AddCommand({"no-such-program-anywhere"});
  }

  // A new executor that finds what the last one left.
  void Restart(Duration grace = std::chrono::seconds{10}) {
    executor_.reset();
    LocalExecutorOptions options;
    options.cluster.sites = {{"here", "DE", Pue{1}}};
    options.cluster.pools = {{"cpu", 0, 2, 1, 1, Power{0}}};
    options.tick = Duration{20};
    options.grace = grace;
    options.sampler.interval = Duration{10};
    options.meters.cpu_tdp_w = 100;
    options.meters.use_gpu = false;
    options.meters.rapl_root = (directory_ / "powercap").string();
    executor_ = std::make_unique<LocalExecutor>(options, feed_, clock_, signals_, records_);
    for (const LocalJob& job : jobs_) EXPECT_TRUE(executor_->Add(job));
  }

  std::vector<engine::JobReport> WaitUntilEnded(core::JobId job, JobPhase phase) {
    std::vector<engine::JobReport> all;
    const Time deadline = executor_->Now() + patience();
    while (executor_->Now() < deadline) {
      const auto reports = executor_->WaitForEvents(deadline);
      all.insert(all.end(), reports->begin(), reports->end());
      if (!all.empty() && all.back().job == job && all.back().phase == phase) return all;
    }
    ADD_FAILURE() << "phase " << static_cast<int>(phase) << " did not come";
    return all;
  }

  std::string Output(core::JobId job, int attempt) {
    return *platform::ReadFile(DirectoryOf(job) / ("attempt-" + std::to_string(attempt) + ".log"));
  }

 private:
  platform::ProcessSignals signals_;
  platform::SystemClock wall_{signals_};
  runtime::GridClock clock_{wall_, {true, kDay, 1, false}};
  testing::FakeFeed feed_{kDay, {360, 100}};
  Records records_;
  const std::filesystem::path directory_ = ScratchDirectory("local");
  std::vector<LocalJob> jobs_;
  std::unique_ptr<LocalExecutor> executor_;
};

TEST(LocalExecutor, SpeaksTheTrainingContract) {
  LocalWorld world;
  const auto job = world.AddShell(
      "echo $EBB_JOB_ID $EBB_RESUME $CG_CARBON_INTENSITY ${EBB_RUN_DIR##*/}; exit 75");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.WaitUntilEnded(job, JobPhase::kPaused);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 2, 0}));
  world.WaitUntilEnded(job, JobPhase::kPaused);
  EXPECT_EQ(world.Output(job, 1), "job-1 0 360.0 1\n");
  EXPECT_EQ(world.Output(job, 2), "job-1 1 360.0 1\n");
}

TEST(LocalExecutor, AProgramThatAlwaysSaysPausedIsNotStartedForEver) {
  LocalWorld world;
  core::Job job;
  job.id = world.AddShell("exit 75");
  job.name = "job-1";
  job.submitted = kDay;
  job.run_time = std::chrono::hours{10};
  job.pausable = true;
  engine::Engine engine({}, std::make_unique<AtOnce>());
  auto submissions = runtime::SubmissionList::OfJobs({job});
  ASSERT_TRUE(runtime::Run(engine, {world.executor(), {&world.feed()}, submissions}, {}));
  const engine::EndedJob* ended = engine.state().FindEnded(job.id);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->stage, engine::Stage::kFailed);
  EXPECT_EQ(ended->attempt, 10);
  EXPECT_EQ(ended->exit_code, 75);
}

TEST(LocalExecutor, SplitsTheEnergyOfProgramsThatRunTogether) {
  LocalWorld world;
  // Work rather than time: on a loaded machine a second may hold hardly any of it.
  const std::string ended = world.DirectoryOf(1).parent_path() / "busy-has-ended";
  ASSERT_EQ(::mkfifo(ended.c_str(), 0600), 0);
  const auto busy =
      world.AddShell("for ((i = 0; i < 300000; ++i)); do :; done; echo > '" + ended + "'");
  const auto idle = world.AddShell("read < '" + ended + "'; sleep 0.2");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{busy, 1, 0}));
  ASSERT_TRUE(world.local().Execute(engine::StartJob{idle, 1, 0}));
  EXPECT_EQ(world.local().Running().size(), 2u);
  world.WaitUntilEnded(idle, JobPhase::kSucceeded);
  const double busy_j = core::Total(world.records().rows[busy]).cpu.joules();
  const double idle_j = core::Total(world.records().rows[idle]).cpu.joules();
  EXPECT_GT(busy_j, 0);
  // The busy one has ended and been waited for while the idle one ran: its time is not counted
  // twice.
  EXPECT_LT(idle_j, 0.2 * busy_j);
}

// One machine, three programs, two at a time: their ledgers and that of the machine add up to what
// its counter counted, to the microjoule.
TEST(LocalExecutor, ProgramsIdleAndUnattributedAreTheMachine) {
  LocalWorld world;
  std::int64_t counter_uj = 5'000'000;
  world.SetRapl(counter_uj);
  world.Restart();
  std::vector<core::JobId> jobs;
  for (int i = 0; i < 3; ++i)
    jobs.push_back(
        world.AddShell("for i in {1..6}; do sleep 0.02; for j in {1..2000}; do :; done; done"));
  ASSERT_TRUE(world.local().Execute(engine::StartJob{jobs[0], 1, 0}));
  ASSERT_TRUE(world.local().Execute(engine::StartJob{jobs[1], 1, 0}));
  bool third_started = false;
  while (!world.local().Running().empty() || !third_started) {
    world.SetRapl(counter_uj += 1'234'567);
    std::ignore = world.local().WaitForEvents(world.local().Now() + Duration{20});
    if (third_started || world.local().Running().size() == 2) continue;
    ASSERT_TRUE(world.local().Execute(engine::StartJob{jobs[2], 1, 0}));
    third_started = true;
  }
  std::int64_t programs_uj = 0, machine_uj = 0;
  for (const core::JobId job : jobs) {
    const Energy cpu = core::Total(world.records().rows[job]).cpu;
    EXPECT_GT(cpu, Energy{});
    programs_uj += cpu.microjoules();
  }
  for (const core::LedgerRow& row : world.records().machine) {
    EXPECT_EQ(row.attempt, 0);
    EXPECT_TRUE(row.device.starts_with("idle:") || row.device.starts_with("unattributed:"));
    if (row.component == core::Component::kCpu) machine_uj += row.energy.microjoules();
  }
  EXPECT_EQ(programs_uj + machine_uj, counter_uj - 5'000'000);
}

TEST(LocalExecutor, NeverStartsMoreThanItHasSlots) {
  LocalWorld world;
  for (int i = 0; i < 3; ++i) world.Add(testing::JobKind::kLong);
  EXPECT_TRUE(world.local().Execute(engine::StartJob{1, 1, 0}));
  EXPECT_TRUE(world.local().Execute(engine::StartJob{2, 1, 0}));
  EXPECT_FALSE(world.local().Execute(engine::StartJob{3, 1, 0}));
  EXPECT_FALSE(world.local().Execute(engine::StartJob{1, 2, 0})) << "attempt 1 still runs";
}

TEST(LocalExecutor, KillsAfterTheGracePeriod) {
  LocalWorld world;
  world.Restart(Duration{100});
  const auto stubborn = world.AddShell("trap '' TERM; while :; do sleep 0.02; done");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{stubborn, 1, 0}));
  std::this_thread::sleep_for(Duration{100});
  ASSERT_TRUE(world.local().Execute(engine::PauseJob{stubborn, 1}));
  const auto reports = world.WaitUntilEnded(stubborn, JobPhase::kPaused);
  EXPECT_NE(reports.back().detail.find("SIGKILL"), std::string::npos) << reports.back().detail;
}

TEST(LocalExecutor, EndsWhatRunsLongerThanItsLimit) {
  LocalWorld world;
  const auto job = world.AddCommand({"bash", "-c", kPausable}, true, Duration{100});
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  const auto reports = world.WaitUntilEnded(job, JobPhase::kFailed);
  EXPECT_NE(reports.back().detail.find("longer than its limit"), std::string::npos);
}

TEST(LocalExecutor, KnowsAfterARestartWhatTheLastOneDid) {
  LocalWorld world;
  const auto done = world.Add(testing::JobKind::kShort);
  const auto pausable = world.Add(testing::JobKind::kLong);
  const auto other = world.AddShell("sleep 60", false);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{done, 1, 0}));
  world.WaitUntilEnded(done, JobPhase::kSucceeded);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{pausable, 1, 0}));
  ASSERT_TRUE(world.local().Execute(engine::StartJob{other, 1, 0}));
  std::this_thread::sleep_for(Duration{200});
  world.Restart();
  std::map<core::JobId, engine::JobReport> observed;
  const auto reports = world.local().Observe();
  for (const auto& report : *reports) observed[report.job] = report;
  EXPECT_EQ(observed.at(done).phase, JobPhase::kSucceeded);
  EXPECT_EQ(observed.at(pausable).phase, JobPhase::kPaused);
  EXPECT_EQ(observed.at(pausable).exit_code, 75);
  EXPECT_EQ(observed.at(other).phase, JobPhase::kStartFailed);
  ASSERT_TRUE(world.local().Execute(engine::StartJob{pausable, 1, 0})) << "known: does nothing";
  EXPECT_TRUE(world.local().Running().empty());
}

// As if the executor had been killed: its state says that a program runs, and it does.
TEST(LocalExecutor, EndsALeftoverAndSaysSo) {
  LocalWorld world;
  const auto job = world.Add(testing::JobKind::kLong);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setpgid(0, 0);
    platform::RestoreDefaultSignals();
    ::execlp("sleep", "sleep", "60", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::setpgid(pid, pid);
  JobState state;
  state.report = {job, 1, JobPhase::kRunning, 0, kDay, 0, ""};
  state.pid = pid;
  state.process_identity = platform::ProcessIdentity(pid);
  ASSERT_TRUE(WriteJobState(world.DirectoryOf(job) / "job.state", state));
  world.Restart();
  const std::vector<engine::JobReport> observed = *world.local().Observe();
  ASSERT_EQ(observed.size(), 1u);
  EXPECT_EQ(observed[0].phase, JobPhase::kPaused);
  EXPECT_NE(observed[0].detail.find("exit code is not known"), std::string::npos);
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, WNOHANG), pid);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(LocalExecutor, LeavesAProcessAloneThatOnlyHasTheSamePid) {
  LocalWorld world;
  const auto job = world.Add(testing::JobKind::kLong);
  JobState state;
  state.report = {job, 1, JobPhase::kRunning, 0, kDay, 0, ""};
  state.pid = ::getpid();
  state.process_identity = "another boot:1";
  ASSERT_TRUE(WriteJobState(world.DirectoryOf(job) / "job.state", state));
  world.Restart();
  EXPECT_EQ(world.local().Observe()->size(), 1u);
}

TEST(LocalExecutor, LeavesNoZombies) {
  LocalWorld world;
  // A grandchild that loses its parent comes to us.
  const auto job = world.AddShell("(sleep 0.2 &) ; exit 0");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  world.WaitUntilEnded(job, JobPhase::kSucceeded);
  std::ignore = world.local().WaitForEvents(world.local().Now() + Duration{500});
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(LocalExecutor, RefusesADamagedState) {
  LocalWorld world;
  auto submission = std::make_shared<core::Submission>();
  submission->job.id = 9;
  const std::filesystem::path directory = world.DirectoryOf(9);
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "job.state") << "phase nonsense\n";
  EXPECT_FALSE(world.local().Add({submission, directory}));
}

}  // namespace
}  // namespace ebb::local

namespace ebb::testing {
INSTANTIATE_TYPED_TEST_SUITE_P(Local, ExecutorContract, local::LocalWorld);
}
