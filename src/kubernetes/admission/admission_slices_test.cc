// Elastic Jobs in a queue of Kueue: another number of devices while they run, by slices, and while
// they wait, by a change of their Workload.

#include <gmock/gmock.h>

#include "core/jobs/widths.h"
#include "kubernetes/kueue_world_for_test.h"

namespace ebb::kubernetes {
namespace {

using ::testing::HasSubstr;

class AdmissionSlicesTest : public KueueTest {
 protected:
  // A Job of so many Pods, which can also have one, two or three.
  static std::map<std::string, std::string> Elastic(int pods) {
    const char* speedup = pods == 1 ? "2=1.9,3=2.7" : pods == 2 ? "1=0.6,3=1.4" : "1=0.4,2=0.7";
    return {{"ebb/checkpointable", "true"}, {"ebb/speedup", speedup}};
  }
  void SetUp() override { options_.kueue.follows_within = std::chrono::seconds{5}; }

  void Submit(int pods = 1, bool elastic = true) {
    kueue_->SubmitIndexed("train", pods, elastic, Elastic(pods));
  }
  void Start(int attempt, int devices) {
    ASSERT_TRUE(executor_->Execute(engine::StartJob{JobOf("train").id, attempt, 0, devices}));
  }
  void Pause(int attempt) {
    reports_.clear();
    ASSERT_TRUE(executor_->Execute(engine::PauseJob{JobOf("train").id, attempt}));
  }
  // A change of width as the engine makes it.
  void ChangeTo(int attempt, int devices) {
    Pause(attempt - 1);
    ASSERT_TRUE(Until([&] { return Reported(JobPhase::kPaused); }));
    Start(attempt, devices);
  }
  void Run(int pods, bool elastic = true) {
    Submit(pods, elastic);
    Start(1, pods);
    ASSERT_TRUE(Until([&] { return Runs("train") && Holds(kueue_->Get("train"), "Admitted"); }));
    GoOnFor(Duration{50});
    stopped_ = kueue_->Stopped("train");
  }
  bool RanOn() const { return kueue_->Stopped("train") == stopped_; }
  Json Spec() const { return server_.Get(kJobs, "train")["spec"]; }
  std::string Note(const char* key) const {
    return server_.Get(kJobs, "train")["metadata"]["annotations"].value(key, "");
  }
  // The slice that has all the quota.
  bool IsAdmitted(const std::string& slice, int pods) const {
    return kueue_->Slices("train") == std::vector<std::string>{slice} &&
           Holds(kueue_->Get(slice), "Admitted") && kueue_->Pods(slice) == pods;
  }
  int Width() {
    const auto reports = executor_->Observe();
    return reports->size() == 1 ? reports->front().devices : -1;
  }

