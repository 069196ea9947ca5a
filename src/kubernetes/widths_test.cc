// Elastic objects: each attempt has the planned devices, and the devices that it has are read from
// the object.

#include <gmock/gmock.h>

#include "core/jobs/widths.h"
#include "kubernetes/cluster_world_for_test.h"

namespace ebb::kubernetes {
namespace {

using engine::JobPhase;
using engine::JobReport;
using ::testing::HasSubstr;

class WidthsTest : public ClusterTest {
 protected:
  static std::map<std::string, std::string> Elastic(const std::string& speedup) {
    return {{"ebb/checkpointable", "true"}, {"ebb/speedup", speedup}};
  }
  void CreateIndexed(const std::string& name, int pods, const std::string& speedup, int gpus = 1) {
    Json job = JobObject(name, Elastic(speedup), gpus);
    job["spec"]["completionMode"] = "Indexed";
    job["spec"]["parallelism"] = job["spec"]["completions"] = pods;
    server().Create(kJobs, job);
  }
  // A Job of one Pod.
  void CreateOne(const std::string& name, int gpus, const std::string& speedup) {
    Json job = JobObject(name, Elastic(speedup), gpus);
    job["spec"]["completions"] = 1;
    server().Create(kJobs, job);
  }
  // The devices with which the job is reported to run.
  int Runs() {
    const Time until = world_.clock_.Now() + World::patience();
    while (world_.clock_.Now() < until) {
      const auto reports = executor().WaitForEvents(world_.clock_.Now() + Duration{50});
      for (const JobReport& report : *reports)
        if (report.phase == JobPhase::kRunning) return report.devices;
    }
    return -1;
  }
  void Pause(core::JobId job, int attempt) {
    ASSERT_TRUE(executor().Execute(engine::PauseJob{job, attempt}));
    ASSERT_TRUE(world_.WaitFor(JobPhase::kPaused));
  }
  Json Spec(const std::string& name) const { return world_.server_.Get(kJobs, name)["spec"]; }
  std::string Note(const std::string& name, const char* key) const {
    return world_.server_.Get(kJobs, name)["metadata"]["annotations"].value(key, "");
  }
  std::string Gpus(const std::string& name) const {
    return Spec(name)["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"];
  }
  // A controller that begins anew, and knows nothing but the objects.
  void BeginAgain(int minor, bool changes_requests) {
    server().SetVersion(minor, changes_requests);
    world_.Begin();
  }
};

constexpr int kPool = 2;  // the node's GPUs

TEST_F(WidthsTest, AnIndexedJobHasThePlannedPodsInEachAttempt) {
  CreateIndexed("train", 2, "1=0.6,4=1.8");
  const core::Job job = world_.Submitted();
  EXPECT_EQ(job.devices, 2);
  EXPECT_EQ(core::Describe(job.speedup), (std::vector<std::string>{"1=0.6", "4=1.8"}));
  int attempt = 0;
  for (const int devices : {4, 1, 1, 2}) {
    ASSERT_TRUE(executor().Execute(engine::StartJob{job.id, ++attempt, kPool, devices}));
    EXPECT_EQ(Runs(), devices);
    ASSERT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
    EXPECT_EQ(Spec("train")["parallelism"], devices);
    EXPECT_EQ(Spec("train")["completions"], devices);
    EXPECT_EQ(Note("train", "ebb/attempt"), std::to_string(attempt));
    EXPECT_EQ(Note("train", "ebb/own-devices"), "2");
    Pause(job.id, attempt);
  }
  EXPECT_FALSE(executor().reconciler().has_events()) << "its job is the same all along";
  EXPECT_EQ(server().counts().refused_patches, 0);
}

TEST_F(WidthsTest, AWiderJobHasToFindNodesForAllItsPods) {
  CreateIndexed("train", 1, "2=1.8,3=2.5", 4);
  const core::Job job = world_.Submitted();
  EXPECT_EQ(job.devices, 4);
  EXPECT_TRUE(job.speedup.empty()) << "two and three are no number of Pods with four GPUs";
  world_.Annotate("train", {{"ebb/speedup", "8=1.8,12=2.5"}});
  const core::Job wide = world_.Submitted();
  const Status refused = executor().Execute(engine::StartJob{wide.id, 1, kPool, 12});
  ASSERT_FALSE(refused) << "the node has eight";
  EXPECT_THAT(refused.error().what, HasSubstr("no node has the 4 GPUs"));
  EXPECT_TRUE(executor().Execute(engine::StartJob{wide.id, 1, kPool, 8}));
  EXPECT_TRUE(world_.Until([&] { return Spec("train")["parallelism"] == 2; }));
}

TEST_F(WidthsTest, AnotherControllerKnowsTheOwnWidthAndThatOfTheAttempt) {
  CreateIndexed("train", 2, "4=1.8");
  const core::JobId job = world_.Submitted().id;
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, kPool, 4}));
  ASSERT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
  world_.Begin();
  const core::Job again = world_.Submitted();
  EXPECT_EQ(again.devices, 2);
  EXPECT_EQ(core::Describe(again.speedup), std::vector<std::string>{"4=1.8"});
  const auto known = executor().Observe();
  ASSERT_EQ(known->size(), 1u);
  EXPECT_EQ(known->front().phase, JobPhase::kRunning);
  EXPECT_EQ(known->front().attempt, 1);
  EXPECT_EQ(known->front().devices, 4) << "as the object says";
}

