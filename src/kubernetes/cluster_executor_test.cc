#include "kubernetes/cluster_executor.h"

#include <gtest/gtest.h>

#include <thread>

#include "kubernetes/cluster_world_for_test.h"

namespace ebb::testing {
INSTANTIATE_TYPED_TEST_SUITE_P(Kubernetes, ExecutorContract, kubernetes::World);
}  // namespace ebb::testing

namespace ebb::kubernetes {
namespace {

using ClusterExecutorTest = ClusterTest;

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
  EXPECT_EQ(executor().reconciler().counts().held, 0);
}

TEST_F(ClusterExecutorTest, ANamespaceChoosesForAllThatIsInIt) {
  Json object = JobObject("plain");
  object["metadata"]["annotations"] = Json::object();
  server().Create(kJobs, object);
  server().Create("/api/v1/namespaces",
                  {{"metadata", {{"name", "default"}, {"labels", {{"ebb/wait", "true"}}}}}});
  EXPECT_EQ(world_.Submitted().name, "default/plain");
}

// The event is read before the wait begins, and nothing else would end that wait.
TEST_F(ClusterExecutorTest, WhatCameBeforeAWaitEndsIt) {
  for (int i = 0; i < 5; ++i) {
    server().Create(kJobs, JobObject("train-" + std::to_string(i)));
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    const Time began = world_.clock_.Now();
    std::ignore = executor().WaitForEvents(began + std::chrono::seconds{3});
    EXPECT_LT(world_.clock_.Now() - began, std::chrono::seconds{1});
    EXPECT_EQ(executor().Take(world_.clock_.Now()).size(), 1u);
  }
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

// If it were reported as failed, the object would be released again, under another number.
TEST_F(ClusterExecutorTest, AReleaseWhoseAnswersAreLostIsLookedFor) {
  ClusterOptions options;
  options.objects.late_release = Duration{100};
  world_.Begin(options);
  const core::JobId job = Create("train");
  server().LoseAnswers("train", 1'000);
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, 0}));
  EXPECT_FALSE(world_.WaitFor(engine::JobPhase::kStartFailed, std::chrono::seconds{1}));
  EXPECT_EQ(server().PatchesOf("train").size(), 1u);
  ASSERT_EQ(executor().Observe()->size(), 1u);
  EXPECT_EQ(executor().Observe()->front().phase, engine::JobPhase::kRunning);
  EXPECT_EQ(executor().Observe()->front().attempt, 1);
  EXPECT_TRUE(world_.said_.empty()) << world_.said_.front();
}

TEST_F(ClusterExecutorTest, AReleaseIsNotMadeAgainAfterSomebodyHasHeldTheObject) {
  const core::JobId job = Create("train");
  server().LoseAnswers("train", 1);
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, 0}));
  while (world_.IsSuspended("train")) std::ignore = executor().WaitForEvents(Time::min());
  server().Patch(kJobs, "train", {{"spec", {{"suspend", true}}}});
  EXPECT_TRUE(world_.WaitFor(engine::JobPhase::kPaused));
  world_.GoOnFor(Duration{100});
  EXPECT_TRUE(world_.IsSuspended("train"));
  EXPECT_EQ(server().PatchesOf("train").size(), 1u);
}

TEST_F(ClusterExecutorTest, AReleaseIsMadeOnceItCanBe) {
  const core::JobId job = Create("train");
  server().RefusePatches("train", 503);
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, 0}));
  world_.GoOnFor(Duration{50});
  server().RefusePatches("train", 0);
  world_.Annotate("train", {{"note", "somebody changes it all the time"}});
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
  EXPECT_EQ(executor().Observe()->front().attempt, 1);
}

TEST_F(ClusterExecutorTest, AReleaseThatWasNotMadeHasFailedAfterAWhile) {
  ClusterOptions options;
  options.objects.late_release = Duration{100};
  world_.Begin(options);
  const core::JobId job = Create("train");
  server().RefusePatches("train", 503);
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, 0}));
  EXPECT_TRUE(world_.WaitFor(engine::JobPhase::kStartFailed));
  EXPECT_TRUE(executor().Observe()->front().machine_trouble);
}

