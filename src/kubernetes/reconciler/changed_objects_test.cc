// Objects whose annotations, labels or namespaces people change while Ebb holds them back, pauses
// or runs them.
#include "kubernetes/cluster_world_for_test.h"

namespace ebb::kubernetes {
namespace {

using ChangedObjects = ClusterTest;

TEST_F(ChangedObjects, ChangedAnnotationsOfWhatWaitsAreFollowed) {
  const core::JobId job = Create("train", {{"ebb/threshold", "200"}, {"ebb/start-by", "12h"}});
  world_.Annotate("train", {{"ebb/threshold", "300"}, {"ebb/priority", "5"}});
  const auto change = world_.Next<engine::JobChanged>();
  ASSERT_TRUE(change);
  EXPECT_EQ(change->job, job);
  EXPECT_EQ(change->change.threshold, Intensity{300});
  EXPECT_EQ(change->change.priority, 5);
  EXPECT_FALSE(change->change.start_by || change->change.duration);
  world_.Annotate("train", {{"ebb/threshold", nullptr}, {"ebb/start-by", "3h"}});
  const auto second = world_.Next<engine::JobChanged>();
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->change.drop_threshold);
  EXPECT_TRUE(second->change.start_by.has_value());
  // Ebb's own notes are not changes.
  executor().reconciler().Note(job, {"waiting", "312 g/kWh now", ""});
  EXPECT_TRUE(world_.Until([&] { return !server().PatchesOf("train").empty(); }));
  world_.GoOnFor(Duration{100});
  EXPECT_FALSE(executor().reconciler().has_events());
}

TEST_F(ChangedObjects, WhatNoChangeExpressesIsOfferedAsAnotherJob) {
  const core::JobId job = Create("train");
  world_.Annotate("train", {{"ebb/checkpointable", "true"}});
  const auto cancelled = world_.Next<engine::JobCancelled>();
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->job, job);
  const auto again = world_.Next<engine::JobSubmitted>();
  ASSERT_TRUE(again);
  EXPECT_NE(again->job.id, job);
  EXPECT_TRUE(again->job.checkpointable);
  EXPECT_FALSE(executor().Execute(engine::StartJob{job, 1, 0})) << "decided before the change";
  ASSERT_TRUE(executor().Execute(engine::StartJob{again->job.id, 1, 0}));
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
}

TEST_F(ChangedObjects, ChangesOfWhatIsPausedAreFollowedAndItsAttemptsGoOn) {
  const core::JobId job = Create("train", {{"ebb/checkpointable", "true"}});
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, 0}));
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
  // The engine learns of the change once the object is paused.
  world_.Annotate("train", {{"ebb/threshold", "300"}, {"ebb/start-by", "3h"}});
  world_.GoOnFor(Duration{100});
  EXPECT_TRUE(executor().Take(world_.clock_.Now()).empty());
  ASSERT_TRUE(executor().Execute(engine::PauseJob{job, 1}));
  ASSERT_TRUE(world_.WaitFor(engine::JobPhase::kPaused));
  const auto change = world_.Next<engine::JobChanged>();
  ASSERT_TRUE(change);
  EXPECT_EQ(change->change.threshold, Intensity{300});
  EXPECT_FALSE(change->change.start_by) << "it has started";
  // Another width makes another job, which goes on where this one stopped.
  server().Patch(kJobs, "train", {{"spec", {{"parallelism", 2}}}});
  const auto again = world_.Next<engine::JobSubmitted>();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->job.devices, 2);
  const auto known = executor().Observe();
  ASSERT_EQ(known->size(), 1u);
  EXPECT_EQ(known->front().job, again->job.id);
  EXPECT_EQ(known->front().phase, engine::JobPhase::kPaused);
  EXPECT_EQ(known->front().attempt, 1);
  ASSERT_TRUE(executor().Execute(engine::StartJob{again->job.id, 2, 0}));
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
  EXPECT_EQ(server().Get(kJobs, "train")["metadata"]["annotations"]["ebb/attempt"], "2");
}