TEST_F(WidthsTest, AReleaseWhoseAnswerIsLostIsMadeOnce) {
  CreateIndexed("train", 2, "4=1.8");
  const core::JobId job = world_.Submitted().id;
  server().LoseAnswers("train", 1);
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, kPool, 4}));
  EXPECT_EQ(Runs(), 4);
  ASSERT_TRUE(world_.Until([&] { return Spec("train")["parallelism"] == 4; }));
  world_.GoOnFor(Duration{100});
  EXPECT_FALSE(world_.IsSuspended("train"));
  EXPECT_EQ(server().PatchesOf("train").size(), 1u);
}

TEST_F(WidthsTest, WhatSomebodyElseDoesToARunningJobIsReported) {
  CreateIndexed("train", 2, "4=1.8");
  const core::JobId job = world_.Submitted().id;
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, kPool, 2}));
  EXPECT_EQ(Runs(), 2);
  ASSERT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
  server().Patch(kJobs, "train", {{"spec", {{"parallelism", 4}, {"completions", 4}}}});
  EXPECT_EQ(Runs(), 4);
}

TEST_F(WidthsTest, AJobOfOnePodHasThePlannedGpusIfTheServerChangesThem) {
  BeginAgain(36, true);
  CreateOne("train", 2, "1=0.6,4=1.7");
  const core::Job job = world_.Submitted();
  EXPECT_EQ(core::Describe(job.speedup), (std::vector<std::string>{"1=0.6", "4=1.7"}));
  int attempt = 0;
  for (const int devices : {4, 1, 2}) {
    ASSERT_TRUE(executor().Execute(engine::StartJob{job.id, ++attempt, kPool, devices}));
    EXPECT_EQ(Runs(), devices);
    ASSERT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
    EXPECT_EQ(Gpus("train"), std::to_string(devices));
    EXPECT_EQ(Spec("train")["parallelism"], 1);
    Pause(job.id, attempt);
  }
  EXPECT_EQ(server().counts().refused_patches, 0);
}

TEST_F(WidthsTest, OnAnOlderServerItKeepsItsWidthAndSaysWhy) {
  BeginAgain(34, false);
  CreateOne("train", 2, "4=1.7");
  const core::Job job = world_.Submitted();
  EXPECT_EQ(job.devices, 2);
  EXPECT_TRUE(job.speedup.empty()) << "neither the plan nor the engine count with another width";
  const std::string why =
      "it keeps its 2 devices: this API server (v1.34.2) does not change the requests of a "
      "suspended Job's Pods; Kubernetes 1.36 does";
  executor().reconciler().Note(job.id, {"waiting", "waiting: 312 g/kWh now", ""});
  EXPECT_TRUE(world_.Until([&] {
    return Note("train", "ebb/reason") == "waiting: 312 g/kWh now; " + why;
  })) << Note("train", "ebb/reason");
  const Json object = server().Get(kJobs, "train");
  const std::string event = EventName({"", "", "default", "train", object["metadata"]["uid"]},
                                      EventReason::kBadAnnotation);
  EXPECT_TRUE(world_.Until([&] { return !server().Get("/api/v1/events", event).is_null(); }));
  EXPECT_EQ(server().Get("/api/v1/events", event)["message"], "ebb/speedup: " + why);
  ASSERT_TRUE(executor().Execute(engine::StartJob{job.id, 1, kPool}));
  EXPECT_EQ(Runs(), 2);
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
}

