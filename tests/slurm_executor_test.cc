// The Slurm executor on a real controller: the contract of executors, and what only the real one
// shows. EBB_TEST_SLURM_CONF names its slurm.conf; without it the tests are skipped.
// tests/peers/slurm starts such a cluster.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "platform/program_output.h"
#include "platform/system_clock.h"
#include "slurm/client/slurm_commands.h"
#include "slurm/slurm_executor.h"
#include "testing/executor_contract.h"
#include "testing/scratch_directory.h"

namespace ebb::slurm {
namespace {

using engine::JobPhase;
using engine::JobReport;
using std::chrono::hours;
using std::chrono::seconds;

bool HasSlurm() {
  const char* file = std::getenv("EBB_TEST_SLURM_CONF");
  if (!file) return false;
  ::setenv("SLURM_CONF", file, 1);
  return true;
}

// The job puts itself back into the queue when it is asked to pause, as `ebb slurm run` does.
constexpr const char* kLong =
    "trap 'scontrol requeuehold Incomplete $SLURM_JOB_ID; sleep 60' USR1\n"
    "while true; do sleep 0.1; done\n";

class World {
 public:
  World() {
    if (!HasSlurm()) return;
    Begin();
  }
  static std::string WhyNotHere() { return HasSlurm() ? "" : "EBB_TEST_SLURM_CONF is not set"; }
  ~World() {
    for (const std::string& id : ids_) std::ignore = Call({"scancel", id});
    // Devices of one test are free for the next one.
    for (int i = 0; i < 100 && !Call({"squeue", "-h"}).empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }

  static std::string Call(const std::vector<std::string>& command) {
    const auto end = platform::RunToEnd(command, {});
    return end ? end->output : "";
  }

  void Begin() {
    SlurmOptions options;
    options.site = {"cluster", "DE", Pue{1}};
    options.poll_every = options.poll_soon = Duration{200};
    options.nodes_every = seconds{1};
    options.make_batch_job = [this](const local::LocalJob& job) -> Result<BatchJob> {
      const std::string path = (job.directory / "script.sh").string();
      std::ofstream(path) << "#!/bin/bash\n" << job.submission->command.front();
      BatchJob batch{path, {"--gpus=1", "--output=/dev/null"}, "/"};
      if (job.job().name == "none") batch.options.push_back("--partition=nosuch");
      return batch;
    };
    options.say = [](const std::string& text) { std::cerr << text << "\n"; };
    SlurmQueue queue;
    queue.submit = [this](core::Submission submission) { wanted_.push_back(submission); };
    queue.cancel = [](core::JobId) {};
    queue.control = [this](core::JobId, engine::JobControl control, const std::string&) {
      controls_.push_back(control);
    };
    executor_ = std::make_unique<SlurmExecutor>(MakeSlurmCommands(RunOnThisMachine()), options,
                                                queue, grid_, signals_);
    const Status begun = executor_->Begin({});
    EXPECT_TRUE(begun) << begun.error().Message();
    for (const auto& job : stored_) EXPECT_TRUE(executor_->Add(job));
  }

  runtime::Executor& executor() { return *executor_; }
  Duration patience() const { return seconds{30}; }

  core::JobId Submit(core::Submission submission) {
    submission.job.id = ++last_;
    if (submission.identity == 0)
      submission.identity = clock_.Now().time_since_epoch().count() * 100 + last_;
    const auto directory = directory_ / std::to_string(last_);
    std::filesystem::create_directories(directory);
    stored_.push_back({std::make_shared<const core::Submission>(std::move(submission)), directory});
    EXPECT_TRUE(executor_->Add(stored_.back()));
    return last_;
  }

  core::JobId Add(testing::JobKind kind) {
    using testing::JobKind;
    core::Submission submission;
    submission.job.name = kind == JobKind::kUnstartable ? "none" : "job";
    submission.job.submitted = clock_.Now();
    submission.job.start_by = clock_.Now() + hours{10};
    submission.job.duration = hours{1};
    submission.job.checkpointable = true;
    submission.command = {kind == JobKind::kShort     ? "sleep 0.1\n"
                          : kind == JobKind::kFailing ? "exit 3\n"
                                                      : kLong};
    return Submit(submission);
  }

  bool Until(const std::function<bool()>& done) {
    const Time limit = clock_.Now() + patience();
    while (!done() && clock_.Now() < limit) {
      auto reports = executor_->WaitForEvents(clock_.Now() + Duration{200});
      for (JobReport& report : *reports) reports_.push_back(std::move(report));
    }
    return done();
  }
  bool Reports(core::JobId job, JobPhase phase, int attempt) {
    return Until([&] {
      return std::ranges::any_of(reports_, [&](const JobReport& report) {
        return report.job == job && report.phase == phase && report.attempt == attempt;
      });
    });
  }
  // The report that this attempt runs.
  JobReport RunningReport(core::JobId job, int attempt) {
    EXPECT_TRUE(Reports(job, JobPhase::kRunning, attempt)) << job << ' ' << attempt;
    for (const JobReport& report : reports_)
      if (report.job == job && report.phase == JobPhase::kRunning && report.attempt == attempt)
        return report;
    return {};
  }
  // A job as its user submits it: options of sbatch, and the script.
  std::string Sbatch(std::vector<std::string> options, const std::string& script) {
    const std::string path = (directory_ / ("user" + std::to_string(ids_.size()) + ".sh")).string();
    std::filesystem::create_directories(directory_);
    std::ofstream(path) << "#!/bin/bash\n" << script;
    options.insert(options.begin(), {"sbatch", "--parsable", "--output=/dev/null"});
    options.push_back(path);
    std::string id = Call(options);
    id = id.substr(0, id.find('\n'));
    EXPECT_FALSE(id.empty());
    ids_.push_back(id);
    return id;
  }
  core::JobId Take() {
    EXPECT_TRUE(Until([&] { return !wanted_.empty(); }));
    if (wanted_.empty()) return 0;
    core::Submission submission = wanted_.front();
    wanted_.erase(wanted_.begin());
    return Submit(std::move(submission));
  }
  std::string Shown(const std::string& id, const std::string& format) {
    const std::string text = Call({"squeue", "-h", "-a", "-t", "all", "-j", id, "-o", format});
    return text.substr(0, text.find('\n'));
  }

  platform::ProcessSignals signals_;
  platform::SystemClock clock_{signals_};
  runtime::GridClock grid_{clock_, core::GridClockSettings{}};
  std::filesystem::path directory_ = ScratchDirectory("real_slurm");
  std::vector<local::LocalJob> stored_;
  std::vector<core::Submission> wanted_;
  std::vector<engine::JobControl> controls_;
  std::vector<JobReport> reports_;
  std::vector<std::string> ids_;
  std::unique_ptr<SlurmExecutor> executor_;
  core::JobId last_ = 0;
};

class RealSlurm : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = World::WhyNotHere(); !why.empty()) GTEST_SKIP() << why;
  }
  World world_;
};

