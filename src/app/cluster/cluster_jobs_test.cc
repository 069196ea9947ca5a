// Objects of a cluster as jobs of the service: their stages and changes, and how another controller
// continues with them.

#include "app/cluster/cluster_service_for_test.h"

namespace ebb::app {
namespace {

TEST_F(ClusterJobsTest, AnObjectIsAJobThatWaitsIsToldToStartAndEnds) {
  Start();
  Create("train", Waiting());
  ASSERT_TRUE(Becomes("train", Stage::kWaiting));
  ASSERT_TRUE(Until([&] { return Annotation("train", "stage") == "waiting"; }));
  EXPECT_NE(Annotation("train", "reason").find("360 g/kWh is above 200 g/kWh"), std::string::npos);
  EXPECT_TRUE(IsSuspended("train"));
  const auto card = *Find("train");
  EXPECT_EQ(card.submission->command, (std::vector<std::string>{"Job", "default/train"}));
  server_.SetCourse("train", Course::kSucceeds);
  ASSERT_TRUE(Answers(service::ControlJob{card.submission->job.id, engine::JobControl::kNow}));
  EXPECT_TRUE(Becomes("train", Stage::kSucceeded));
  EXPECT_TRUE(Until([&] { return Annotation("train", "stage") == "succeeded"; }));
  EXPECT_EQ(Annotation("train", "attempt"), "1");
}

TEST_F(ClusterJobsTest, APersonHoldsAndLetsGo) {
  Start();
  Create("train", {{"ebb/threshold", "400"}, {"ebb/checkpointable", "true"}});
  ASSERT_TRUE(Becomes("train", Stage::kRunning));
  ASSERT_EQ(service_->view()->running.size(), 1U);
  EXPECT_EQ(service_->view()->running.front().slots, std::vector<int>{0});
  EXPECT_FALSE(service_->view()->running.front().is_measured);
  const core::JobId job = Find("train")->submission->job.id;
  ASSERT_TRUE(Answers(service::ControlJob{job, engine::JobControl::kHold}));
  EXPECT_TRUE(Becomes("train", Stage::kPaused));
  EXPECT_TRUE(Until([&] { return service_->view()->running.empty(); }));
  EXPECT_TRUE(IsSuspended("train"));
  ASSERT_TRUE(Answers(service::ControlJob{job, engine::JobControl::kNone}));
  EXPECT_TRUE(Becomes("train", Stage::kRunning));
  EXPECT_TRUE(Until([&] { return Annotation("train", "attempt") == "2"; }));
}

TEST_F(ClusterJobsTest, WhatIsNoObjectIsRefused) {
  Start();
  core::Submission submission;
  submission.job.name = "program";
  submission.job.duration = Duration{1000};
  submission.command = {"true"};
  submission.working_directory = "/";
  const auto answer = service_->Ask(service::Submit(submission)).get();
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().Message().find("objects of a cluster"), std::string::npos);
}

TEST_F(ClusterJobsTest, WhatDoesNotFitIsOfferedAgainWhereThereIsMore) {
  Start();
  nlohmann::json wide = JobObject("wide", {{"ebb/threshold", "400"}}, 8);
  wide["spec"]["parallelism"] = 2;
  server_.Create(kJobs, wide);
  ASSERT_TRUE(Until([&] { return Annotation("wide", "stage") == "refused"; }));
  EXPECT_TRUE(Annotation("wide", "reason").starts_with("it needs 16 devices"))
      << Annotation("wide", "reason");
  EXPECT_FALSE(Find("wide"));
  server_.Create("/api/v1/nodes", kubernetes::NodeObject("another", 64, 8));
  EXPECT_TRUE(Becomes("wide", Stage::kRunning));
}

TEST_F(ClusterJobsTest, ADeletedObjectsJobIsCancelled) {
  Start();
  Create("waits", Waiting());
  Create("runs", {{"ebb/threshold", "400"}});
  ASSERT_TRUE(Becomes("waits", Stage::kWaiting));
  ASSERT_TRUE(Becomes("runs", Stage::kRunning));
  server_.Delete(kJobs, "waits");
  server_.Delete(kJobs, "runs");
  EXPECT_TRUE(Becomes("waits", Stage::kCancelled));
  EXPECT_TRUE(Becomes("runs", Stage::kCancelled));
}

// The next controller finds the same numbers, no job twice, and what happened meanwhile.
TEST_F(ClusterJobsTest, AnotherLifeFindsItsJobsAndWhatBecameOfThem) {
  Start();
  for (const char* name : {"stays", "goes", "ends"}) Create(name, Waiting());
  for (const char* name : {"goes-on", "fails"}) Create(name, {{"ebb/threshold", "400"}});
  for (const char* name : {"stays", "goes", "ends"}) ASSERT_TRUE(Becomes(name, Stage::kWaiting));
  for (const char* name : {"goes-on", "fails"}) {
    ASSERT_TRUE(Becomes(name, Stage::kRunning));
    ASSERT_TRUE(Until([&] { return Annotation(name, "attempt") == "1"; })) << "it is released";
  }
  std::map<std::string, core::JobId> numbers;
  for (const char* name : {"stays", "goes", "ends", "goes-on", "fails"})
    numbers[name] = Find(name)->submission->job.id;
  Stop();
  server_.Delete(kJobs, "goes");
  server_.SetCourse("ends", Course::kSucceeds);
  server_.Patch(kJobs, "ends", {{"spec", {{"suspend", false}}}});
  server_.SetCourse("fails", Course::kFails);
  server_.Patch(kJobs, "fails", {{"metadata", {{"labels", {{"seen", "true"}}}}}});
  Create("new", Waiting());

  Start();
  EXPECT_TRUE(Becomes("stays", Stage::kWaiting));
  EXPECT_TRUE(Becomes("goes", Stage::kCancelled));
  EXPECT_TRUE(Becomes("ends", Stage::kSucceeded));
  EXPECT_TRUE(Becomes("goes-on", Stage::kRunning));
  EXPECT_TRUE(Becomes("fails", Stage::kFailed));
  EXPECT_TRUE(Becomes("new", Stage::kWaiting));
  for (const auto& [name, number] : numbers)
    EXPECT_EQ(Find(name)->submission->job.id, number) << name;
  EXPECT_EQ(Annotation("goes-on", "attempt"), "1");
  std::size_t jobs = 0;
  service_->view()->jobs.ForEach(0, [&](const service::JobCard&) {
    ++jobs;
    return true;
  });
  EXPECT_EQ(jobs, 6U);
}

TEST_F(ClusterJobsTest, ChangedAnnotationsChangeTheJob) {
  Start();
  Create("train", Waiting());
  ASSERT_TRUE(Becomes("train", Stage::kWaiting));
  const core::JobId job = Find("train")->submission->job.id;
  Annotate("train", {{"ebb/priority", "7"}});
  EXPECT_TRUE(Until([&] { return Find("train")->submission->job.priority == 7; }));
  EXPECT_TRUE(IsSuspended("train"));
  Annotate("train", {{"ebb/threshold", "400"}});
  EXPECT_TRUE(Becomes("train", Stage::kRunning));
  EXPECT_EQ(Find("train")->submission->job.id, job);
  EXPECT_EQ(Annotation("train", "attempt"), "1");
}

TEST_F(ClusterJobsTest, AnotherSizeIsAnotherJobAndWhatIsLetGoIsCancelled) {
  Start();
  Create("train", Waiting());
  ASSERT_TRUE(Becomes("train", Stage::kWaiting));
  const core::JobId job = Find("train")->submission->job.id;
  server_.Patch(kJobs, "train", {{"spec", {{"parallelism", 2}}}});
  EXPECT_TRUE(Until([&] { return Find("train")->submission->job.devices == 2; }));
  EXPECT_NE(Find("train")->submission->job.id, job);
  Annotate("train", {{"ebb/wait", "false"}});
  EXPECT_TRUE(Becomes("train", Stage::kCancelled));
  EXPECT_TRUE(Until([&] { return Annotation("train", "stage").empty(); }));
  EXPECT_TRUE(IsSuspended("train"));
  Annotate("train", {{"ebb/wait", "true"}, {"ebb/threshold", "400"}});
  EXPECT_TRUE(Becomes("train", Stage::kRunning));
}

TEST_F(ClusterJobsTest, AChangeThatIsRefusedIsSaidAndCanBeMended) {
  Start();
  Create("train", Waiting());
  ASSERT_TRUE(Becomes("train", Stage::kWaiting));
  Annotate("train", {{"ebb/finish-by", "2020-01-01T00:00Z"}});
  EXPECT_TRUE(Until([&] { return Annotation("train", "stage") == "refused"; }));
  Annotate("train", {{"ebb/finish-by", nullptr}});
  EXPECT_TRUE(Until([&] { return Annotation("train", "stage") == "waiting"; }));
  EXPECT_TRUE(Becomes("train", Stage::kWaiting));
}

TEST_F(ClusterJobsTest, AnObjectThatIsRefusedIsOfferedAnewWhenItIsMended) {
  Start();
  Create("train", {{"ebb/threshold", "400"}, {"ebb/finish-by", "2020-01-01T00:00Z"}});
  ASSERT_TRUE(Until([&] { return Annotation("train", "stage") == "refused"; }));
  EXPECT_TRUE(IsSuspended("train"));
  Annotate("train", {{"ebb/finish-by", nullptr}});
  EXPECT_TRUE(Becomes("train", Stage::kRunning));
}

TEST_F(ClusterJobsTest, AnotherLifeFindsItsGangs) {
  Start();
  const nlohmann::json container{{"name", "main"}, {"resources", {{"requests", {{"cpu", "1"}}}}}};
  server_.Create("/api/v1/pods",
                 {{"metadata",
                   {{"name", "pod"},
                    {"labels", {{"ebb/gang", "g"}, {"ebb/gang-size", "1"}}},
                    {"annotations", Waiting()}}},
                  {"spec",
                   {{"schedulingGates", nlohmann::json::array({{{"name", "ebb/wait"}}})},
                    {"containers", nlohmann::json::array({container})}}}});
  ASSERT_TRUE(Becomes("g", Stage::kWaiting));
  const core::JobId job = Find("g")->submission->job.id;
  Stop();
  Start();
  Create("new", Waiting());
  ASSERT_TRUE(Becomes("new", Stage::kWaiting));
  EXPECT_TRUE(Becomes("g", Stage::kWaiting));
  EXPECT_EQ(Find("g")->submission->job.id, job);
  ASSERT_TRUE(Answers(service::ControlJob{job, engine::JobControl::kNow}));
  EXPECT_TRUE(
      Until([&] { return server_.Get("/api/v1/pods", "pod")["spec"]["schedulingGates"].empty(); }));
}

// If the store is lost, running attempts go on.
TEST_F(ClusterJobsTest, WithoutItsStoreItGoesOnByWhatIsOnTheObjects) {
  Start();
  Create("runs", {{"ebb/threshold", "400"}, {"ebb/checkpointable", "true"}});
  ASSERT_TRUE(Becomes("runs", Stage::kRunning));
  ASSERT_TRUE(Until([&] { return Annotation("runs", "attempt") == "1"; }));
  Stop();
  directory_ = ScratchDirectory("cluster_jobs_another");
  Start();
  ASSERT_TRUE(Becomes("runs", Stage::kRunning));
  EXPECT_EQ(Find("runs")->attempt, 1);
  EXPECT_FALSE(IsSuspended("runs"));
}

// Older objects come first in the queue and would take the devices of running ones.
TEST_F(ClusterJobsTest, WithoutItsStoreItReleasesNoMoreThanFitsBesideWhatRuns) {
  const auto create = [&](const std::string& name, const char* threshold, const char* created) {
    nlohmann::json object = JobObject(name, {{"ebb/threshold", threshold}}, 1);
    object["metadata"]["creationTimestamp"] = created;
    server_.Create(kJobs, object);
  };
  const Time older = wall_.Now() - std::chrono::hours{1};
  Start();
  for (int i = 0; i < 6; ++i) {
    create("waits-" + std::to_string(i), "200", FormatTime(older).c_str());
    Create("runs-" + std::to_string(i), {{"ebb/threshold", "400"}}, 1);
  }
  const auto released = [&] {
    int count = 0;
    for (int i = 0; i < 6; ++i)
      for (const char* kind : {"waits-", "runs-"}) count += !IsSuspended(kind + std::to_string(i));
    return count;
  };
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(Becomes("waits-" + std::to_string(i), Stage::kWaiting));
    ASSERT_TRUE(Until([&] { return Annotation("runs-" + std::to_string(i), "attempt") == "1"; }));
  }
  Stop();
  for (int i = 0; i < 6; ++i) Annotate("waits-" + std::to_string(i), {{"ebb/threshold", "400"}});
  directory_ = ScratchDirectory("cluster_jobs_another");
  Start();
  ASSERT_TRUE(Until([&] { return released() >= 8; }));
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(Becomes("runs-" + std::to_string(i), Stage::kRunning));
  std::this_thread::sleep_for(std::chrono::milliseconds{300});
  EXPECT_EQ(released(), 8) << "there are eight GPUs";
}

