#include "kubernetes/cluster_executor.h"

#include <gtest/gtest.h>

#include "kubernetes/fake_api_server_for_test.h"
#include "platform/system_clock.h"
#include "testing/executor_contract.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;
constexpr const char* kJobs = "/apis/batch/v1/jobs";

// A controller beside the fake server.
class World {
 public:
  World() {
    server_.Create("/api/v1/nodes", NodeObject("node", 64, 8, "A100"));
    Begin();
  }

  void Begin(ClusterOptions options = {}) {
    options.site = {"cluster", "DE", {}};
    options.away_after = Duration{1'000};
    options.reflector.first_wait = options.client.first_wait = Duration{5};
    options.say = [this](const std::string& text) { said_.push_back(text); };
    executor_ = *ClusterExecutor::Open({.url = server_.url()}, options, clock_, signals_);
    EXPECT_TRUE(executor_->Begin(std::chrono::seconds{10}));
  }

  ClusterExecutor& executor() { return *executor_; }
  static Duration patience() { return std::chrono::seconds{10}; }

  core::JobId Add(testing::JobKind kind) {
    const std::string name = "job-" + std::to_string(++last_);
    if (kind == testing::JobKind::kShort) server_.SetCourse(name, FakeApiServer::Course::kSucceeds);
    if (kind == testing::JobKind::kFailing) server_.SetCourse(name, FakeApiServer::Course::kFails);
    if (kind == testing::JobKind::kUnstartable) server_.RefusePatches(name, 422);
    server_.Create(kJobs, JobObject(name));
    return Submitted().id;
  }

  // The next one that the executor submits.
  core::Job Submitted() {
    const Time until = clock_.Now() + patience();
    while (clock_.Now() < until) {
      for (const engine::Event& event : executor_->Take(clock_.Now()))
        if (const auto* submitted = std::get_if<engine::JobSubmitted>(&event.fact))
          return submitted->job;
      std::ignore = executor_->WaitForEvents(clock_.Now() + Duration{50});
    }
    ADD_FAILURE() << "nothing is submitted";
    return {};
  }

  // Until a report of this phase comes.
  bool WaitFor(engine::JobPhase phase) {
    const Time until = clock_.Now() + patience();
    while (clock_.Now() < until) {
      const auto reports = executor_->WaitForEvents(until);
      for (const engine::JobReport& report : *reports)
        if (report.phase == phase) return true;
    }
    return false;
  }

  void GoOnFor(Duration time) {
    const Time until = clock_.Now() + time;
    while (clock_.Now() < until) std::ignore = executor_->WaitForEvents(until);
  }

  // Until the server has it so, while the executor goes on.
  bool Until(const std::function<bool()>& done) {
    const Time until = clock_.Now() + patience();
    while (!done() && clock_.Now() < until)
      std::ignore = executor_->WaitForEvents(clock_.Now() + Duration{10});
    return done();
  }

  bool IsSuspended(const std::string& name) const {
    return server_.Get(kJobs, name)["spec"].value("suspend", false);
  }

  platform::ProcessSignals signals_;
  platform::SystemClock clock_{signals_};
  FakeApiServer server_;
  std::unique_ptr<ClusterExecutor> executor_;
  std::vector<std::string> said_;
  int last_ = 0;
};

}  // namespace
}  // namespace ebb::kubernetes

namespace ebb::testing {
INSTANTIATE_TYPED_TEST_SUITE_P(Kubernetes, ExecutorContract, kubernetes::World);
}  // namespace ebb::testing