TEST_F(RealSlurm, AUsersJobWaitsForItsLatestStartAndIsLetGo) {
  const std::string id = world_.Sbatch(
      {"--hold", "--gpus=1", "--time=10", "--comment=ebb:start-by=6h"}, "sleep 0.1\n");
  const core::JobId job = world_.Take();
  ASSERT_TRUE(world_.Until([&] { return world_.Shown(id, "%r") == "BeginTime"; }));
  EXPECT_NE(world_.Shown(id, "%k").find("{ebb wait 0 "), std::string::npos);
  ASSERT_TRUE(world_.executor().Execute(engine::StartJob{job, 1, 0}));
  EXPECT_TRUE(world_.Reports(job, JobPhase::kSucceeded, 1));
}

TEST_F(RealSlurm, AJobStartsByItselfAtItsLatestStart) {
  const std::string id =
      world_.Sbatch({"--hold", "--gpus=1", "--comment=ebb:start-by=3s"}, "sleep 0.1\n");
  const core::JobId job = world_.Take();
  EXPECT_TRUE(world_.Reports(job, JobPhase::kSucceeded, 1)) << "nobody has let it go";
}

TEST_F(RealSlurm, APauseKeepsTheNumberOfTheJob) {
  const std::string id = world_.Sbatch(
      {"--hold", "--gpus=1", "--requeue", "--comment=ebb:checkpointable"}, "exec sleep 100\n");
  const core::JobId job = world_.Take();
  for (int attempt = 1; attempt <= 2; ++attempt) {
    ASSERT_TRUE(world_.executor().Execute(engine::StartJob{job, attempt, 0}));
    ASSERT_TRUE(world_.Reports(job, JobPhase::kRunning, attempt));
    ASSERT_TRUE(world_.executor().Execute(engine::PauseJob{job, attempt}));
    ASSERT_TRUE(world_.Reports(job, JobPhase::kPaused, attempt));
    ASSERT_TRUE(world_.Until([&] { return world_.Shown(id, "%r") == "BeginTime"; }))
        << world_.Shown(id, "%T %r %S %k");
  }
  EXPECT_TRUE(world_.controls_.empty()) << "a hold of Ebb is no hold of a person";
}