// The running job is expected to use more than the whole budget.
TEST_F(ClusterJobsTest, WithoutItsStoreItStartsNothingThatTheBudgetHasNoRoomForBesideWhatRuns) {
  policy_.emplace().budget.energy = Energy::Joules(3.2e6);
  server_.Create("/api/v1/configmaps", {{"metadata", {{"name", "p"}, {"namespace", "ebb"}}},
                                        {"data", {{"default.yaml", "given"}}}});
  const std::map<std::string, std::string> whole{
      {"ebb/threshold", "400"}, {"ebb/power", "1000"}, {"ebb/duration", "1h"}};
  Start();
  Create("runs", whole, 1);
  ASSERT_TRUE(Until([&] { return !IsSuspended("runs") && Annotation("runs", "attempt") == "1"; }));
  Stop();
  Create("waits", whole, 1);
  directory_ = ScratchDirectory("cluster_jobs_another");
  Start();
  ASSERT_TRUE(Becomes("runs", Stage::kRunning));
  EXPECT_TRUE(Until([&] { return Annotation("waits", "stage") == "waiting"; }));
  EXPECT_TRUE(Until([&] {
    return Annotation("waits", "reason").find("budget") != std::string::npos;
  })) << Annotation("waits", "reason");
  EXPECT_TRUE(IsSuspended("waits"));
  EXPECT_EQ(Annotation("waits", "attempt"), "");
}