namespace ebb::kubernetes {
namespace {

class ClusterExecutorTest : public ::testing::Test {
 protected:
  ClusterExecutor& executor() { return world_.executor(); }
  FakeApiServer& server() { return world_.server_; }
  core::JobId Create(const std::string& name, std::map<std::string, std::string> annotations = {},
                     int gpus = 0) {
    server().Create(kJobs, JobObject(name, std::move(annotations), gpus));
    return world_.Submitted().id;
  }
  World world_;
};

TEST_F(ClusterExecutorTest, AnObjectIsReleasedAndHeldByItsOwnField) {
  const core::JobId job = Create("train", {{"ebb/checkpointable", "true"}});
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, 0}));
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
  EXPECT_EQ(server().Get(kJobs, "train")["metadata"]["annotations"]["ebb/attempt"], "1");
  ASSERT_TRUE(executor().Execute(engine::PauseJob{job, 1}));
  EXPECT_TRUE(world_.WaitFor(engine::JobPhase::kPaused));
  EXPECT_TRUE(world_.IsSuspended("train"));
}

TEST_F(ClusterExecutorTest, APauseThatComesBeforeTheReleaseIsSeenWaitsForIt) {
  for (int i = 0; i < 20; ++i) {
    const std::string name = "train-" + std::to_string(i);
    const core::JobId job = Create(name, {{"ebb/checkpointable", "true"}});
    ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, 0}));
    ASSERT_TRUE(executor().Execute(engine::PauseJob{job, 1}));
    ASSERT_TRUE(world_.WaitFor(engine::JobPhase::kPaused));
    ASSERT_TRUE(world_.IsSuspended(name));
    EXPECT_EQ(server().Get(kJobs, name)["metadata"]["annotations"]["ebb/attempt"], "1");
  }
}

// Otherwise the next attempt would run beside a program that still writes its checkpoint.
TEST_F(ClusterExecutorTest, ItIsPausedOnceItsPodsAreGone) {
  const core::JobId job = Create("train", {{"ebb/checkpointable", "true"}});
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, 0}));
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
  server().CreatePod("train-1", "train");
  world_.GoOnFor(Duration{200});
  ASSERT_TRUE(executor().Execute(engine::PauseJob{job, 1}));
  EXPECT_TRUE(
      world_.Until([&] { return server().Get(kJobs, "train")["status"].value("active", 1) == 0; }));
  const auto early = executor().WaitForEvents(world_.clock_.Now() + Duration{100});
  EXPECT_TRUE(early->empty()) << "its pod is still there";
  server().Delete("/api/v1/pods", "train-1");
  EXPECT_TRUE(world_.WaitFor(engine::JobPhase::kPaused));
}

TEST_F(ClusterExecutorTest, AnotherProcessGoesOnWhereThisOneEnded) {
  const core::JobId job = Create("train", {{"ebb/checkpointable", "true"}});
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, 0}));
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
  world_.Begin();
  const core::Job again = world_.Submitted();
  EXPECT_EQ(again.name, "default/train");
  const auto known = executor().Observe();
  ASSERT_EQ(known->size(), 1u);
  EXPECT_EQ(known->front().phase, engine::JobPhase::kRunning);
  EXPECT_EQ(known->front().attempt, 1);
  EXPECT_EQ(server().PatchesOf("train").size(), 1u) << "nothing is written again";
  ASSERT_TRUE(executor().Execute(engine::PauseJob{again.id, 1}));
  EXPECT_TRUE(world_.WaitFor(engine::JobPhase::kPaused));
  world_.Begin();
  world_.Submitted();
  EXPECT_EQ(executor().Observe()->front().phase, engine::JobPhase::kPaused);
}

TEST_F(ClusterExecutorTest, WhatIsCreatedWithoutBeingHeldIsHeldWhileItIsYoung) {
  Json object = JobObject("eager");
  object["spec"]["suspend"] = false;
  server().Create(kJobs, object);
  world_.Submitted();
  EXPECT_TRUE(world_.Until([&] { return world_.IsSuspended("eager"); }));
  object = JobObject("old");
  object["spec"]["suspend"] = false;
  object["metadata"]["creationTimestamp"] = "2026-05-01T00:00:00Z";
  server().Create(kJobs, object);
  world_.Submitted();
  EXPECT_TRUE(world_.WaitFor(engine::JobPhase::kRunning)) << "what it has done is kept";
  EXPECT_FALSE(world_.IsSuspended("old"));
}