TEST_F(RealSlurm, AnElasticJobGoesOnAtEachPlannedWidth) {
  for (const char* request : {"--gpus=1", "--gres=gpu:1", "--gpus-per-node=fake:1"}) {
    world_.reports_.clear();
    const std::string id = world_.Sbatch(
        {"--hold", request, "--requeue", "--comment=ebb:checkpointable;speedup=2=1.9,4=3.3"},
        "exec sleep 100\n");
    const core::JobId job = world_.Take();
    ASSERT_EQ(world_.stored_.back().job().speedup.size(), 2u) << request;
    int attempt = 0;
    for (const int width : {2, 1}) {
      ASSERT_TRUE(world_.executor().Execute(engine::StartJob{job, ++attempt, 0, width}));
      EXPECT_EQ(world_.RunningReport(job, attempt).devices, width) << request;
      ASSERT_TRUE(world_.executor().Execute(engine::PauseJob{job, attempt}));
      ASSERT_TRUE(world_.Reports(job, JobPhase::kPaused, attempt));
    }
    // On one node, which has two; without a number of nodes Slurm takes two nodes.
    ASSERT_TRUE(world_.executor().Execute(engine::StartJob{job, ++attempt, 0, 4}));
    const JobReport report = world_.RunningReport(job, attempt);
    const bool is_by_job = std::string_view(request).starts_with("--gpus=");
    EXPECT_EQ(report.devices, is_by_job ? 4 : 1) << request;
    EXPECT_EQ(report.detail.empty(), is_by_job) << report.detail;
    World::Call({"scancel", id});
    ASSERT_TRUE(world_.Reports(job, JobPhase::kCancelled, attempt));
  }
  EXPECT_TRUE(world_.controls_.empty());
}

TEST_F(RealSlurm, AnElasticJobOnCoresGoesOnAtEachPlannedWidth) {
  const std::string id = world_.Sbatch(
      {"--hold", "-c1", "--requeue", "--comment=ebb:checkpointable;speedup=4=3.3,99=9"},
      "exec sleep 100\n");
  const core::JobId job = world_.Take();
  ASSERT_TRUE(world_.executor().Execute(engine::StartJob{job, 1, 0, 4}));
  EXPECT_EQ(world_.RunningReport(job, 1).devices, 4);
  EXPECT_EQ(world_.Shown(id, "%C"), "4");
  ASSERT_TRUE(world_.executor().Execute(engine::PauseJob{job, 1}));
  ASSERT_TRUE(world_.Reports(job, JobPhase::kPaused, 1));
  ASSERT_TRUE(world_.executor().Execute(engine::StartJob{job, 2, 0, 99}));
  const JobReport report = world_.RunningReport(job, 2);
  EXPECT_EQ(report.devices, 1);
  EXPECT_NE(report.detail.find("does not give it 99 devices"), std::string::npos) << report.detail;
}

