#include "app/slurm/slurm_jobs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "engine/explain.h"
#include "platform/file.h"
#include "platform/program_output.h"
#include "platform/system_clock.h"
#include "slurm/fake_slurm_for_test.h"
#include "testing/fake_feed.h"
#include "testing/scratch_directory.h"

namespace ebb::app {
namespace {

using engine::Stage;
using std::chrono::hours;

// The service over a Slurm controller in memory, in one life after another. The grid stays at 360
// g/kWh.
class SlurmJobsTest : public ::testing::Test {
 protected:
  ~SlurmJobsTest() override { Stop(); }

  void Start() {
    service::ServiceOptions options;
    options.store = directory_ / "ebb.db";
    options.jobs_directory = directory_ / "jobs";
    options.policy = "threshold";
    options.engine.admission = engine::Admission::kTakeAll;
    options.executor.cluster.sites = {{"here", "DE", Pue{1}}};
    options.make_executor =
        [this](service::ExecutorPorts ports) -> Result<std::unique_ptr<local::JobExecutor>> {
      slurm::SlurmOptions of_slurm;
      of_slurm.site = {"here", "DE", Pue{1}};
      of_slurm.poll_every = of_slurm.poll_soon = of_slurm.comments_every = Duration{2};
      of_slurm.make_batch_job = [](const local::LocalJob& job) {
        return WriteBatchScript(job, {.program = "/usr/bin/ebb"});
      };
      auto jobs = std::make_unique<SlurmJobs>(slurm_.Client(), of_slurm, std::move(ports), clock_,
                                              signals_);
      EBB_RETURN_IF_ERROR(jobs->Begin());
      jobs_ = jobs.get();
      return jobs;
    };
    options.on_decision = [this](const engine::Decision& decision) { jobs_->Tell(decision); };
    auto opened = service::Service::Open(options, feed_, clock_, signals_);
    ASSERT_TRUE(opened) << opened.error().Message();
    service_ = *std::move(opened);
    loop_ = std::thread([this] { EXPECT_TRUE(service_->Run()); });
  }
  void Stop() {
    if (!loop_.joinable()) return;
    ::kill(::getpid(), SIGTERM);
    loop_.join();
    service_.reset();
  }