  int stopped_ = 0;
};

TEST_F(AdmissionSlicesTest, ItGetsWiderWhileItRuns) {
  Begin();
  Run(1);
  ChangeTo(2, 3);
  EXPECT_TRUE(Until([&] { return IsAdmitted("train.2", 3); }));
  GoOnFor(Duration{100});
  EXPECT_TRUE(RanOn()) << "it is not suspended";
  EXPECT_EQ(Spec()["parallelism"], 3);
  EXPECT_EQ(Spec()["completions"], 3);
  EXPECT_EQ(Note("ebb/devices"), "3");
  EXPECT_EQ(Note("ebb/own-devices"), "1");
  EXPECT_EQ(State("train.2"), "Ready") << "its pods run already";
  EXPECT_EQ(Width(), 3);
  EXPECT_EQ(executor_->reconciler().size(), 1u) << "all slices are one job";
  EXPECT_EQ(PoolCount(), 4) << "none of them counts twice";
}

TEST_F(AdmissionSlicesTest, ItGetsNarrowerAtOnceAndWiderAgain) {
  Begin();
  Run(3);
  ChangeTo(2, 2);
  EXPECT_TRUE(Until([&] { return IsAdmitted("train", 2); })) << "no other slice is needed";
  EXPECT_EQ(kueue_->Reserved(), 2);
  ChangeTo(3, 3);
  EXPECT_TRUE(Until([&] { return IsAdmitted("train.2", 3); }));
  ChangeTo(4, 2);
  EXPECT_TRUE(Until([&] { return IsAdmitted("train.2", 2); }));
  EXPECT_TRUE(RanOn());
  EXPECT_EQ(Width(), 2);
  EXPECT_EQ(Note("ebb/own-devices"), "3");
}

// The engine has changed its mind: the job goes on as it is.
TEST_F(AdmissionSlicesTest, AStartAtTheSameWidthChangesNothing) {
  Begin();
  Run(2);
  ChangeTo(2, 2);
  GoOnFor(Duration{200});
  EXPECT_TRUE(IsAdmitted("train", 2));
  EXPECT_TRUE(RanOn());
  EXPECT_EQ(Width(), 2);
}

TEST_F(AdmissionSlicesTest, WithoutQuotaItKeepsItsWidthSaysSoAndDoesNotTryAgain) {
  options_.kueue.admits_within = std::chrono::seconds{3};
  Begin("v1beta2", 2);
  Run(1);
  kueue_->Submit("other", 1, {{"ebb/wait", "false"}});
  ASSERT_TRUE(Until([&] { return Runs("other"); }));
  ChangeTo(2, 2);
  ASSERT_TRUE(Until([&] { return kueue_->Slices("train").size() == 2; }));
  EXPECT_EQ(Width(), 2) << "as long as it may come";
  kueue_->Set("train.2", {{"QuotaReserved", false}});
  ASSERT_TRUE(Until([&] { return Width() == 1; }));
  const auto told =
      std::ranges::find_if(reports_, [](const auto& report) { return !report.detail.empty(); });
  ASSERT_NE(told, reports_.end());
  EXPECT_EQ(told->phase, JobPhase::kRunning) << "the engine takes the width away from the job";
  EXPECT_EQ(told->devices, 1);
  EXPECT_THAT(told->detail, HasSubstr("it keeps its 1 device, not 2 devices: Kueue has not"));
  EXPECT_EQ(executor_->reconciler().KeptWidth(JobOf("train").id), told->detail);
  EXPECT_TRUE(Until([&] { return Spec()["parallelism"] == 1; })) << "no pods wait for quota";
  EXPECT_TRUE(Until([&] { return IsAdmitted("train.2", 1); }));
  const auto patches = server_.PatchesOf("train").size();
  GoOnFor(Duration{600});
  EXPECT_EQ(server_.PatchesOf("train").size(), patches);
  EXPECT_TRUE(RanOn());
  EXPECT_EQ(Width(), 1);
  EXPECT_EQ(Note("ebb/own-devices"), "1");
}

TEST_F(AdmissionSlicesTest, APauseThatNoStartFollowsIsOne) {
  Begin();
  Run(2);
  Pause(1);
  ASSERT_TRUE(Until([&] { return Reported(JobPhase::kPaused); }));
  GoOnFor(Duration{300});
  EXPECT_TRUE(Runs("train")) << "a start at another width may follow";
  EXPECT_TRUE(Until([&] { return !Runs("train") && kueue_->Reserved() == 0; }));
  ASSERT_TRUE(Until([&] { return IsHeld("train"); }));
  GoOnFor(Duration{100});
  Start(2, 3);
  EXPECT_TRUE(Until([&] { return Runs("train") && IsAdmitted("train", 3); }));
  EXPECT_EQ(Width(), 3);
}

TEST_F(AdmissionSlicesTest, APauseWhileASliceWaitsGivesThePodsBackFirst) {
  Begin("v1beta2", 2);
  Run(1);
  kueue_->Submit("other", 1, {{"ebb/wait", "false"}});
  ASSERT_TRUE(Until([&] { return Runs("other"); }));
  ChangeTo(2, 2);
  ASSERT_TRUE(Until([&] { return kueue_->Slices("train").size() == 2; }));
  Pause(2);
  EXPECT_TRUE(Until([&] { return !Runs("train"); }));
  EXPECT_EQ(Spec()["parallelism"], 1);
  EXPECT_EQ(kueue_->Slices("train"), std::vector<std::string>{"train.2"}) << "took its place first";
}

TEST_F(AdmissionSlicesTest, ItStartsWithThePlannedDevices) {
  Begin();
  Submit(2);
  ASSERT_TRUE(Until([&] { return IsHeld("train") && kueue_->Reserved() == 0; }));
  const core::Job job = JobOf("train");
  EXPECT_EQ(job.devices, 2);
  EXPECT_EQ(core::Describe(job.speedup), (std::vector<std::string>{"1=0.6", "3=1.4"}));
  Start(1, 3);
  EXPECT_TRUE(Until([&] { return Runs("train") && IsAdmitted("train", 3); }));
  EXPECT_EQ(Width(), 3);
  GoOnFor(Duration{50});
  EXPECT_FALSE(executor_->reconciler().has_events()) << "its own width is what it was";
}

TEST_F(AdmissionSlicesTest, WithoutQuotaForThePlannedDevicesItStartsWithItsOwn) {
  options_.kueue.admits_within = std::chrono::seconds{3};
  Begin("v1beta2", 2);
  Submit(1);
  ASSERT_TRUE(Until([&] { return IsHeld("train") && kueue_->Reserved() == 0; }));
  Start(1, 3);
  ASSERT_TRUE(Until([&] { return kueue_->Pods("train") == 3; }));
  EXPECT_TRUE(Until([&] { return Runs("train") && IsAdmitted("train", 1); }));
  EXPECT_EQ(Width(), 1);
  EXPECT_THAT(executor_->reconciler().KeptWidth(JobOf("train").id),
              HasSubstr("it keeps its 1 device, not 3 devices: Kueue has not admitted it within"));
}

// Kueue has reserved quota for the width that it has, and the engine wants another one.
TEST_F(AdmissionSlicesTest, QuotaOfAnotherWidthIsGivenBackBeforeItStarts) {
  note_ = {};
  Begin();
  Submit(2);
  JobOf("train");
  ASSERT_TRUE(Until([&] { return kueue_->Reserved() == 2; }));
  Start(1, 3);
  EXPECT_TRUE(Until([&] { return Runs("train"); }));
  EXPECT_TRUE(IsAdmitted("train", 3));
}

TEST_F(AdmissionSlicesTest, SomebodyElseMayMakeItWider) {
  Begin();
  Run(1);
  server_.Patch(kJobs, "train", {{"spec", {{"parallelism", 2}, {"completions", 2}}}});
  EXPECT_TRUE(Until([&] { return IsAdmitted("train.2", 2) && Width() == 2; }));
  EXPECT_TRUE(RanOn());
  EXPECT_EQ(executor_->reconciler().size(), 1u);
}

TEST_F(AdmissionSlicesTest, AnotherControllerGoesOnWithTheSameJob) {
  Begin();
  Run(1);
  const std::string before = executor_->reconciler().Find(JobOf("train").id)->uid;
  ChangeTo(2, 3);
  ASSERT_TRUE(Until([&] { return IsAdmitted("train.2", 3); }));
  GoOnFor(Duration{50});
  jobs_.clear();
  Restart();
  const core::Job job = JobOf("train");
  EXPECT_EQ(job.devices, 1) << "its own";
  EXPECT_EQ(executor_->reconciler().Find(job.id)->uid, before);
  EXPECT_EQ(executor_->reconciler().size(), 1u);
  const auto reports = executor_->Observe();
  ASSERT_EQ(reports->size(), 1u);
  EXPECT_EQ(reports->front().phase, JobPhase::kRunning);
  EXPECT_EQ(reports->front().attempt, 2);
  EXPECT_EQ(reports->front().devices, 3);
  ChangeTo(3, 1);
  EXPECT_TRUE(Until([&] { return IsAdmitted("train.2", 1); }));
}

TEST_F(AdmissionSlicesTest, TheEndOfTheLastSliceIsTheEndOfTheJob) {
  Begin();
  Run(1);
  ChangeTo(2, 2);
  ASSERT_TRUE(Until([&] { return IsAdmitted("train.2", 2); }));
  GoOnFor(Duration{50});
  EXPECT_FALSE(Reported(JobPhase::kFailed)) << "the first slice has ended";
  kueue_->Complete("train.2");
  EXPECT_TRUE(Until([&] { return Reported(JobPhase::kSucceeded); }));
}

// Kueue makes another Workload for its Job.
TEST_F(AdmissionSlicesTest, AJobWhoseWorkloadIsDeletedIsAnotherJob) {
  Begin();
  Submit(1);
  const core::JobId job = JobOf("train").id;
  jobs_.clear();
  const Json before = kueue_->Get("train");
  server_.Delete(kueue_->workloads(), "job-train");
  GoOnFor(Duration{50}, false);
  Json again{
      {"metadata", before["metadata"]}, {"spec", before["spec"]}, {"status", before["status"]}};
  for (const char* key : {"uid", "resourceVersion", "creationTimestamp"})
    again["metadata"].erase(key);
  server_.Create(kueue_->workloads(), again);
  GoOnFor(Duration{50}, false);
  EXPECT_TRUE(jobs_.empty()) << "the engine has not forgotten the first one";
  executor_->Forget(job);
  EXPECT_NE(JobOf("train").id, job);
}

TEST_F(AdmissionSlicesTest, AWidthThatTheApiServerRefusesIsReported) {
  Begin();
  Run(1);
  server_.RefusePatches("train", 422);
  ChangeTo(2, 2);
  EXPECT_TRUE(Until([&] { return Width() == 1; }));
  EXPECT_THAT(executor_->reconciler().KeptWidth(JobOf("train").id),
              HasSubstr("the API server refuses it"));
}

// The gate of the feature is off, or Kueue is older.
TEST_F(AdmissionSlicesTest, WithoutSlicesAChangeIsAPause) {
  Begin();
  Run(1, false);
  EXPECT_THAT(executor_->reconciler().KeptWidth(JobOf("train").id),
              HasSubstr("a change of its width is a pause: Kueue makes no workload slices"));
  Pause(1);
  ASSERT_TRUE(Until([&] { return Reported(JobPhase::kPaused); }));
  EXPECT_FALSE(Runs("train"));
  Start(2, 3);
  EXPECT_TRUE(Until([&] { return Runs("train") && IsAdmitted("train", 3); }));
  EXPECT_EQ(Width(), 3);
}

TEST_F(AdmissionSlicesTest, WhatKueueMayAdmitWithFewerPodsKeepsItsWidth) {
  Begin();
  auto annotations = Elastic(2);
  annotations["kueue.x-k8s.io/job-min-parallelism"] = "1";
  kueue_->SubmitIndexed("train", 2, false, annotations);
  const core::Job job = JobOf("train");
  EXPECT_TRUE(job.speedup.empty());
  EXPECT_THAT(executor_->reconciler().KeptWidth(job.id),
              HasSubstr("it keeps its 2 devices: Kueue may admit it with fewer Pods"));
}

}  // namespace
}  // namespace ebb::kubernetes