// The energy that the job itself used is unknown here.
TEST_F(ClusterJobsTest, TheStartOfANodeAndItsIdleTailAreSaidOfTheJobThatItRan) {
  BeOfAGroup(3600, Duration{200});
  Start();
  Create("train", {{"ebb/threshold", "400"}});
  ASSERT_TRUE(Becomes("train", Stage::kRunning));
  server_.CreatePod("p1", "train");
  ASSERT_TRUE(Until([&] { return Annotation("train", "stage") == "running"; }));
  std::this_thread::sleep_for(std::chrono::milliseconds{300});
  server_.Delete("/api/v1/pods", "p1");
  EXPECT_TRUE(Until([&] { return Annotation("train", "idle-energy-j") == "4320"; }))
      << Annotation("train", "idle-energy-j");
  EXPECT_TRUE(Until([&] { return Annotation("train", "idle-emissions-g") == "0.432"; }));
  EXPECT_EQ(Annotation("train", "energy-j"), "");
}

// An hour of work on one device has to be done within 35 minutes, and no piece is shorter than ten.
TEST_F(ClusterJobsTest, AnElasticObjectIsAsWideAsItsDeadlineNeedsIt) {
  queue_policy_ = "planner";
  Start();
  nlohmann::json object = JobObject("train", {{"ebb/speedup", "2=1.9"},
                                              {"ebb/checkpointable", "true"},
                                              {"ebb/minimum-segment", "10m"},
                                              {"ebb/duration", "1h"},
                                              {"ebb/finish-by", "35m"}});
  object["spec"]["completionMode"] = "Indexed";
  object["spec"]["completions"] = 1;
  server_.Create(kJobs, object);
  const auto runs_wide = [&](const char* attempt) {
    EXPECT_TRUE(Becomes("train", Stage::kRunning));
    EXPECT_TRUE(Until([&] { return Annotation("train", "attempt") == attempt; }));
    EXPECT_EQ(server_.Get(kJobs, "train")["spec"]["parallelism"], 2);
    EXPECT_EQ(server_.Get(kJobs, "train")["spec"]["completions"], 2);
    EXPECT_TRUE(Until([&] {
      const auto& running = service_->view()->running;
      return running.size() == 1 && running.front().slots == std::vector<int>{0, 1};
    })) << "both devices are taken";
  };
  runs_wide("1");
  const core::JobId job = Find("train")->submission->job.id;
  EXPECT_EQ(Find("train")->submission->job.devices, 1);
  Stop();
  Start();
  runs_wide("1");
  EXPECT_EQ(Find("train")->submission->job.id, job);
  EXPECT_EQ(Find("train")->submission->job.devices, 1) << "its own width is known all along";
}