TEST_F(ClusterExecutorTest, NothingIsTouchedThatNobodyAskedFor) {
  Json object = JobObject("service");
  object["metadata"]["annotations"] = Json::object();
  object["spec"]["suspend"] = false;
  server().Create(kJobs, object);
  Create("asked");
  EXPECT_TRUE(server().PatchesOf("service").empty());
  EXPECT_EQ(executor().board().counts().held, 0);
}

TEST_F(ClusterExecutorTest, ANamespaceChoosesForAllThatIsInIt) {
  Json object = JobObject("plain");
  object["metadata"]["annotations"] = Json::object();
  server().Create(kJobs, object);
  server().Create("/api/v1/namespaces",
                  {{"metadata", {{"name", "default"}, {"labels", {{"ebb/wait", "true"}}}}}});
  EXPECT_EQ(world_.Submitted().name, "default/plain");
}

TEST_F(ClusterExecutorTest, ADeletedObjectIsCancelled) {
  const core::JobId waiting = Create("waiting");
  server().Delete(kJobs, "waiting");
  bool cancelled = false;
  EXPECT_TRUE(world_.Until([&] {
    for (const engine::Event& event : executor().Take(world_.clock_.Now()))
      if (const auto* fact = std::get_if<engine::JobCancelled>(&event.fact))
        cancelled = fact->job == waiting;
    return cancelled;
  }));
  const core::JobId running = Create("running");
  ASSERT_TRUE(executor().Execute(engine::StartJob{running, 1, 0}));
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("running"); }));
  server().Delete(kJobs, "running");
  EXPECT_TRUE(world_.WaitFor(engine::JobPhase::kCancelled));
}

// A start that is refused is tried again after a minute, so that a server whose watches are cut now
// and then would never be asked.
TEST_F(ClusterExecutorTest, AConnectionThatWasCutIsNotAServerThatIsAway) {
  for (int i = 0; i < 10; ++i) {
    const std::string name = "train-" + std::to_string(i);
    const core::JobId job = Create(name);
    server().CutAll();
    std::ignore = executor().WaitForEvents(world_.clock_.Now() + Duration{1});
    ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, 0})) << i;
    ASSERT_TRUE(world_.Until([&] { return !world_.IsSuspended(name); }));
  }
}