TEST_F(ClusterExecutorTest, WhatSomebodyElseReleasedIsSeenWhenItIsHeldAgain) {
  const core::JobId job = Create("train");
  const Json release{{"spec", {{"suspend", false}}}}, hold{{"spec", {{"suspend", true}}}};
  server().Patch(kJobs, "train", release);
  ASSERT_TRUE(world_.WaitFor(engine::JobPhase::kRunning));
  EXPECT_TRUE(world_.Until([&] {
    return server().Get(kJobs, "train")["metadata"]["annotations"].contains("ebb/attempt");
  })) << "another process would take it for new";
  server().Patch(kJobs, "train", hold);
  EXPECT_TRUE(world_.WaitFor(engine::JobPhase::kPaused));
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 2, 0}));
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
  EXPECT_EQ(server().Get(kJobs, "train")["metadata"]["annotations"]["ebb/attempt"], "2");
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
  EXPECT_EQ(executor().reconciler().size(), 1u);
}

// A100 draws 400 W, RTX A5000 230 W.
TEST_F(ClusterExecutorTest, APodIsKeptAwayFromModelsThatItsJobWantsNoneOf) {
  world_.server_.Create("/api/v1/nodes", NodeObject("a5000", 64, 2, "NVIDIA-RTX-A5000"));
  world_.server_.Create("/api/v1/nodes", NodeObject("sxm", 64, 2, "A100-SXM4-80GB"));
  ASSERT_TRUE(world_.Until([&] { return world_.executor().cluster().pools.size() == 5; }));
  world_.server_.Create(kJobs, JobObject("frugal", {{"ebb/max-power", "300"}}, 1));
  const core::Job job = world_.Submitted();
  EXPECT_EQ(std::ranges::count(job.models, "NVIDIA-RTX-A5000"), 1);
  EXPECT_EQ(std::ranges::count(job.models, "A100"), 1) << "nobody knows which one that is";
  EXPECT_EQ(std::ranges::count(job.models, "A100-SXM4-80GB"), 0);
  const Json made = world_.server_.Get(kJobs, "frugal")["spec"];
  ASSERT_TRUE(made["template"]["spec"].contains("affinity")) << "before it is offered";
  EXPECT_EQ(made["suspend"], true);
  EXPECT_EQ(made.at("/template/spec/affinity/nodeAffinity"
                    "/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0"
                    "/matchExpressions/0"_json_pointer),
            (Json{{"key", "nvidia.com/gpu.product"},
                  {"operator", "NotIn"},
                  {"values", {"A100-SXM4-80GB"}}}));
  EXPECT_TRUE(world_.executor().Execute(engine::StartJob{job.id, 1, 2}));
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("frugal"); }));
}

TEST_F(ClusterExecutorTest, AnAffinityThatCannotBeSetHoldsTheObjectBack) {
  world_.server_.Create("/api/v1/nodes", NodeObject("sxm", 64, 2, "A100-SXM4-80GB"));
  ASSERT_TRUE(world_.Until([&] { return world_.executor().cluster().pools.size() == 4; }));
  world_.server_.RefusePatches("frugal", 403);
  world_.server_.Create(kJobs, JobObject("frugal", {{"ebb/max-power", "300"}}, 1));
  ASSERT_TRUE(world_.Until([&] {
    return std::ranges::any_of(world_.said_, [](const std::string& text) {
      return text.find("its node affinity cannot be set") != text.npos;
    });
  }));
  EXPECT_TRUE(world_.executor().Take(world_.clock_.Now()).empty());
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
  const auto has_free = [&](int count) {
    return world_.Until([&] {
      const core::Cluster cluster = executor().cluster();
      return cluster.pools.size() == 3 && cluster.pools[2].count == count;
    });
  };
  ASSERT_TRUE(has_free(12));  // before, it has as many as in the end
  bind("theirs-0", "theirs", "node");
  ASSERT_TRUE(has_free(8));
  const core::JobId wide = Create("wide", {}, 8);
  const Status refused = executor().Execute(engine::StartJob{wide, 1, 2});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ExitCode::kTryLater);
  EXPECT_EQ(refused.error().what,
            "no node has the 8 GPUs and 1 core free that each of its pods needs");
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