// The fake server does not tell its version.
TEST_F(ClusterJobsTest, AnObjectThatKeepsItsWidthSaysWhy) {
  Start();
  auto annotations = Waiting();
  annotations["ebb/speedup"] = "2=1.9";
  annotations["ebb/checkpointable"] = "true";
  Create("train", annotations, 1);
  ASSERT_TRUE(Becomes("train", Stage::kWaiting));
  EXPECT_TRUE(Find("train")->submission->job.speedup.empty());
  ASSERT_TRUE(Until([&] { return !Find("train")->remark.empty(); }));
  EXPECT_TRUE(Find("train")->remark.starts_with("it keeps its 1 device: "))
      << Find("train")->remark;
  EXPECT_TRUE(Until([&] {
    return Annotation("train", "reason").ends_with("; " + Find("train")->remark);
  })) << Annotation("train", "reason");
}

TEST_F(ClusterJobsTest, AnnotationsThatWereChangedWhileNoControllerRanAreFollowed) {
  Start();
  Create("train", Waiting());
  Create("wide", Waiting(), 1);
  ASSERT_TRUE(Becomes("train", Stage::kWaiting));
  ASSERT_TRUE(Becomes("wide", Stage::kWaiting));
  const core::JobId train = Find("train")->submission->job.id;
  const core::JobId wide = Find("wide")->submission->job.id;
  Stop();
  Annotate("train", {{"ebb/threshold", "100"}, {"ebb/priority", "7"}});
  Annotate("wide", {{"ebb/power", "400"}});
  Start();
  ASSERT_TRUE(Until([&] {
    const auto card = Find("train");
    return card && card->submission->job.threshold == Intensity{100};
  }));
  EXPECT_EQ(Find("train")->submission->job.id, train);
  EXPECT_EQ(Find("train")->submission->job.priority, 7);
  ASSERT_TRUE(Until([&] {
    const auto card = Find("wide");
    return card && card->submission->job.power == Power{400};
  }));
  EXPECT_NE(Find("wide")->submission->job.id, wide) << "no change expresses that";
  EXPECT_TRUE(Becomes("wide", Stage::kWaiting));
}

}  // namespace
}  // namespace ebb::app
