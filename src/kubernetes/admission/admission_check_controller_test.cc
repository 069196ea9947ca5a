#include "kubernetes/admission/admission_check_controller.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "kubernetes/kueue_world_for_test.h"

namespace ebb::kubernetes {
namespace {

class AdmissionCheckControllerTest : public KueueTest {};

TEST_F(AdmissionCheckControllerTest, WithoutKueueNothingIsSaid) {
  server_.Create("/api/v1/nodes", NodeObject("node", 64, 8, "A100"));
  Restart();
  EXPECT_EQ(said_, std::vector<std::string>{});
}

TEST_F(AdmissionCheckControllerTest, ItsChecksAreMadeActiveAndOthersAreNot) {
  Begin();
  server_.Create(kueue_->checks(), {{"metadata", {{"name", "theirs"}}},
                                    {"spec", {{"controllerName", "example.com/other"}}}});
  EXPECT_TRUE(Until([&] { return Holds(server_.Get(kueue_->checks(), "clean-power"), "Active"); }));
  GoOnFor(Duration{100});
  EXPECT_TRUE(server_.PatchesOf("theirs").empty());
  EXPECT_EQ(server_.PatchesOf("clean-power").size(), 1u) << "said once";
}

TEST_F(AdmissionCheckControllerTest, AWorkloadIsAJobWithWhatItsOwnerAsksFor) {
  Begin();
  kueue_->Submit("train", 2,
                 {{"ebb/threshold", "150"},
                  {"ebb/start-by", "3h"},
                  {"ebb/duration", "90m"},
                  {"ebb/checkpointable", "true"}});
  const core::Job job = JobOf("train");
  EXPECT_EQ(job.threshold->g_per_kwh, 150);
  EXPECT_EQ(*job.start_by, job.submitted + std::chrono::hours{3});
  EXPECT_EQ(job.duration, std::chrono::minutes{90});
  EXPECT_TRUE(job.checkpointable);
  EXPECT_EQ(job.devices, 2);
  EXPECT_EQ(job.priority, 7);
  EXPECT_EQ(job.models, std::vector<std::string>{"ClusterQueue all"});
  EXPECT_EQ(executor_->reconciler().size(), 1u) << "not the Job itself";
}

TEST_F(AdmissionCheckControllerTest, TheOlderVersionOfItsApiWillDo) {
  Begin("v1beta1");
  kueue_->Submit("train", 2);
  Start("train");
  EXPECT_TRUE(Until([&] { return Runs("train"); }));
}

TEST_F(AdmissionCheckControllerTest, WhatWaitsGivesItsQuotaBackUntilItIsReleased) {
  Begin();
  kueue_->Submit("train", 2);
  EXPECT_TRUE(Until([&] { return IsHeld("train") && kueue_->Reserved() == 0; }));
  EXPECT_EQ(kueue_->Get("train")["metadata"]["annotations"]["ebb/held"], "too dirty");
  EXPECT_TRUE(Until([&] {
    return server_.Get(kJobs, "train")["metadata"]["annotations"].value("ebb/reason", "") ==
           "too dirty";
  })) << "people look at the Job";
  GoOnFor(Duration{200});
  EXPECT_EQ(server_.PatchesOf("job-train").size(), 1u) << "and then nothing is written";
  Start("train");
  EXPECT_TRUE(Until([&] { return Runs("train"); }));
  EXPECT_FALSE(kueue_->Get("train")["metadata"]["annotations"].contains("ebb/held"));
}

TEST_F(AdmissionCheckControllerTest, WhatWaitsIsShownToKueueAgain) {
  options_.kueue.show_every = Duration{100};
  Begin("v1beta2", 1);
  kueue_->Submit("wide", 2);
  JobOf("wide");
  kueue_->Reserve("wide");
  EXPECT_TRUE(Until([&] { return IsHeld("wide"); }));
  EXPECT_TRUE(Until([&] { return !IsHeld("wide"); }));
  GoOnFor(Duration{300});
  EXPECT_FALSE(IsHeld("wide")) << "without quota it may stay in Kueue's queue";
}

// Kueue would end running Workloads for it each time.
TEST_F(AdmissionCheckControllerTest,
       WhatWaitsInAQueueThatPreemptsIsNotShownUnlessItIsTooWideForIt) {
  options_.kueue.show_every = Duration{100};
  Begin();
  server_.Patch(kueue_->queues(), "all",
                {{"spec", {{"preemption", {{"withinClusterQueue", "LowerPriority"}}}}}});
  kueue_->Submit("train", 2);
  EXPECT_TRUE(Until([&] { return IsHeld("train") && kueue_->Reserved() == 0; }));
  kueue_->Submit("wide", 6);
  JobOf("wide");
  kueue_->Reserve("wide");
  EXPECT_TRUE(Until([&] { return IsHeld("wide"); }));
  EXPECT_TRUE(Until([&] { return !IsHeld("wide"); }));
  GoOnFor(Duration{300});
  EXPECT_TRUE(IsHeld("train"));
  EXPECT_EQ(server_.PatchesOf("job-train").size(), 1u);
  Start("train");
  EXPECT_TRUE(Until([&] { return Runs("train"); }));
}

TEST_F(AdmissionCheckControllerTest, WhatIsHeldIsNotLetGoBeforeItsQuotaIsGone) {
  Begin();
  kueue_->Submit("train", 2);
  JobOf("train");
  kueue_->Reserve("train");
  EXPECT_TRUE(Until([&] { return IsHeld("train"); }, false));
  Start("train");
  GoOnFor(Duration{200}, false);
  EXPECT_TRUE(IsHeld("train")) << "its quota would count twice";
  EXPECT_TRUE(Until([&] { return Runs("train"); }));
}

TEST_F(AdmissionCheckControllerTest, WhatPeopleHaveMadeInactiveStaysSo) {
  Begin();
  kueue_->Submit("stopped", 2);
  server_.Patch(kueue_->workloads(), "job-stopped", {{"spec", {{"active", false}}}});
  Start("stopped");
  GoOnFor(Duration{200});
  EXPECT_TRUE(server_.PatchesOf("job-stopped").empty());
  EXPECT_FALSE(Runs("stopped"));
}

TEST_F(AdmissionCheckControllerTest, WhatNoQueueAsksAboutAnyMoreIsLetGo) {
  Begin();
  kueue_->Submit("train", 2);
  EXPECT_TRUE(Until([&] { return IsHeld("train") && kueue_->Reserved() == 0; }));
  server_.Patch(kueue_->workloads(), "job-train", {{"status", {{"admissionChecks", nullptr}}}});
  EXPECT_TRUE(Until([&] { return !IsHeld("train"); }, false));
}

TEST_F(AdmissionCheckControllerTest, WhatTheEngineReleasesIsReady) {
  Begin();
  kueue_->Submit("train", 2);
  Start("train");
  EXPECT_TRUE(Until([&] { return Runs("train"); }));
  EXPECT_EQ(Answer("train")["state"], "Ready");
  const Json patch = server_.PatchesOf("job-train").back();
  EXPECT_TRUE(patch["metadata"].contains("resourceVersion")) << "a later one would be stuck";
  for (const Json& written : server_.PatchesOf("train")) EXPECT_FALSE(written.contains("spec"));
}

TEST_F(AdmissionCheckControllerTest, WhatRunsIsPausedOnceItHasEnded) {
  Begin();
  kueue_->Submit("train", 2, {{"ebb/checkpointable", "true"}});
  Start("train");
  ASSERT_TRUE(Until([&] { return Holds(kueue_->Get("train"), "Admitted"); }));
  GoOnFor(Duration{50});
  server_.CreatePod("train-pod", "train");
  GoOnFor(Duration{50});
  ASSERT_TRUE(executor_->Execute(engine::PauseJob{JobOf("train").id, 1}));
  EXPECT_TRUE(Until([&] { return !Runs("train"); }));
  GoOnFor(Duration{50});
  EXPECT_FALSE(Reported(JobPhase::kPaused)) << "it writes its checkpoint";
  server_.Delete("/api/v1/pods", "train-pod");
  EXPECT_TRUE(Until([&] { return Reported(JobPhase::kPaused); }));
  EXPECT_EQ(kueue_->Reserved(), 0);
}

TEST_F(AdmissionCheckControllerTest, APauseBeforeItIsAdmittedTakesTheReleaseBack) {
  Begin("v1beta2", 1);
  kueue_->Submit("wide", 2, {{"ebb/checkpointable", "true"}});
  Start("wide");
  GoOnFor(Duration{50});
  ASSERT_TRUE(executor_->Execute(engine::PauseJob{JobOf("wide").id, 1}));
  EXPECT_TRUE(Until([&] { return Reported(JobPhase::kStartFailed); }));
  EXPECT_TRUE(reports_.back().machine_trouble) << "it does not count against the job";
  kueue_->Reserve("wide");
  EXPECT_TRUE(Until([&] { return IsHeld("wide"); }, false));
}

TEST_F(AdmissionCheckControllerTest, WhatIsEvictedOrHasNoQuotaIsNotAnswered) {
  Begin();
  kueue_->Submit("train", 2);
  Start("train");
  kueue_->Set("train", {{"QuotaReserved", true}, {"Evicted", true}},
              {{"admission", {{"clusterQueue", "all"}}}});
  GoOnFor(Duration{200}, false);
  kueue_->Set("train", {{"QuotaReserved", false}, {"Evicted", true}}, {{"admission", nullptr}});
  GoOnFor(Duration{200}, false);
  EXPECT_TRUE(server_.PatchesOf("job-train").empty());
  kueue_->Reserve("train");
  EXPECT_TRUE(Until([&] { return State("train") == "Ready"; }, false));
}

TEST_F(AdmissionCheckControllerTest, AnAnswerThatComesTooLateIsNotHeard) {
  Begin();
  kueue_->Submit("train", 2);
  Start("train");
  for (int i = 0; i < 20; ++i) {
    kueue_->Reserve("train");
    Go(false);
    kueue_->Evict("train", 0);  // at the same time, as a preemption is
    GoOnFor(Duration{20}, false);
    EXPECT_EQ(FakeKueue::State(kueue_->Get("train")), "Pending") << "it would be stuck for ever";
    kueue_->Set("train", {{"QuotaReserved", false}}, {{"admission", nullptr}});
  }
}

TEST_F(AdmissionCheckControllerTest, WhatDoesNotWantToWaitIsReadyAtOnce) {
  Begin();
  kueue_->Submit("hasty", 2, {{"ebb/wait", "false"}});
  EXPECT_TRUE(Until([&] { return Runs("hasty"); }));
  EXPECT_TRUE(jobs_.empty());
  EXPECT_EQ(Answer("hasty")["state"], "Ready");
}

TEST_F(AdmissionCheckControllerTest, WhatDoesNotWantToWaitAnyMoreIsReadyAndSaysSo) {
  Begin();
  kueue_->Submit("train", 2);
  const core::JobId job = JobOf("train").id;
  const auto stage = [&] {
    return server_.Get(kJobs, "train")["metadata"]["annotations"].value("ebb/stage", "");
  };
  ASSERT_TRUE(Until([&] { return IsHeld("train") && stage() == "waiting"; }));
  server_.Patch(kJobs, "train", {{"metadata", {{"annotations", {{"ebb/wait", "false"}}}}}});
  const std::string owner = server_.Get(kJobs, "train")["metadata"]["uid"];
  ASSERT_TRUE(Until([&] { return executor_->reconciler().FindObject(owner)->declined; }));
  server_.Patch(kueue_->workloads(), "job-train",
                {{"metadata", {{"annotations", {{"example.com/seen", "1"}}}}}});
  EXPECT_TRUE(Until([&] { return Runs("train") && stage().empty(); }));
  EXPECT_EQ(executor_->reconciler().Find(job), nullptr) << "it is no longer a job";
  EXPECT_FALSE(EventOf("train", EventReason::kLetGo).is_null());
  EXPECT_TRUE(EventOf("train", EventReason::kReleased).is_null());
}

TEST_F(AdmissionCheckControllerTest, EventsAreOnTheObjectThatItWasMadeFor) {
  Begin();
  kueue_->Submit("train", 2);
  EXPECT_TRUE(Until([&] { return !EventOf("train", EventReason::kWaiting).is_null(); }));
  const Json event = EventOf("train", EventReason::kWaiting);
  EXPECT_EQ(event["involvedObject"]["kind"], "Job");
  EXPECT_EQ(event["message"], "too dirty");
  Start("train");
  ASSERT_TRUE(Until([&] { return Runs("train"); }));
  kueue_->Evict("train", 1);
  EXPECT_TRUE(Until([&] { return Reported(JobPhase::kPaused); }));
  EXPECT_TRUE(Until([&] { return !EventOf("train", EventReason::kHeldBackByAnother).is_null(); }));
}

TEST_F(AdmissionCheckControllerTest, NodesAreNotAskedForWhatKueueAdmits) {
  Begin("v1beta2", 16);
  kueue_->Submit("wide", 16);
  Start("wide");
  EXPECT_TRUE(Until([&] { return Runs("wide"); }));
}

TEST_F(AdmissionCheckControllerTest, ARayJobWithAQueueIsKueuesToSuspend) {
  const Json ray{{"metadata",
                  {{"name", "ray"},
                   {"uid", "1"},
                   {"creationTimestamp", "2026-01-01T00:00:00Z"},
                   {"labels", {{"ebb/wait", "true"}, {"kueue.x-k8s.io/queue-name", "mine"}}}}},
                 {"spec", {{"shutdownAfterJobFinishes", false}}}};
  const auto kind = std::ranges::find(GatedKinds(), "RayJob", &GatedKind::kind);
  const auto object = ReadObject(*kind, *ParseJson(ray.dump(), "ray"), {});
  EXPECT_TRUE(object->follows);
  EXPECT_FALSE(object->declined) << "its Workload may wait";
  EXPECT_TRUE(object->problems.empty());
}

TEST_F(AdmissionCheckControllerTest, ThePoolIsTheQuotaLessWhatOthersHaveOfIt) {
  Begin();
  kueue_->Submit("train", 2);
  JobOf("train");
  EXPECT_TRUE(Until([&] { return PoolCount() == 4; }));
  kueue_->Submit("hasty", 3, {{"ebb/wait", "false"}});
  EXPECT_TRUE(Until([&] { return PoolCount() == 1; }));
  // Borrowed quota exists, because Kueue reports it.
  kueue_->Reserve("train");
  EXPECT_TRUE(Until([&] { return PoolCount() == 2; }, false));
  EXPECT_EQ(executor_->cluster().pools[0].model, "cpu");
  server_.Create(kJobs, JobObject("other", {}, 1));
  const core::Job other = JobOf("other");
  EXPECT_EQ(std::ranges::count(other.models, "ClusterQueue all"), 0) << "not for other objects";
}

TEST_F(AdmissionCheckControllerTest, AReleaseThatKueueDoesNotAdmitIsTakenBack) {
  options_.kueue.admits_within = Duration{100};
  Begin("v1beta2", 1);
  kueue_->Submit("wide", 2);
  Start("wide");
  EXPECT_TRUE(Until([&] { return Reported(JobPhase::kStartFailed); }));
  Start("wide", 2);
  kueue_->Reserve("wide");
  EXPECT_TRUE(Until([&] { return Runs("wide"); })) << "the next one is not";
}

// The Workload is too wide for the quota of its queue, until Kueue lends it more.
TEST_F(AdmissionCheckControllerTest, WhatTheEngineRefusesDoesNotStartInADirtyHour) {
  options_.kueue.decides_within = Duration{50};
  options_.kueue.show_every = Duration{200};
  note_ = {"refused", "it needs 6 devices", ""};
  Begin();
  kueue_->Submit("wide", 6);
  const core::Job refused = JobOf("wide");
  executor_->reconciler().Refused(refused.id, {ExitCode::kUsage, "it needs 6 devices", "", ""});
  note_ = {"waiting", "too dirty", ""};
  jobs_.clear();
  kueue_->Reserve("wide");
  EXPECT_EQ(JobOf("wide").devices, 6) << "it is offered again, beside a wider pool";
  EXPECT_TRUE(Until([&] { return IsHeld("wide"); }));
  EXPECT_FALSE(Runs("wide"));
}

TEST_F(AdmissionCheckControllerTest, WhatTheEngineGoesOnRefusingIsHeldAndShownAgain) {
  options_.kueue.decides_within = Duration{50};
  options_.kueue.show_every = Duration{100};
  Begin();
  kueue_->Submit("odd", 2);
  executor_->reconciler().Refused(JobOf("odd").id, {ExitCode::kUsage, "makes no sense", "", ""});
  EXPECT_TRUE(Until([&] { return IsHeld("odd") && kueue_->Reserved() == 0; }));
  EXPECT_EQ(kueue_->Get("odd")["metadata"]["annotations"]["ebb/held"], "makes no sense");
  EXPECT_TRUE(Until([&] { return !IsHeld("odd"); }));
  GoOnFor(Duration{500});
  EXPECT_FALSE(Runs("odd"));
}

TEST_F(AdmissionCheckControllerTest, AnAdmissionGateIsTakenAwayAndOthersStay) {
  Begin();
  kueue_->Submit("gated", 2, {{kGates, "example.com/budget,ebb/wait"}}, false);
  JobOf("gated");
  GoOnFor(Duration{50});
  EXPECT_EQ(server_.Get(kJobs, "gated")["metadata"]["annotations"][kGates],
            "example.com/budget,ebb/wait");
  Start("gated");
  EXPECT_TRUE(Until([&] {
    return server_.Get(kJobs, "gated")["metadata"]["annotations"][kGates] == "example.com/budget";
  }));
  EXPECT_TRUE(server_.PatchesOf("job-gated").empty()) << "it has no check";
}

TEST_F(AdmissionCheckControllerTest, WhatIsGatedCanBePausedIfItsQueueHasTheCheck) {
  Begin();
  server_.Patch(
      kueue_->queues(), "all",
      {{"spec",
        {{"admissionChecksStrategy", {{"admissionChecks", {{{"name", "clean-power"}}}}}}}}});
  GoOnFor(Duration{50});
  kueue_->Submit("gated", 2, {{kGates, "ebb/wait"}, {"ebb/checkpointable", "true"}}, false);
  EXPECT_TRUE(JobOf("gated").checkpointable) << "Kueue tells its checks later";
}

// Reports of queues and checks may come after those of their Workloads.
TEST_F(AdmissionCheckControllerTest, WhatIsGatedCanBePausedOnceItsQueueGetsTheCheck) {
  Begin();
  kueue_->Submit("gated", 2, {{kGates, "ebb/wait"}, {"ebb/checkpointable", "true"}}, false);
  EXPECT_FALSE(JobOf("gated").checkpointable);
  const Json checks{{"admissionChecks", {{{"name", "late"}}}}};
  server_.Patch(kueue_->queues(), "all", {{"spec", {{"admissionChecksStrategy", checks}}}});
  GoOnFor(Duration{50});
  EXPECT_FALSE(JobOf("gated").checkpointable) << "whose check it is is not known yet";
  server_.Create(kueue_->checks(),
                 {{"metadata", {{"name", "late"}}}, {"spec", {{"controllerName", "ebb/gate"}}}});
  EXPECT_TRUE(Until([&] { return JobOf("gated").checkpointable; }));
  server_.Patch(kueue_->queues(), "all", {{"spec", {{"admissionChecksStrategy", nullptr}}}});
  EXPECT_TRUE(Until([&] { return !JobOf("gated").checkpointable; }));
}

TEST_F(AdmissionCheckControllerTest, AnotherControllerGoesOnWithWhatRuns) {
  Begin();
  kueue_->Submit("train", 2);
  Start("train");
  ASSERT_TRUE(Until([&] { return Holds(kueue_->Get("train"), "Admitted"); }));
  jobs_.clear();
  reports_.clear();
  Restart();
  JobOf("train");
  EXPECT_TRUE(Until([&] { return Reported(JobPhase::kRunning); }));
  GoOnFor(Duration{100});
  EXPECT_TRUE(Runs("train"));
}

TEST_F(AdmissionCheckControllerTest, ADryRunAnswersNobody) {
  options_.objects.dry_run = true;
  Begin();
  kueue_->Submit("train", 2);
  GoOnFor(Duration{200});
  EXPECT_TRUE(server_.PatchesOf("job-train").empty());
  EXPECT_TRUE(server_.PatchesOf("clean-power").empty());
}

// Starts, pauses and evictions of others come in any order, and Kueue admits all of them in the
// end.
TEST_F(AdmissionCheckControllerTest, NothingIsEverStuckAndNoQuotaIsExceeded) {
  options_.kueue.show_every = Duration{300};
  options_.kueue.admits_within = Duration{200};
  Begin();
  Random random(7);
  std::vector<std::string> names;
  std::map<core::JobId, int> attempts;
  for (int i = 0; i < 6; ++i) {
    names.push_back("train-" + std::to_string(i));
    kueue_->Submit(names.back(), 1 + i % 2, {{"ebb/checkpointable", "true"}});
  }
  for (const std::string& name : names) JobOf(name);
  for (int step = 0; step < 300; ++step) {
    const std::string& name = names[random.Below(names.size())];
    const core::JobId job = JobOf(name).id;
    switch (random.Below(4)) {
      case 0:
        ASSERT_TRUE(executor_->Execute(engine::StartJob{job, ++attempts[job], 0}));
        break;
      case 1:
        std::ignore = executor_->Execute(engine::PauseJob{job, attempts[job]});
        break;
      case 2:
        if (Holds(kueue_->Get(name), "QuotaReserved")) kueue_->Evict(name, 1);
        break;
      default:
        break;
    }
    Go();
    ASSERT_LE(kueue_->Reserved(), 4);
  }
  std::set<std::string> left(names.begin(), names.end());
  EXPECT_TRUE(Until([&] {
    for (const std::string& name : names) {
      if (Runs(name) && left.erase(name) > 0)
        kueue_->Set(name, {{"Finished", true}});
      else if (left.contains(name))
        std::ignore =
            executor_->Execute(engine::StartJob{JobOf(name).id, ++attempts[JobOf(name).id], 0});
    }
    return left.empty();
  })) << *left.begin()
      << kueue_->Get(*left.begin())["status"].dump();
}

}  // namespace
}  // namespace ebb::kubernetes