// All nodes together have enough free GPUs.
TEST_F(ClusterExecutorTest, AGangIsNotReleasedWhileOneOfItsPodsFitsNoNode) {
  server().Create("/api/v1/nodes", NodeObject("second", 64, 4, "A100"));
  ASSERT_TRUE(world_.Until([&] { return executor().cluster().pools.back().count == 12; }));
  const auto create = [&](const std::string& name, int gpus) {
    Json pod{{"spec", JobObject("", {}, gpus)["spec"]["template"]["spec"]}};
    pod["metadata"] = {{"name", name}, {"labels", {{"ebb/gang", "train"}, {"ebb/gang-size", "2"}}}};
    pod["spec"]["schedulingGates"] = Json::array({{{"name", "ebb/wait"}}});
    server().Create("/api/v1/pods", pod);
  };
  create("a", 6);
  create("b", 6);
  const core::Job job = world_.Submitted();
  EXPECT_EQ(job.devices, 12);
  const Status refused = executor().Execute(engine::StartJob{job.id, 1, 2});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ExitCode::kTryLater);
  EXPECT_TRUE(refused.error().what.starts_with("no node has the 6 GPUs")) << refused.error().what;
  server().Create("/api/v1/nodes", NodeObject("third", 64, 8, "A100"));
  ASSERT_TRUE(world_.Until([&] { return executor().cluster().pools.back().count == 20; }));
  EXPECT_TRUE(executor().Execute(engine::StartJob{job.id, 1, 2}));
}

TEST_F(ClusterExecutorTest, WhatHasEndedIsNotOnItsWayToANodeAnyMore) {
  const core::JobId first = Create("first", {}, 8);
  ASSERT_TRUE(executor().Execute(engine::StartJob{first, 1, 2}));
  server().SetCourse("first", FakeApiServer::Course::kSucceeds);
  ASSERT_TRUE(world_.Until(
      [&] { return executor().reconciler().Find(first)->phase == ObjectPhase::kSucceeded; }));
  const core::JobId second = Create("second", {}, 8);
  const Status started = executor().Execute(engine::StartJob{second, 1, 2});
  EXPECT_TRUE(started) << started.error().Message();
}

TEST_F(ClusterExecutorTest, ReasonsAreWrittenOnceAndNumbersNowAndThen) {
  const core::JobId job = Create("train");
  executor().reconciler().Note(job, {"waiting", "312 g/kWh now", "2026-05-01T12:00:00Z"});
  EXPECT_TRUE(world_.Until([&] { return !server().PatchesOf("train").empty(); }));
  const Json annotations = server().Get(kJobs, "train")["metadata"]["annotations"];
  EXPECT_EQ(annotations["ebb/stage"], "waiting");
  EXPECT_EQ(annotations["ebb/reason"], "312 g/kWh now");
  executor().reconciler().Note(job, {"waiting", "311 g/kWh now", "2026-05-01T12:00:00Z"});
  std::ignore = executor().WaitForEvents(world_.clock_.Now() + Duration{100});
  EXPECT_EQ(server().PatchesOf("train").size(), 1u) << "only numbers are new";
  executor().reconciler().Note(job, {"running", "", ""});
  EXPECT_TRUE(world_.Until([&] { return server().PatchesOf("train").size() == 2; }));
  EXPECT_FALSE(server().Get(kJobs, "train")["metadata"]["annotations"].contains("ebb/reason"));
}

