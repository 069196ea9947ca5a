#include "slurm/slurm_executor.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <csignal>

#include <functional>
#include <thread>

#include "platform/system_clock.h"
#include "slurm/fake_slurm_for_test.h"
#include "testing/executor_contract.h"
#include "testing/scratch_directory.h"

namespace ebb::slurm {
namespace {

using engine::JobControl;
using engine::JobPhase;
using engine::JobReport;
using std::chrono::hours;

// An executor over a controller in memory, in one life after another. The service is the test: it
// takes the jobs of users by itself.
class World {
 public:
  World() { Begin(); }

  void Begin() {
    SlurmOptions options;
    options.site = {"cluster", "DE", Pue{1}};
    options.poll_every = options.poll_soon = Duration{2};
    options.nodes_every = options.accounting_every = Duration{2};
    options.comments_every = Duration{1};
    options.poll_busy = Duration{200};
    options.make_batch_job = [](const local::LocalJob& job) -> Result<BatchJob> {
      return BatchJob{job.job().name == "none" ? "" : job.job().name,
                      {"--gpus=" + std::to_string(job.job().devices)},
                      "/"};
    };
    options.say = [this](const std::string& text) { said_.push_back(text); };
    SlurmQueue queue;
    queue.submit = [this](core::Submission submission) { wanted_.push_back(submission); };
    queue.cancel = [this](core::JobId job) { cancelled_.push_back(job); };
    queue.change = [this](core::JobId job, const core::JobChange& change) {
      changed_.emplace_back(job, change);
    };
    queue.control = [this](core::JobId job, JobControl control, const std::string&) {
      controls_[job] = control;
    };
    const core::Cluster before = executor_ ? executor_->cluster() : core::Cluster{};
    executor_ = std::make_unique<SlurmExecutor>(slurm_.Client(), options, queue, grid_, signals_);
    EXPECT_TRUE(executor_->Begin(before));
    for (const auto& job : stored_) EXPECT_TRUE(executor_->Add(job));
  }

  runtime::Executor& executor() { return *executor_; }
  Duration patience() const { return std::chrono::seconds{20}; }

  core::JobId Submit(core::Submission submission) {
    submission.job.id = ++last_;
    if (submission.identity == 0) submission.identity = 1000 + last_;
    const auto directory = directory_ / std::to_string(last_);
    std::filesystem::create_directories(directory);
    local::LocalJob job{std::make_shared<const core::Submission>(std::move(submission)), directory};
    stored_.push_back(job);
    EXPECT_TRUE(executor_->Add(job));
    return last_;
  }

  core::JobId Add(testing::JobKind kind) {
    core::Submission submission;
    core::Job& job = submission.job;
    job.name = kind == testing::JobKind::kShort     ? "short"
               : kind == testing::JobKind::kLong    ? "long"
               : kind == testing::JobKind::kFailing ? "failing"
                                                    : "none";
    job.submitted = clock_.Now();
    job.start_by = clock_.Now() + hours{10};
    job.duration = hours{1};
    job.checkpointable = true;
    return Submit(submission);
  }