// The feature can be turned off, which the version does not tell.
TEST_F(WidthsTest, AWidthThatTheServerRefusesIsNotAskedForAgain) {
  BeginAgain(36, false);
  CreateOne("train", 2, "4=1.7");
  const core::JobId job = world_.Submitted().id;
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, kPool, 4}));
  ASSERT_TRUE(world_.WaitFor(JobPhase::kStartFailed));
  EXPECT_TRUE(world_.IsSuspended("train"));
  EXPECT_EQ(Gpus("train"), "2");
  const core::Job again = world_.Submitted();
  EXPECT_EQ(again.devices, 2);
  EXPECT_TRUE(again.speedup.empty());
  executor().reconciler().Note(again.id, {"waiting", "waiting: 312 g/kWh now", ""});
  EXPECT_TRUE(world_.Until([&] {
    return Note("train", "ebb/reason").find("it keeps its devices: the API server refuses") !=
           std::string::npos;
  })) << Note("train", "ebb/reason");
  ASSERT_TRUE(executor().Execute(engine::StartJob{again.id, 1, kPool}));
  EXPECT_EQ(Runs(), 2);
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
  EXPECT_EQ(server().counts().refused_patches, 1);
}

// The own width comes back when nobody asks for others any more.
TEST_F(WidthsTest, WithoutTheAnnotationItRunsAtItsOwnWidthAgain) {
  CreateIndexed("train", 2, "4=1.8");
  const core::JobId job = world_.Submitted().id;
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, kPool, 4}));
  EXPECT_EQ(Runs(), 4);
  ASSERT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
  Pause(job, 1);
  world_.Annotate("train", {{"ebb/speedup", nullptr}});
  const auto again = world_.Next<engine::JobSubmitted>();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->job.devices, 2);
  ASSERT_TRUE(executor().Execute(engine::StartJob{again->job.id, 2, kPool}));
  EXPECT_TRUE(world_.Until([&] { return Spec("train")["parallelism"] == 2; }));
}

TEST_F(WidthsTest, ARayJobIsReleasedWithOtherReplicas) {
  const auto pods = [](const Json& container) {
    return Json{{"spec", {{"containers", Json::array({container})}}}};
  };
  const Json worker{{"name", "w"}, {"resources", {{"limits", {{"nvidia.com/gpu", "1"}}}}}};
  const Json group{{"groupName", "gpus"},
                   {"replicas", 2},
                   {"minReplicas", 2},
                   {"maxReplicas", 2},
                   {"template", pods(worker)}};
  std::map<std::string, std::string> annotations = Elastic("1=0.6,4=1.8");
  annotations["ebb/wait"] = "true";
  constexpr const char* kRayJobs = "/apis/ray.io/v1/rayjobs";
  server().Create(kRayJobs, {{"metadata", {{"name", "tune"}, {"annotations", annotations}}},
                             {"spec",
                              {{"suspend", true},
                               {"shutdownAfterJobFinishes", true},
                               {"rayClusterSpec",
                                {{"headGroupSpec", {{"template", pods({{"name", "h"}})}}},
                                 {"workerGroupSpecs", Json::array({group})}}}}}});
  const core::Job job = world_.Submitted();
  EXPECT_EQ(job.devices, 2);
  const auto workers = [&] {
    return server().Get(kRayJobs, "tune")["spec"]["rayClusterSpec"]["workerGroupSpecs"][0];
  };
  ASSERT_TRUE(executor().Execute(engine::StartJob{job.id, 1, kPool, 4}));
  EXPECT_EQ(Runs(), 4);
  ASSERT_TRUE(world_.Until([&] { return workers()["replicas"] == 4; }));
  EXPECT_EQ(workers()["minReplicas"], 2);
  EXPECT_EQ(workers()["maxReplicas"], 4);
  EXPECT_EQ(workers()["groupName"], "gpus") << "all else stays";
}

}  // namespace
}  // namespace ebb::kubernetes