TEST_F(ClusterExecutorTest, DecisionsAreToldAsEventsOnTheObject) {
  const core::JobId job = Create("train", {{"ebb/threshold", "low"}});
  const auto told = [&](EventReason reason) {
    const Json object = server().Get(kJobs, "train");
    const Json event =
        server().Get("/api/v1/events",
                     EventName({"", "", "default", "train", object["metadata"]["uid"]}, reason));
    return event.is_null() ? "" : event["message"].get<std::string>();
  };
  const auto becomes = [&](EventReason reason, const std::string& message) {
    return world_.Until([&] { return told(reason) == message; });
  };
  EXPECT_TRUE(becomes(EventReason::kBadAnnotation,
                      "ebb/threshold: \"low\" is not a number from 0 to 10000"));
  executor().reconciler().Note(job, {"waiting", "waiting: 312 g/kWh now", ""});
  EXPECT_TRUE(becomes(EventReason::kWaiting, "waiting: 312 g/kWh now"));
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, 0}));
  executor().reconciler().Note(job, {"starting", "starting: 98 g/kWh now", ""});
  EXPECT_TRUE(becomes(EventReason::kReleased, "starting: 98 g/kWh now"));
  world_.GoOnFor(Duration{50});
  server().Patch(kJobs, "train", {{"spec", {{"suspend", true}}}});
  EXPECT_TRUE(becomes(EventReason::kHeldBackByAnother,
                      "held back by somebody else; it waits to be released again"));
  world_.Annotate("train", {{"ebb/threshold", "200"}, {"ebb/wait", "false"}});
  std::ignore = world_.Next<engine::JobCancelled>();
  EXPECT_TRUE(becomes(EventReason::kLetGo, "it stays suspended until somebody resumes it"));
}

TEST_F(ClusterExecutorTest, WhatIsSuspendedAgainAndAgainStaysHeldForAWhileAndSaysByWhom) {
  ClusterOptions options;
  options.objects.first_backoff = Duration{400};
  world_.Begin(std::move(options));
  core::JobId job = Create("train");
  const Json managed = Json::array({{{"manager", "argocd-controller"},
                                     {"time", "2026-05-01T12:00:00Z"},
                                     {"fieldsV1", {{"f:spec", {{"f:suspend", Json::object()}}}}}}});
  const auto suspend_after_release = [&](int attempt) {
    ASSERT_TRUE(executor().Execute(engine::StartJob{job, attempt, 0}));
    ASSERT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
    server().Patch(kJobs, "train",
                   {{"metadata", {{"managedFields", managed}}}, {"spec", {{"suspend", true}}}});
  };
  suspend_after_release(1);
  EXPECT_TRUE(world_.WaitFor(engine::JobPhase::kPaused)) << "once may be a person";
  suspend_after_release(2);
  const auto cancelled = world_.Next<engine::JobCancelled>();
  ASSERT_TRUE(cancelled) << "the engine is not to release it again";
  EXPECT_EQ(cancelled->job, job);
  const Json object = server().Get(kJobs, "train");
  const Json event = server().Get("/api/v1/events",
                                  EventName({"", "", "default", "train", object["metadata"]["uid"]},
                                            EventReason::kHeldBackByAnother));
  ASSERT_FALSE(event.is_null());
  EXPECT_THAT(event["message"].get<std::string>(), ::testing::HasSubstr("argocd-controller"));
  EXPECT_TRUE(world_.IsSuspended("train"));
  job = world_.Submitted().id;
  EXPECT_TRUE(executor().Execute(engine::StartJob{job, 3, 0}))
      << "after the wait it is tried again";
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
}

TEST_F(ClusterExecutorTest, AnObjectThatCannotBeReleasedSaysSo) {
  const core::JobId job = Create("train");
  server().RefusePatches("train", 422);
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, 0}));
  ASSERT_TRUE(world_.WaitFor(engine::JobPhase::kFailed));
  const Json object = server().Get(kJobs, "train");
  const EventSubject subject{"", "", "default", "train", object["metadata"]["uid"]};
  EXPECT_TRUE(world_.Until([&] {
    const Json event = server().Get("/api/v1/events", EventName(subject, EventReason::kRefused));
    return !event.is_null() && event["type"] == "Warning" &&
           event["message"] == "cannot be released: HTTP status 422: the fake server refuses";
  }));
}