TEST_F(RealSlurm, ElementsOfAnArrayAreJobsOfTheirOwn) {
  const std::string id = world_.Sbatch(
      {"--hold", "--gpus=1", "--array=1-3", "--comment=ebb:start-by=6h"}, "sleep 0.1\n");
  std::vector<core::JobId> jobs;
  for (int i = 0; i < 3; ++i) jobs.push_back(world_.Take());
  ASSERT_TRUE(world_.executor().Execute(engine::StartJob{jobs[1], 1, 0}));
  EXPECT_TRUE(world_.Reports(jobs[1], JobPhase::kSucceeded, 1));
  // Slurm says the reason once it has looked at the job.
  for (const char* element : {"_1", "_3"})
    EXPECT_TRUE(world_.Until([&] {
      return world_.Shown(id + element, "%T %r") == "PENDING BeginTime";
    })) << world_.Shown(id + element, "%T %r");
}

TEST_F(RealSlurm, AHeterogeneousJobIsOneJob) {
  const std::string id = world_.Sbatch({},
                                       "#SBATCH --hold -n1 --comment=ebb:start-by=6h\n"
                                       "#SBATCH hetjob\n"
                                       "#SBATCH --hold -n1 --gres=gpu:1\n"
                                       "sleep 0.1\n");
  const core::JobId job = world_.Take();
  EXPECT_EQ(world_.stored_.back().job().devices, 1);
  ASSERT_TRUE(world_.Until([&] { return world_.Shown(id + "+0", "%r") == "BeginTime"; }))
      << world_.Shown(id, "%i %T %r");
  ASSERT_TRUE(world_.executor().Execute(engine::StartJob{job, 1, 0}));
  EXPECT_TRUE(world_.Reports(job, JobPhase::kSucceeded, 1)) << world_.Shown(id, "%i %T %r %S");
}

TEST_F(RealSlurm, AJobThatWaitsForAnotherIsLeftToSlurm) {
  const std::string first = world_.Sbatch({"--hold"}, "exit 1\n");
  const std::string second = world_.Sbatch(
      {"--dependency=afterok:" + first, "--gpus=1", "--comment=ebb:start-by=6h"}, "true\n");
  std::ignore = world_.executor().WaitForEvents(world_.clock_.Now() + seconds{1});
  EXPECT_TRUE(world_.wanted_.empty());
  EXPECT_EQ(world_.Shown(second, "%r"), "Dependency");
}

TEST_F(RealSlurm, AHoldOfAPersonStays) {
  const std::string id =
      world_.Sbatch({"--hold", "--gpus=1", "--comment=ebb:start-by=6h"}, "sleep 0.1\n");
  world_.Take();
  ASSERT_TRUE(world_.Until([&] { return world_.Shown(id, "%r") == "BeginTime"; }));
  World::Call({"scontrol", "uhold", id});
  ASSERT_TRUE(world_.Until([&] { return world_.controls_.size() == 1; }));
  std::ignore = world_.executor().WaitForEvents(world_.clock_.Now() + seconds{1});
  EXPECT_EQ(world_.Shown(id, "%r"), "JobHeldUser");
  World::Call({"scontrol", "release", id});
  EXPECT_TRUE(world_.Until([&] { return world_.controls_.size() == 2; }));
}

TEST_F(RealSlurm, ARestartedServiceGoesOn) {
  const std::string id =
      world_.Sbatch({"--hold", "--gpus=1", "--comment=ebb:start-by=6h"}, "sleep 2\n");
  const core::JobId job = world_.Take();
  ASSERT_TRUE(world_.executor().Execute(engine::StartJob{job, 1, 0}));
  ASSERT_TRUE(world_.Reports(job, JobPhase::kRunning, 1));
  world_.Begin();
  EXPECT_EQ(world_.executor().Observe()->front().attempt, 1);
  EXPECT_TRUE(world_.Reports(job, JobPhase::kSucceeded, 1));
  EXPECT_TRUE(world_.wanted_.empty());
}

}  // namespace

}  // namespace ebb::slurm

namespace ebb::testing {
INSTANTIATE_TYPED_TEST_SUITE_P(RealSlurm, ExecutorContract, slurm::World);
}  // namespace ebb::testing