TEST_F(ClusterExecutorTest, NothingIsReleasedWhileTheServerIsAway) {
  const core::JobId job = Create("train");
  server().SetAway(true);
  world_.GoOnFor(Duration{1'500});
  EXPECT_TRUE(world_.Until([&] {
    const Status started = executor().Execute(engine::StartJob{job, 1, 0});
    return !started && started.error().code == ExitCode::kTryLater;
  }));
  server().SetAway(false);
  EXPECT_TRUE(world_.Until([&] {
    return executor().Execute(engine::StartJob{job, 1, 0}).has_value();
  }));
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
}

TEST_F(ClusterExecutorTest, WhatWaitsCanHaveModelsThatComeLater) {
  server().Create(kJobs, JobObject("train", {}, 2));
  const core::Job before = world_.Submitted();
  EXPECT_EQ(before.models, (std::vector<std::string>{"gpu", "A100"}));
  server().Create("/api/v1/nodes", NodeObject("new", 8, 8, "H200"));
  const core::Job after = world_.Submitted();
  EXPECT_EQ(after.models, (std::vector<std::string>{"gpu", "A100", "H200"}));
  EXPECT_EQ(after.name, before.name);
  EXPECT_NE(after.id, before.id);
  EXPECT_EQ(executor().board().size(), 1u);
}

// One node has four GPUs free, and another has four.
TEST_F(ClusterExecutorTest, APodIsNotReleasedThatNoNodeHasRoomFor) {
  server().Create("/api/v1/nodes", NodeObject("second", 64, 4, "A100"));
  const auto bind = [&](const std::string& pod, const std::string& job, const std::string& node) {
    Json object = JobObject(job, {}, 4)["spec"]["template"];
    object["metadata"] = {{"name", pod}, {"labels", {{"batch.kubernetes.io/job-name", job}}}};
    object["spec"]["nodeName"] = node;
    server().Create("/api/v1/pods", object);
  };
  bind("theirs-0", "theirs", "node");
  ASSERT_TRUE(world_.Until([&] {
    const core::Cluster cluster = executor().cluster();
    return cluster.pools.size() == 3 && cluster.pools[2].count == 8;
  }));
  const core::JobId wide = Create("wide", {}, 8);
  const Status refused = executor().Execute(engine::StartJob{wide, 1, 2});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ExitCode::kTryLater);
  EXPECT_EQ(refused.error().what, "no node has the 8 GPUs free that each of its pods needs");
  Json pair = JobObject("pair", {}, 4);
  pair["spec"]["parallelism"] = 2;
  server().Create(kJobs, pair);
  const core::JobId two = world_.Submitted().id;
  const core::JobId late = Create("late", {}, 4), narrow = Create("narrow", {}, 1);
  EXPECT_TRUE(executor().Execute(engine::StartJob{two, 1, 2}));
  EXPECT_FALSE(executor().Execute(engine::StartJob{late, 1, 2})) << "its pods are on their way";
  EXPECT_TRUE(executor().Execute(engine::StartJob{narrow, 1, 2})) << "that is the engine's to know";
  bind("pair-0", "pair", "node");
  bind("pair-1", "pair", "second");
  server().Create("/api/v1/nodes", NodeObject("third", 64, 8, "A100"));
  EXPECT_TRUE(world_.Until([&] { return executor().cluster().pools[2].count >= 16; }));
  EXPECT_TRUE(executor().Execute(engine::StartJob{late, 1, 2}));
  EXPECT_FALSE(executor().Execute(engine::StartJob{wide, 1, 2}));
}

TEST_F(ClusterExecutorTest, ReasonsAreWrittenOnceAndNumbersNowAndThen) {
  const core::JobId job = Create("train");
  executor().board().Note(job, {"waiting", "312 g/kWh now", "2026-05-01T12:00:00Z"});
  EXPECT_TRUE(world_.Until([&] { return !server().PatchesOf("train").empty(); }));
  const Json annotations = server().Get(kJobs, "train")["metadata"]["annotations"];
  EXPECT_EQ(annotations["ebb/stage"], "waiting");
  EXPECT_EQ(annotations["ebb/reason"], "312 g/kWh now");
  executor().board().Note(job, {"waiting", "311 g/kWh now", "2026-05-01T12:00:00Z"});
  std::ignore = executor().WaitForEvents(world_.clock_.Now() + Duration{100});
  EXPECT_EQ(server().PatchesOf("train").size(), 1u) << "only numbers are new";
  executor().board().Note(job, {"running", "", ""});
  EXPECT_TRUE(world_.Until([&] { return server().PatchesOf("train").size() == 2; }));
  EXPECT_FALSE(server().Get(kJobs, "train")["metadata"]["annotations"].contains("ebb/reason"));
}

TEST_F(ClusterExecutorTest, ADryRunWritesReasonsAndNothingElse) {
  ClusterOptions options;
  options.objects.dry_run = true;
  world_.Begin(options);
  Json object = JobObject("eager");
  object["spec"]["suspend"] = false;
  server().Create(kJobs, object);
  const core::JobId job = world_.Submitted().id;
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, 0}));
  executor().board().Note(job, {"running", "would start", ""});
  EXPECT_TRUE(world_.Until([&] { return !server().PatchesOf("eager").empty(); }));
  for (const Json& patch : server().PatchesOf("eager")) EXPECT_FALSE(patch.contains("spec"));
}

}  // namespace
}  // namespace ebb::kubernetes