  // Runs the executor until the condition holds; collects reports.
  bool Until(const std::function<bool()>& done) {
    const Time limit = clock_.Now() + patience();
    while (!done() && clock_.Now() < limit) {
      auto reports = executor_->WaitForEvents(clock_.Now() + Duration{5});
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
  // The job of a user becomes a job of the service.
  core::JobId Take(const std::string& id) {
    EXPECT_TRUE(Until([&] { return !wanted_.empty(); })) << id;
    if (wanted_.empty()) return 0;
    core::Submission submission = wanted_.front();
    wanted_.erase(wanted_.begin());
    return Submit(std::move(submission));
  }
  Status Start(core::JobId job, int attempt, int devices = 0) {
    return executor_->Execute(engine::StartJob{job, attempt, 0, devices});
  }
  // The report that this attempt runs.
  JobReport RunningReport(core::JobId job, int attempt) {
    EXPECT_TRUE(Reports(job, JobPhase::kRunning, attempt)) << job << ' ' << attempt;
    for (const JobReport& report : reports_)
      if (report.job == job && report.phase == JobPhase::kRunning && report.attempt == attempt)
        return report;
    return {};
  }

  platform::ProcessSignals signals_;
  platform::SystemClock clock_{signals_};
  runtime::GridClock grid_{clock_, core::GridClockSettings{}};
  FakeSlurm slurm_{clock_};
  std::filesystem::path directory_ = ScratchDirectory("slurm_executor");
  std::vector<local::LocalJob> stored_;
  std::vector<core::Submission> wanted_;
  std::vector<core::JobId> cancelled_;
  std::vector<std::pair<core::JobId, core::JobChange>> changed_;
  std::map<core::JobId, JobControl> controls_;
  std::vector<JobReport> reports_;
  std::vector<std::string> said_;
  std::unique_ptr<SlurmExecutor> executor_;
  core::JobId last_ = 0;
};

struct ContractWorld : World {
  ContractWorld() {
    slurm_.requeues_at_signal = true;
    slurm_.Ends("short", Duration{20});
    slurm_.Ends("failing", Duration{20}, 3);
  }
};

class SlurmExecutorTest : public ::testing::Test {
 protected:
  World world_;
  FakeSlurm& slurm_ = world_.slurm_;
};

}  // namespace
}  // namespace ebb::slurm

namespace ebb::testing {
INSTANTIATE_TYPED_TEST_SUITE_P(FakeSlurm, ExecutorContract, slurm::ContractWorld);
}  // namespace ebb::testing

namespace ebb::slurm {
namespace {

TEST_F(SlurmExecutorTest, AUsersJobGetsItsLatestStartAndNoHold) {
  const std::string id = slurm_.Queue("train", "ebb:start-by=6h");
  const core::JobId job = world_.Take(id);
  ASSERT_TRUE(world_.Until([&] { return slurm_.At(id).priority > 0; }));
  EXPECT_GE(*slurm_.BeginOf(id), slurm_.At(id).submitted + hours{6});
  EXPECT_LE(*slurm_.BeginOf(id), slurm_.At(id).submitted + hours{6} + std::chrono::seconds{1});
  EXPECT_EQ(slurm_.At(id).comment.substr(0, 28), "ebb:start-by=6h {ebb wait 0 ");
  EXPECT_EQ(slurm_.starts(), 0);
  ASSERT_TRUE(world_.Start(job, 1));
  EXPECT_TRUE(world_.Reports(job, JobPhase::kRunning, 1));
  EXPECT_NE(slurm_.At(id).comment.find("{ebb go 1 "), std::string::npos);
}

TEST_F(SlurmExecutorTest, AJobStartsAtItsLatestStartWithoutEbb) {
  const std::string id = slurm_.Queue("train", "ebb:start-by=1s");
  const core::JobId job = world_.Take(id);
  EXPECT_TRUE(world_.Reports(job, JobPhase::kRunning, 1)) << "nobody has let it go";
  ASSERT_TRUE(world_.Until([&] {
    return slurm_.At(id).comment.find("{ebb go 1 ") != std::string::npos;
  })) << slurm_.At(id).comment;
}

TEST_F(SlurmExecutorTest, WhatIsNotForEbbIsNotTouched) {
  const std::string running = slurm_.Queue("other", "", 1), held = slurm_.Queue("other", "x");
  const std::string reserved = slurm_.Queue("other", "ebb:"),
                    dependent = slurm_.Queue("other", "ebb:"),
                    administered = slurm_.Queue("other", "ebb:");
  slurm_.At(reserved).has_reservation = true;
  slurm_.At(dependent).has_dependency = true;
  slurm_.Hold(administered, true);
  std::ignore = world_.executor().WaitForEvents(world_.clock_.Now() + Duration{50});
  EXPECT_TRUE(world_.wanted_.empty());
  EXPECT_EQ(slurm_.changes, 0);
  slurm_.At(dependent).has_dependency = false;
  EXPECT_NE(world_.Take(dependent), 0) << "its dependency is met";
}

TEST_F(SlurmExecutorTest, APauseKeepsTheJobsNumber) {
  const std::string id =
      slurm_.Queue("train", "ebb:start-by=6h;checkpointable;signal=USR1;grace=0s");
  const core::JobId job = world_.Take(id);
  for (int attempt = 1; attempt <= 3; ++attempt) {
    ASSERT_TRUE(world_.Start(job, attempt));
    ASSERT_TRUE(world_.Reports(job, JobPhase::kRunning, attempt));
    ASSERT_TRUE(world_.executor().Execute(engine::PauseJob{job, attempt}));
    ASSERT_TRUE(world_.Reports(job, JobPhase::kPaused, attempt));
    ASSERT_TRUE(world_.Until([&] { return slurm_.At(id).priority > 0; })) << "it is not held";
    EXPECT_GT(*slurm_.BeginOf(id), world_.clock_.Now() + hours{5});
  }
  EXPECT_EQ(slurm_.signals, (std::vector<std::string>(3, id + " USR1")));
  EXPECT_EQ(slurm_.At(id).restarts, 3);
  EXPECT_TRUE(world_.controls_.empty()) << "a hold of Ebb is no hold of a person";
}

constexpr const char* kElastic =
    "ebb:start-by=6h;checkpointable;signal=USR1;grace=0s;speedup=2=1.9,4=3.3";

TEST_F(SlurmExecutorTest, AnElasticJobGoesOnAtEachPlannedWidthUnderItsNumber) {
  const std::string id = slurm_.Queue("train", kElastic);
  const core::JobId job = world_.Take(id);
  ASSERT_EQ(world_.stored_.back().job().speedup.size(), 2u);
  int attempt = 0;
  for (const int width : {1, 4, 2}) {
    ASSERT_TRUE(world_.Start(job, ++attempt, width));
    EXPECT_EQ(world_.RunningReport(job, attempt).devices, width);
    EXPECT_EQ(slurm_.At(id).gpu_request, "gres:gpu:" + std::to_string(width));
    EXPECT_EQ(world_.executor_->Running().front().slots.size(), static_cast<std::size_t>(width));
    ASSERT_TRUE(world_.executor().Execute(engine::PauseJob{job, attempt}));
    ASSERT_TRUE(world_.Reports(job, JobPhase::kPaused, attempt));
    ASSERT_TRUE(world_.Until([&] { return slurm_.At(id).priority > 0; }));
    EXPECT_EQ(slurm_.At(id).gpus, 1) << "without Ebb it starts at its own width";
  }
  EXPECT_EQ(slurm_.sizes, (std::vector<std::string>{id + " 4", id + " 1", id + " 2", id + " 1"}));
  EXPECT_EQ(slurm_.starts(), 3);
  EXPECT_TRUE(world_.controls_.empty());
}

TEST_F(SlurmExecutorTest, AnElasticJobThatStartsByItselfHasItsOwnWidth) {
  const std::string id = slurm_.Queue("train", "ebb:start-by=1s;checkpointable;speedup=4=3.3");
  const core::JobId job = world_.Take(id);
  EXPECT_EQ(world_.RunningReport(job, 1).devices, 1);
}

TEST_F(SlurmExecutorTest, AWidthThatALimitRefusesIsToldAndTheJobGoesOnAtItsOwn) {
  slurm_.most_by_job = 2;
  const std::string id = slurm_.Queue("train", kElastic);
  const core::JobId job = world_.Take(id);
  ASSERT_TRUE(world_.Start(job, 1, 4));
  const JobReport report = world_.RunningReport(job, 1);
  EXPECT_EQ(report.devices, 1);
  EXPECT_EQ(report.detail,
            "Slurm does not give it 4 devices (QOSMaxGRESPerJob); it goes on with 1");
  EXPECT_NE(slurm_.At(id).comment.find(report.detail), std::string::npos) << slurm_.At(id).comment;
  ASSERT_EQ(world_.said_.size(), 1u);
  EXPECT_EQ(slurm_.starts(), 1);
}

// Slurm holds such a job itself, which is no hold of a person.
TEST_F(SlurmExecutorTest, AWidthThatNoNodeHasIsTakenBack) {
  const std::string id = slurm_.Queue("train", "ebb:start-by=6h;checkpointable;speedup=9=3.3");
  const core::JobId job = world_.Take(id);
  ASSERT_TRUE(world_.Start(job, 1, 9));
  EXPECT_EQ(world_.RunningReport(job, 1).devices, 1);
  EXPECT_TRUE(world_.controls_.empty());
}

TEST_F(SlurmExecutorTest, AChangeOfWidthThatSlurmRefusesIsTakenBack) {
  slurm_.most_in_a_change = 2;
  const std::string id = slurm_.Queue("train", kElastic);
  const core::JobId job = world_.Take(id);
  ASSERT_TRUE(world_.Start(job, 1, 4));
  EXPECT_EQ(world_.RunningReport(job, 1).devices, 1);
  EXPECT_TRUE(world_.Until([&] {
    return slurm_.At(id).comment.find("(Requested node configuration is not available)") !=
           std::string::npos;
  })) << slurm_.At(id).comment;
  EXPECT_EQ(slurm_.starts(), 1);
}

TEST_F(SlurmExecutorTest, AJobWhoseSizeCannotBeChangedKeepsItsWidth) {
  const std::string id = slurm_.Queue("train", kElastic);
  slurm_.At(id).gpus_by = GpusBy::kTask;
  world_.Take(id);
  EXPECT_TRUE(world_.stored_.back().job().speedup.empty());
  ASSERT_TRUE(world_.Until([&] { return slurm_.At(id).priority > 0; }));
  EXPECT_NE(slurm_.At(id).comment.find(
                "Ebb cannot read speedup: it asks for GPUs by task, so it keeps its width"),
            std::string::npos)
      << slurm_.At(id).comment;
}

TEST_F(SlurmExecutorTest, ARestartedServiceKnowsTheWidthOfARunningJob) {
  const std::string id = slurm_.Queue("train", kElastic);
  const core::JobId job = world_.Take(id);
  ASSERT_TRUE(world_.Start(job, 1, 4));
  ASSERT_EQ(world_.RunningReport(job, 1).devices, 4);
  world_.Begin();
  const auto known = world_.executor().Observe();
  ASSERT_EQ(known->size(), 1u);
  EXPECT_EQ(known->front().devices, 4);
  EXPECT_EQ(world_.executor_->Running().front().slots.size(), 4u);
  EXPECT_EQ(world_.executor().cluster().pools[1].count, 8) << "all 4 are counted as its own";
  ASSERT_TRUE(world_.executor().Execute(engine::PauseJob{job, 1}));
  ASSERT_TRUE(world_.Reports(job, JobPhase::kPaused, 1));
  ASSERT_TRUE(world_.Until([&] { return slurm_.At(id).priority > 0; }));
  EXPECT_EQ(slurm_.At(id).gpus, 1);
}

// The controller was killed after the change, and knows the job as it was.
TEST_F(SlurmExecutorTest, AChangeOfWidthThatSlurmLostIsSentAgain) {
  const std::string id = slurm_.Queue("train", kElastic);
  const core::JobId job = world_.Take(id);
  ASSERT_TRUE(world_.Until([&] { return slurm_.At(id).priority > 0; }));
  const SlurmJob before = slurm_.At(id);
  slurm_.Queue("other", "", 1, 8);
  slurm_.Go();  // it has all devices, so that the job waits
  ASSERT_TRUE(world_.Start(job, 1, 4));
  ASSERT_TRUE(world_.Until([&] { return slurm_.At(id).gpus == 4; }));
  slurm_.At(id) = before;
  ASSERT_TRUE(world_.Until([&] { return slurm_.At(id).gpus == 4; }));
  ASSERT_TRUE(slurm_.Client()->Cancel("2"));
  EXPECT_EQ(world_.RunningReport(job, 1).devices, 4);
}

TEST_F(SlurmExecutorTest, AnElasticJobOfTheServiceIsSubmittedAtItsPlannedWidth) {
  core::Submission submission;
  submission.job.name = "long";
  submission.job.submitted = world_.clock_.Now();
  submission.job.start_by = world_.clock_.Now() + hours{10};
  submission.job.duration = hours{1};
  submission.job.checkpointable = true;
  submission.job.speedup = {{4, 3.3}};
  const core::JobId wide = world_.Submit(submission);
  ASSERT_TRUE(world_.Start(wide, 1, 4));
  EXPECT_EQ(world_.RunningReport(wide, 1).devices, 4);
  slurm_.most_in_a_change = 2;
  submission.identity = 0;
  const core::JobId refused = world_.Submit(submission);
  ASSERT_TRUE(world_.Start(refused, 1, 4));
  EXPECT_EQ(world_.RunningReport(refused, 1).devices, 1);
  EXPECT_EQ(slurm_.starts(), 2);
}

TEST_F(SlurmExecutorTest, AHoldOfAPersonStays) {
  const std::string id = slurm_.Queue("train", "ebb:start-by=6h");
  const core::JobId job = world_.Take(id);
  ASSERT_TRUE(world_.Until([&] { return slurm_.At(id).priority > 0; }));
  slurm_.Hold(id);
  ASSERT_TRUE(world_.Until([&] { return world_.controls_.contains(job); }));
  EXPECT_EQ(world_.controls_[job], JobControl::kHold);
  std::ignore = world_.executor().WaitForEvents(world_.clock_.Now() + Duration{30});
  EXPECT_EQ(slurm_.At(id).priority, 0);
  slurm_.Release(id);
  EXPECT_TRUE(world_.Until([&] { return world_.controls_[job] == JobControl::kNone; }));
}

TEST_F(SlurmExecutorTest, AHoldThatAPersonMadeWhileNoServiceRanStays) {
  const std::string id = slurm_.Queue("train", "ebb:start-by=6h");
  const core::JobId job = world_.Take(id);
  ASSERT_TRUE(
      world_.Until([&] { return slurm_.At(id).comment.find("{ebb wait ") != std::string::npos; }));
  slurm_.Hold(id);
  world_.Begin();
  ASSERT_TRUE(world_.Until([&] { return world_.controls_.contains(job); }));
  EXPECT_EQ(world_.controls_[job], JobControl::kHold);
  std::ignore = world_.executor().WaitForEvents(world_.clock_.Now() + Duration{30});
  EXPECT_EQ(slurm_.At(id).priority, 0);
}

TEST_F(SlurmExecutorTest, ACancelledJobIsCancelledOnBothSides) {
  const std::string by_slurm = slurm_.Queue("a", "ebb:");
  const core::JobId first = world_.Take(by_slurm);
  ASSERT_TRUE(world_.Until([&] { return slurm_.At(by_slurm).priority > 0; }));
  ASSERT_TRUE(slurm_.Client()->Cancel(by_slurm));
  EXPECT_TRUE(world_.Until([&] { return world_.cancelled_ == std::vector{first}; }));
  const std::string by_ebb = slurm_.Queue("b", "ebb:");
  const core::JobId second = world_.Take(by_ebb);
  world_.executor().Forget(second);
  EXPECT_EQ(slurm_.At(by_ebb).state, JobState::kCancelled);
}

TEST_F(SlurmExecutorTest, ARestartedServiceGoesOn) {
  const std::string waits = slurm_.Queue("a", "ebb:start-by=5h"),
                    runs = slurm_.Queue("b", "ebb:start-by=5h");
  const core::JobId first = world_.Take(waits), second = world_.Take(runs);
  ASSERT_TRUE(world_.Start(second, 1));
  ASSERT_TRUE(world_.Reports(second, JobPhase::kRunning, 1));
  const int changes = slurm_.changes;
  world_.Begin();
  const auto known = world_.executor().Observe();
  ASSERT_EQ(known->size(), 1u);
  EXPECT_EQ(known->front().job, second);
  EXPECT_EQ(known->front().phase, JobPhase::kRunning);
  EXPECT_EQ(known->front().attempt, 1);
  std::ignore = world_.executor().WaitForEvents(world_.clock_.Now() + Duration{30});
  EXPECT_EQ(slurm_.changes, changes) << "nothing is sent again";
  EXPECT_TRUE(world_.wanted_.empty()) << "nothing is offered again";
  ASSERT_TRUE(world_.Start(first, 1));
  EXPECT_TRUE(world_.Reports(first, JobPhase::kRunning, 1));
}

TEST_F(SlurmExecutorTest, ARestartedServiceCountsTheDevicesOfItsRunningJobs) {
  for (int i = 0; i < 3; ++i) {
    const core::JobId job = world_.Take(slurm_.Queue("train", "ebb:start-by=5h"));
    ASSERT_TRUE(world_.Start(job, 1));
    ASSERT_TRUE(world_.Reports(job, JobPhase::kRunning, 1));
  }
  world_.Begin();
  ASSERT_EQ(world_.executor().cluster().pools.size(), 2u);
  EXPECT_EQ(world_.executor().cluster().pools[1].count, 8) << "before its first look for events";
}

TEST_F(SlurmExecutorTest, AJobThatEndedWhileNobodyLookedHasItsEnd) {
  slurm_.Ends("b", Duration{1}, 7);
  const std::string id = slurm_.Queue("b", "ebb:");
  const core::JobId job = world_.Take(id);
  ASSERT_TRUE(world_.Until([&] { return slurm_.At(id).priority > 0; }));
  ASSERT_TRUE(slurm_.Client()->Update({id, world_.clock_.Now(), std::nullopt}));
  slurm_.Go();
  std::this_thread::sleep_for(Duration{5});
  slurm_.Go();
  slurm_.Drop(id);
  world_.Begin();
  ASSERT_TRUE(world_.Reports(job, JobPhase::kFailed, 1));
  EXPECT_EQ(world_.reports_.back().exit_code, 7);
}

// The first start of the job had failed, so the engine counts another attempt.
TEST_F(SlurmExecutorTest, AStartOfAJobThatHasEndedByItselfGetsItsEnd) {
  slurm_.Ends("b", Duration{1}, 7);
  const std::string id = slurm_.Queue("b", "ebb:");
  const core::JobId job = world_.Take(id);
  ASSERT_TRUE(world_.Until([&] { return slurm_.At(id).priority > 0; }));
  ASSERT_TRUE(slurm_.Client()->Update({id, world_.clock_.Now(), std::nullopt}));
  ASSERT_TRUE(world_.Reports(job, JobPhase::kFailed, 1));
  ASSERT_TRUE(world_.Start(job, 2));
  ASSERT_TRUE(world_.Reports(job, JobPhase::kFailed, 2));
  EXPECT_EQ(world_.reports_.back().exit_code, 7);
  ASSERT_GE(world_.reports_.size(), 2u);
  EXPECT_EQ(world_.reports_[world_.reports_.size() - 2].phase, JobPhase::kRunning);
}

TEST_F(SlurmExecutorTest, AJobThatEndedBetweenTwoLivesIsKnownWithoutAccounting) {
  slurm_.has_accounting = false;
  const std::string id = slurm_.Queue("b", "ebb:");
  const core::JobId job = world_.Take(id);
  ASSERT_TRUE(world_.Start(job, 1));
  ASSERT_TRUE(world_.Reports(job, JobPhase::kRunning, 1));
  slurm_.Ends("b", Duration{0}, 7);
  slurm_.Go();
  world_.Begin();
  const auto known = world_.executor().Observe();
  ASSERT_EQ(known->size(), 1u) << "it takes no device any more";
  EXPECT_EQ(known->front().phase, JobPhase::kFailed);
  EXPECT_EQ(known->front().exit_code, 7);
}

TEST_F(SlurmExecutorTest, AnEndThatNobodyKnowsIsSaidToBeUnknown) {
  slurm_.has_accounting = false;
  const std::string id = slurm_.Queue("b", "ebb:");
  const core::JobId job = world_.Take(id);
  ASSERT_TRUE(world_.Start(job, 1));
  ASSERT_TRUE(world_.Reports(job, JobPhase::kRunning, 1));
  slurm_.Drop(id);
  ASSERT_TRUE(world_.Reports(job, JobPhase::kFailed, 1));
  EXPECT_NE(world_.reports_.back().detail.find("has forgotten"), std::string::npos);
}

TEST_F(SlurmExecutorTest, AJobThatSlurmLostIsSubmittedAgainIfItHadNotBegun) {
  const core::JobId job = world_.Add(testing::JobKind::kLong);
  ASSERT_TRUE(world_.Until([&] { return slurm_.size() == 1; }));
  slurm_.Drop("1");
  ASSERT_TRUE(world_.Until([&] { return slurm_.size() == 1; }));
  EXPECT_GT(*slurm_.BeginOf("2"), world_.clock_.Now() + hours{9});
  ASSERT_TRUE(world_.Start(job, 1));
  EXPECT_TRUE(world_.Reports(job, JobPhase::kRunning, 1));
  EXPECT_EQ(slurm_.starts(), 1);
}

TEST_F(SlurmExecutorTest, AChangeThatSlurmLostIsSentAgain) {
  const std::string id = slurm_.Queue("train", "ebb:start-by=6h");
  const SlurmJob before = slurm_.At(id);
  const core::JobId job = world_.Take(id);
  ASSERT_TRUE(world_.Until([&] { return slurm_.At(id).priority > 0; }));
  slurm_.At(id) = before;
  ASSERT_TRUE(world_.Until([&] { return slurm_.At(id).priority > 0; }));
  EXPECT_TRUE(world_.controls_.empty()) << "the hold from before is no hold of a person";
  const SlurmJob waits = slurm_.At(id);
  ASSERT_TRUE(world_.Start(job, 1));
  ASSERT_TRUE(world_.Reports(job, JobPhase::kRunning, 1));
  EXPECT_EQ(waits.state, JobState::kPending);
}

TEST_F(SlurmExecutorTest, AJobIsNotTakenBeforeItsOwnerWantsIt) {
  slurm_.Queue("later", "ebb:start-by=6h;not-before=2h");
  const std::string soon = slurm_.Queue("soon", "ebb:start-by=6h;not-before=10s");
  const core::JobId job = world_.Take(soon);
  EXPECT_TRUE(world_.wanted_.empty());
  ASSERT_TRUE(world_.Start(job, 1));
  ASSERT_TRUE(world_.Until(
      [&] { return slurm_.At(soon).comment.find("{ebb go 1 ") != std::string::npos; }));
  EXPECT_EQ(slurm_.starts(), 0);
  EXPECT_GE(*slurm_.BeginOf(soon), slurm_.At(soon).submitted + std::chrono::seconds{10});
}

TEST_F(SlurmExecutorTest, WhileTheControllerIsAwayNothingIsLost) {
  const std::string id = slurm_.Queue("b", "ebb:");
  const core::JobId job = world_.Take(id);
  slurm_.is_away = true;
  ASSERT_TRUE(world_.Until([&] { return !world_.said_.empty(); }));
  const Status start = world_.Start(job, 1);
  ASSERT_FALSE(start);
  EXPECT_EQ(start.error().code, ExitCode::kTryLater);
  std::ignore = world_.executor().WaitForEvents(world_.clock_.Now() + Duration{30});
  EXPECT_EQ(world_.said_.size(), 1u) << "it is said once";
  slurm_.is_away = false;
  ASSERT_TRUE(world_.Until([&] { return world_.said_.size() == 2; }));
  ASSERT_TRUE(world_.Start(job, 1));
  EXPECT_TRUE(world_.Reports(job, JobPhase::kRunning, 1));
}

TEST_F(SlurmExecutorTest, AWishThatCannotBeReadStandsInTheComment) {
  const std::string id = slurm_.Queue("train", "ebb:start-by=6h;tier=gold");
  world_.Take(id);
  ASSERT_TRUE(world_.Until([&] { return slurm_.At(id).priority > 0; }));
  EXPECT_NE(slurm_.At(id).comment.find("Ebb cannot read tier: \"gold\""), std::string::npos)
      << slurm_.At(id).comment;
}

TEST_F(SlurmExecutorTest, AJobThatTheServiceRefusesSaysWhyAndIsOfferedAgainWhenItIsCorrected) {
  const std::string id = slurm_.Queue("train", "ebb:finish-by=1m");
  ASSERT_TRUE(world_.Until([&] { return world_.wanted_.size() == 1; }));
  world_.executor_->Refused(world_.wanted_.front().key,
                            {ExitCode::kInfeasible, "it cannot end by then", "", ""});
  ASSERT_TRUE(world_.Until([&] { return slurm_.changes == 1; }));
  EXPECT_EQ(slurm_.At(id).comment,
            "ebb:finish-by=1m {ebb note} Ebb does not take this job: it cannot end by then; it "
            "stays held until scontrol release " +
                id);
  std::ignore = world_.executor().WaitForEvents(world_.clock_.Now() + Duration{30});
  EXPECT_EQ(slurm_.changes, 1) << "it is written once";
  EXPECT_EQ(world_.wanted_.size(), 1u);
  slurm_.At(id).comment = "ebb:finish-by=9h";
  world_.wanted_.clear();
  const core::JobId job = world_.Take(id);
  ASSERT_TRUE(world_.Start(job, 1));
  EXPECT_TRUE(world_.Reports(job, JobPhase::kRunning, 1));
}

TEST_F(SlurmExecutorTest, AnOwnerChangesAJobByItsComment) {
  const std::string id = slurm_.Queue("train", "ebb:start-by=6h");
  const core::JobId job = world_.Take(id);
  ASSERT_TRUE(world_.Until([&] { return slurm_.At(id).priority > 0; }));
  slurm_.At(id).comment = "ebb:start-by=9h;priority=7";
  ASSERT_TRUE(world_.Until([&] { return !world_.changed_.empty(); }));
  core::JobChange expected;
  expected.start_by = slurm_.At(id).submitted + hours{9};
  expected.priority = 7;
  EXPECT_EQ(world_.changed_.front(), std::pair(job, expected));
  ASSERT_TRUE(world_.Until([&] {
    return slurm_.At(id).comment.starts_with("ebb:start-by=9h;priority=7 {ebb wait 0 ");
  })) << "the mark is written again";
  EXPECT_EQ(world_.changed_.size(), 1u);
  world_.executor_->ChangeRefused(job, {ExitCode::kInfeasible, "it has begun", "", ""});
  EXPECT_TRUE(world_.Until([&] {
    return slurm_.At(id).comment.find("} Ebb does not take the change: it has begun") !=
           std::string::npos;
  })) << slurm_.At(id).comment;
}

TEST_F(SlurmExecutorTest, WhatAJobHasUsedStaysInItsComment) {
  const std::string id = slurm_.Queue("train", "ebb:start-by=6h;checkpointable;grace=0s");
  const core::JobId job = world_.Take(id);
  ASSERT_TRUE(world_.Start(job, 1));
  ASSERT_TRUE(world_.Reports(job, JobPhase::kRunning, 1));
  slurm_.At(id).comment += " used 1 kWh, 300 g";
  world_.executor_->Note(job, "312 g/kWh now");
  ASSERT_TRUE(world_.executor().Execute(engine::PauseJob{job, 1}));
  ASSERT_TRUE(world_.Reports(job, JobPhase::kPaused, 1));
  EXPECT_TRUE(world_.Until([&] {
    return slurm_.At(id).comment.find("} used 1 kWh, 300 g; 312 g/kWh now") != std::string::npos;
  })) << slurm_.At(id).comment;
}

TEST_F(SlurmExecutorTest, ALongSentenceIsNotWrittenAgainAndAgain) {
  const std::string id = slurm_.Queue("train", "ebb:start-by=6h");
  const core::JobId job = world_.Take(id);
  world_.executor_->Note(job, std::string(2000, 'x'));
  ASSERT_TRUE(world_.Until([&] { return slurm_.At(id).comment.find("xxx") != std::string::npos; }));
  const int changes = slurm_.changes;
  std::ignore = world_.executor().WaitForEvents(world_.clock_.Now() + Duration{50});
  EXPECT_EQ(slurm_.changes, changes);
}

TEST_F(SlurmExecutorTest, ABusyControllerIsAskedRarely) {
  const std::string id = slurm_.Queue("train", "ebb:start-by=6h");
  const core::JobId job = world_.Take(id);
  ASSERT_TRUE(world_.Until([&] { return slurm_.At(id).priority > 0; }));
  slurm_.load = {200, 0};
  ASSERT_TRUE(world_.Until([&] { return !world_.said_.empty(); }));
  EXPECT_NE(world_.said_.back().find("busy (200 threads"), std::string::npos);
  const int requests = slurm_.requests;
  std::ignore = world_.executor().WaitForEvents(world_.clock_.Now() + Duration{50});
  EXPECT_EQ(slurm_.requests, requests);
  ASSERT_TRUE(world_.Start(job, 1));
  EXPECT_TRUE(world_.Reports(job, JobPhase::kRunning, 1)) << "a start is sent at once";
}

// A signal that stays queued would make each wait return at once.
TEST_F(SlurmExecutorTest, TakesEverySignalThatEndsItsWait) {
  for (const int number : {SIGCHLD, SIGUSR1, SIGCONT}) ASSERT_EQ(::raise(number), 0);
  std::ignore = world_.executor().WaitForEvents(world_.clock_.Now() + Duration{5});
  pollfd descriptor{world_.signals_.descriptor(), POLLIN, 0};
  EXPECT_EQ(::poll(&descriptor, 1, 0), 0);
  EXPECT_FALSE(world_.executor_->stop_signal());
}

TEST_F(SlurmExecutorTest, ARoundAsksOnceWhateverTheNumberOfJobs) {
  for (int i = 0; i < 200; ++i) slurm_.Queue("train", "ebb:start-by=6h");
  ASSERT_TRUE(world_.Until([&] { return world_.wanted_.size() == 200; }));
  while (!world_.wanted_.empty()) world_.Take("");
  ASSERT_TRUE(world_.Until([&] { return slurm_.changes == 600; }));
  const int requests = slurm_.requests;
  std::ignore = world_.executor().WaitForEvents(world_.clock_.Now() + Duration{20});
  EXPECT_EQ(slurm_.changes, 600) << "each job has what it needs";
  EXPECT_LE(slurm_.requests - requests, 2 * 11) << "jobs and nodes, each round";
}

TEST_F(SlurmExecutorTest, NoMoreThanFitAreLetGo) {
  slurm_.Ends("train", Duration{1});
  std::vector<core::JobId> jobs;
  for (int i = 0; i < 5; ++i) jobs.push_back(world_.Add(testing::JobKind::kLong));
  ASSERT_TRUE(world_.Until([&] { return slurm_.size() == 5; }));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(world_.Start(jobs[static_cast<std::size_t>(i)], 1));
  ASSERT_TRUE(world_.Until([&] { return slurm_.most_running() == 3; }));
  EXPECT_EQ(world_.executor().cluster().pools.size(), 2u);
  ASSERT_TRUE(world_.Until([&] { return world_.executor().cluster().pools[1].count == 8; }))
      << "our own jobs do not take from the pool";
}

}  // namespace
}  // namespace ebb::slurm