  std::optional<service::JobCard> Find(const std::string& name) const {
    std::optional<service::JobCard> found;
    service_->view()->jobs.ForEach(0, [&](const service::JobCard& card) {
      if (card.submission->job.name.starts_with(name)) found = card;
      return true;
    });
    return found;
  }
  bool Becomes(const std::string& name, Stage stage) const {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (std::chrono::steady_clock::now() < limit) {
      const auto card = Find(name);
      if (card && card->explanation.stage == stage) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    return false;
  }

  std::filesystem::path directory_ = ScratchDirectory("slurm_jobs");
  platform::ProcessSignals signals_;
  platform::SystemClock wall_{signals_};
  runtime::GridClock clock_{wall_, core::GridClockSettings{}};
  testing::FakeFeed feed_{std::chrono::floor<std::chrono::days>(wall_.Now()),
                          std::vector<double>(72, 360)};
  slurm::FakeSlurm slurm_{wall_};
  SlurmJobs* jobs_ = nullptr;
  std::unique_ptr<service::Service> service_;
  std::thread loop_;
};

TEST_F(SlurmJobsTest, AUsersJobIsPlannedAndRuns) {
  slurm_.Ends("clean", Duration{10});
  const std::string waits = slurm_.Queue("dirty", "ebb:threshold=200;start-by=6h"),
                    runs = slurm_.Queue("clean", "ebb:threshold=400");
  Start();
  EXPECT_TRUE(Becomes("clean", Stage::kSucceeded));
  EXPECT_TRUE(Becomes("dirty", Stage::kWaiting));
  Stop();
  EXPECT_NE(slurm_.At(waits).comment.find("360 g/kWh"), std::string::npos)
      << slurm_.At(waits).comment;
  EXPECT_GT(*slurm_.BeginOf(waits), wall_.Now() + hours{5});
  EXPECT_EQ(slurm_.starts(), 1);
}

TEST_F(SlurmJobsTest, ARestartedServiceKnowsItsJobs) {
  slurm_.Queue("long", "ebb:threshold=400");
  Start();
  ASSERT_TRUE(Becomes("long", Stage::kRunning));
  const core::JobId before = Find("long")->submission->job.id;
  Stop();
  Start();
  ASSERT_TRUE(Becomes("long", Stage::kRunning));
  EXPECT_EQ(Find("long")->submission->job.id, before);
  Stop();
  EXPECT_EQ(slurm_.starts(), 1);
}

TEST_F(SlurmJobsTest, AHoldThatEndedWhileNoServiceRanIsOver) {
  slurm_.Queue("held", "ebb:threshold=200;start-by=6h");
  Start();
  ASSERT_TRUE(Becomes("held", Stage::kWaiting));
  const auto is_held = [&] {
    const auto card = Find("held");
    return card && card->detail == slurm::kHeldInSlurm;
  };
  // The executor asks for this when somebody holds the job in Slurm.
  ASSERT_TRUE(service_
                  ->Ask(service::ControlJob{Find("held")->submission->job.id,
                                            engine::JobControl::kHold, slurm::kHeldInSlurm})
                  .get());
  for (int i = 0; i < 2000 && !is_held(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  ASSERT_TRUE(is_held());
  Stop();
  Start();
  for (int i = 0; i < 2000 && is_held(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  EXPECT_FALSE(is_held());
  EXPECT_TRUE(Becomes("held", Stage::kWaiting));
}

TEST_F(SlurmJobsTest, ASubmittedJobGoesToSlurm) {
  Start();
  service::Submit submit;
  submit.submission.job.name = "mine";
  submit.submission.job.duration = hours{1};
  submit.submission.job.threshold = Intensity{400};
  submit.submission.command = {"/bin/true"};
  submit.submission.working_directory = "/";
  ASSERT_TRUE(service_->Ask(std::move(submit)).get());
  ASSERT_TRUE(Becomes("mine", Stage::kRunning));
  const std::string script = slurm_.At("1").name;
  EXPECT_TRUE(script.ends_with("slurm-script.sh")) << "the name of the fake's jobs";
  Stop();
}

// Each word reaches the program as it is, whatever it holds.
TEST(BatchScript, WordsAreNotRead) {
  const std::filesystem::path directory = ScratchDirectory("batch_script");
  std::filesystem::create_directories(directory);
  const std::string stub = (directory / "ebb").string();
  std::ofstream(stub) << "#!/bin/sh\nfor word; do printf '%s\\n' \"$word\"; done\necho \"$NAME\"\n";
  ::chmod(stub.c_str(), 0700);
  core::Submission submission;
  submission.job.id = 7;
  submission.command = {"python", "it's", "$(touch x); `id`", "a \"b\"", ""};
  submission.environment = {{"NAME", "two words'; echo no"}};
  submission.working_directory = "/home/ann";
  submission.time_limit = std::chrono::seconds{90};
  submission.job.devices = 2;
  const local::LocalJob job{std::make_shared<const core::Submission>(submission), directory};
  const auto batch = WriteBatchScript(job, {.program = stub, .options = {"--partition=long"}});
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->directory, "/home/ann");
  const std::vector<std::string> options{"--partition=long", "--gpus=2", "--job-name=ebb-7"};
  EXPECT_TRUE(std::equal(options.begin(), options.end(), batch->options.begin()));
  EXPECT_EQ(batch->options.back(), "--time=2");
  struct stat about {};
  ASSERT_EQ(::stat(batch->script.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700u) << "the environment may hold secrets";
  ASSERT_TRUE(platform::OutputOf({batch->script}, {}));
  const auto log = platform::ReadFile(directory / "attempt-1.log");
  ASSERT_TRUE(log);
  EXPECT_EQ(*log, "slurm\nrun\n--directory\n" + directory.string() +
                      "\n--\npython\nit's\n$(touch x); `id`\na \"b\"\n\ntwo words'; echo no\n");
}

// Slurm says how many devices an attempt has.
TEST(BatchScript, AnElasticJobFindsTheWidthOfEachAttempt) {
  const std::filesystem::path directory = ScratchDirectory("elastic_script");
  std::filesystem::create_directories(directory);
  const std::string stub = (directory / "ebb").string();
  std::ofstream(stub) << "#!/bin/sh\necho \"$EBB_DEVICES $PET_NPROC_PER_NODE\"\n";
  ::chmod(stub.c_str(), 0700);
  core::Submission submission;
  submission.command = {"train"};
  submission.working_directory = "/";
  submission.job.checkpointable = true;
  submission.job.speedup = {{4, 3.3}};
  const local::LocalJob job{std::make_shared<const core::Submission>(submission), directory};
  const auto batch = WriteBatchScript(job, {.program = stub});
  ASSERT_TRUE(batch);
  EXPECT_EQ(std::ranges::count(batch->options, "--nodes=1"), 1);
  const auto on_nodes = WriteBatchScript(job, {.program = stub, .options = {"--nodes=2"}});
  EXPECT_EQ(std::ranges::count(on_nodes->options, "--nodes=1"), 0) << "the site has said it";
  ASSERT_TRUE(platform::OutputOf({batch->script}, {{"SLURM_GPUS_ON_NODE", "4"}}));
  ASSERT_TRUE(platform::OutputOf({batch->script}, {{"SLURM_CPUS_PER_TASK", "2"}}));
  EXPECT_EQ(*platform::ReadFile(directory / "attempt-1.log"), "4 4\n2 2\n");
}

}  // namespace
}  // namespace ebb::app