TEST_F(ClusterExecutorTest, AGangOfPodsIsOneJob) {
  const char* const kPods = "/api/v1/pods";
  const auto create = [&](const std::string& name) {
    const Json container{{"name", "main"}, {"resources", {{"limits", {{"nvidia.com/gpu", 2}}}}}};
    const Json labels{{"ebb/gang", "train"}, {"ebb/gang-size", "3"}};
    server().Create(kPods, {{"metadata", {{"name", name}, {"labels", labels}}},
                            {"spec",
                             {{"schedulingGates", Json::array({{{"name", "ebb/wait"}}})},
                              {"containers", Json::array({container})}}}});
  };
  const auto reason = [&](const std::string& name) {
    const Json pod = server().Get(kPods, name);
    return pod["metadata"].value("annotations", Json::object()).value("ebb/reason", "");
  };
  create("a");
  create("b");
  EXPECT_TRUE(world_.Until([&] {
    return reason("a") == "waiting: 2 of the 3 pods of its gang are there" &&
           reason("b") == reason("a");
  }));
  EXPECT_FALSE(executor().reconciler().has_events());
  create("c");
  const core::Job job = world_.Submitted();
  EXPECT_EQ(job.name, "default/train");
  EXPECT_EQ(job.devices, 6);
  executor().reconciler().Note(job.id, {"waiting", "400 g/kWh now", ""});
  EXPECT_TRUE(world_.Until([&] { return reason("a") == "400 g/kWh now"; }));
  // A pod is missing again, so the gang must not be released.
  server().Delete(kPods, "b");
  EXPECT_TRUE(world_.Until([&] { return executor().reconciler().has_events(); }));
  const Status early = executor().Execute(engine::StartJob{job.id, 1, 2});
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ExitCode::kTryLater);
  ASSERT_TRUE(world_.Next<engine::JobCancelled>());
  EXPECT_FALSE(executor().Execute(engine::StartJob{job.id, 1, 2}));
  EXPECT_TRUE(world_.Until([&] { return reason("c").starts_with("waiting: 2 of the 3"); }));
  create("b2");
  const core::JobId again = world_.Submitted().id;
  executor().reconciler().Note(again, {"waiting", "312 g/kWh now", ""});
  EXPECT_TRUE(
      world_.Until([&] { return reason("a") == "312 g/kWh now" && reason("b2") == reason("a"); }));
  ASSERT_TRUE(executor().Execute(engine::StartJob{again, 1, 2}));
  for (const char* name : {"a", "b2", "c"}) {
    EXPECT_TRUE(
        world_.Until([&] { return server().Get(kPods, name)["spec"]["schedulingGates"].empty(); }));
    server().Patch(kPods, name, {{"spec", {{"nodeName", "node"}}}});
  }
  world_.GoOnFor(Duration{100});
  const auto& pools = executor().cluster().pools;
  const auto pool = std::ranges::find(pools, "A100", &core::DevicePool::model);
  ASSERT_NE(pool, pools.end());
  EXPECT_EQ(pool->count, 8) << "what the job holds is not another's";
  for (const char* name : {"a", "b2", "c"})
    server().Patch(kPods, name, {{"status", {{"phase", "Succeeded"}}}});
  EXPECT_TRUE(world_.WaitFor(engine::JobPhase::kSucceeded));
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
  executor().reconciler().Note(job, {"running", "would start", ""});
  EXPECT_TRUE(world_.Until([&] { return !server().PatchesOf("eager").empty(); }));
  for (const Json& patch : server().PatchesOf("eager")) EXPECT_FALSE(patch.contains("spec"));
  executor().reconciler().Note(job, {"starting", "would start", ""});
  const EventSubject subject{"", "", "default", "eager",
                             server().Get(kJobs, "eager")["metadata"]["uid"]};
  EXPECT_TRUE(world_.Until([&] {
    return !server().Get("/api/v1/events", EventName(subject, EventReason::kDryRun)).is_null();
  })) << "an Event that says so, too";
}

}  // namespace
}  // namespace ebb::kubernetes