TEST_F(ChangedObjects, AChangeThatIsRefusedIsOfferedAndRefusedAsAJob) {
  const core::JobId job = Create("train");
  world_.Annotate("train", {{"ebb/finish-by", "2020-01-01T00:00Z"}});
  ASSERT_TRUE(world_.Next<engine::JobChanged>());
  executor().reconciler().ChangeRefused(job);
  const core::JobId again = world_.Submitted().id;
  executor().reconciler().Refused(again, {ExitCode::kUsage, "its end has passed", "", ""});
  EXPECT_TRUE(world_.Until([&] {
    return server().Get(kJobs, "train")["metadata"]["annotations"].value("ebb/stage", "") ==
           "refused";
  }));
  world_.Annotate("train", {{"ebb/finish-by", nullptr}});
  EXPECT_FALSE(world_.Submitted().finish_by);
}

TEST_F(ChangedObjects, WhatIsNotToWaitAnyMoreIsLetGo) {
  const core::JobId job = Create("train");
  executor().reconciler().Note(job, {"waiting", "312 g/kWh now", "2026-05-01T12:00:00Z"});
  EXPECT_TRUE(world_.Until([&] { return !server().PatchesOf("train").empty(); }));
  world_.Annotate("train", {{"ebb/wait", "false"}});
  const auto cancelled = world_.Next<engine::JobCancelled>();
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->job, job);
  EXPECT_TRUE(world_.Until([&] {
    return !server().Get(kJobs, "train")["metadata"]["annotations"].contains("ebb/reason");
  }));
  const Json annotations = server().Get(kJobs, "train")["metadata"]["annotations"];
  EXPECT_FALSE(annotations.contains("ebb/stage") || annotations.contains("ebb/expected-start"));
  EXPECT_TRUE(world_.IsSuspended("train"));
  EXPECT_EQ(executor().reconciler().size(), 0u);
  world_.Annotate("train", {{"ebb/wait", "true"}});
  EXPECT_NE(world_.Submitted().id, job);
}

TEST_F(ChangedObjects, WhatRunsAndIsNotToWaitAnyMoreRunsOn) {
  const core::JobId job = Create("train", {{"ebb/checkpointable", "true"}});
  ASSERT_TRUE(executor().Execute(engine::StartJob{job, 1, 0}));
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
  world_.GoOnFor(Duration{50});
  world_.Annotate("train", {{"ebb/wait", nullptr}});
  EXPECT_TRUE(world_.Until([&] { return executor().reconciler().has_events(); }));
  std::ignore = executor().Take(world_.clock_.Now());
  ASSERT_TRUE(world_.WaitFor(engine::JobPhase::kCancelled));
  executor().Forget(job);
  EXPECT_FALSE(world_.IsSuspended("train"));
  // If it is chosen again, the running attempt is taken up.
  world_.Annotate("train", {{"ebb/wait", "true"}});
  const core::JobId again = world_.Submitted().id;
  EXPECT_NE(again, job);
  EXPECT_EQ(executor().Observe()->front().phase, engine::JobPhase::kRunning);
  EXPECT_EQ(executor().Observe()->front().attempt, 1);
}

TEST_F(ChangedObjects, ANamespaceThatChoosesNoMoreLetsGo) {
  Json object = JobObject("plain");
  object["metadata"]["annotations"] = Json::object();
  server().Create(kJobs, object);
  server().Create("/api/v1/namespaces",
                  {{"metadata", {{"name", "default"}, {"labels", {{"ebb/wait", "true"}}}}}});
  const core::JobId job = world_.Submitted().id;
  server().Patch("/api/v1/namespaces", "default",
                 {{"metadata", {{"labels", {{"ebb/wait", nullptr}}}}}});
  const auto cancelled = world_.Next<engine::JobCancelled>();
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->job, job);
}

}  // namespace
}  // namespace ebb::kubernetes
