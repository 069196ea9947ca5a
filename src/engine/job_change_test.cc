// Tests of changes that people make to waiting jobs, and of the reasons to refuse them.

#include "engine/job_change.h"

#include "engine/engine_for_test.h"

namespace ebb::engine {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::AJob;

class Changing : public EngineTest {
 protected:
  std::string Refused(Time at, const JobChanged& fact) {
    const auto taken = engine_->Apply({at, fact});
    return taken ? "taken" : taken.error().Message();
  }
  const core::Job& JobOf(core::JobId id) { return engine_->state().FindLive(id)->job; }
};

TEST_F(Changing, AHigherPriorityGoesFirst) {
  Make("tiers", 1);
  for (const core::JobId id : {1, 2, 3}) {
    core::Job job = AJob(id).Submitted(kNow).Within(hours{9});
    job.threshold = Intensity{1};
    Submit(job);
  }
  core::JobChange change;
  change.priority = 5;
  change.drop_threshold = true;
  change.name = "urgent";
  Apply(kNow, JobChanged{3, change});
  EXPECT_EQ(JobOf(3).priority, 5);
  EXPECT_EQ(JobOf(3).name, "urgent");
  EXPECT_FALSE(JobOf(3).threshold);
  EXPECT_EQ(JobOf(2).priority, 0);
  EXPECT_EQ(JobOf(3).start_by, kNow + hours{9}) << "what is not given stays";
}

// The plan follows the change: a job that waited for clean power has to start.
TEST_F(Changing, AnEarlierLatestStartIsKept) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow).Runs(hours{4}));
  Submit(AJob(2).Submitted(kNow).Within(hours{20}));
  Submit(AJob(3).Submitted(kNow).Within(hours{20}));
  EXPECT_EQ(Started(kNow), (Ids{1}));
  core::JobChange change;
  change.start_by = kNow + hours{4};
  Apply(kNow, JobChanged{3, change});
  EXPECT_EQ(JobOf(3).start_by, kNow + hours{4});
  change.start_by = kNow + hours{3};
  const std::string refused = Refused(kNow, JobChanged{2, change});
  EXPECT_NE(refused.find("2023-05-01T05:00:00Z"), std::string::npos) << refused;
  EXPECT_EQ(JobOf(2).start_by, kNow + hours{20}) << "nothing is half-applied";
}

TEST_F(Changing, MoreTimeIsTakenWhateverTheQueue) {
  Options options;
  options.admission = Admission::kTakeAll;
  Make("run-now", 1, options);
  Submit(AJob(1).Submitted(kNow).Runs(hours{4}));
  Started(kNow);
  Submit(AJob(2).Submitted(kNow).Within(hours{1}));
  core::JobChange later;
  later.start_by = kNow + hours{2};
  const Options strict;
  EXPECT_TRUE(ChangedJob(engine_->state(), strict, {2, later}, kNow)) << "later than before";
  core::JobChange longer;
  longer.duration = hours{2};
  EXPECT_FALSE(ChangedJob(engine_->state(), strict, {2, longer}, kNow));
  core::JobChange shorter;
  shorter.duration = minutes{10};
  EXPECT_TRUE(ChangedJob(engine_->state(), strict, {2, shorter}, kNow));
}

TEST_F(Changing, WithoutADeadlineTheServicesOwnHolds) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow).Runs(hours{30}));
  Started(kNow);
  Submit(AJob(2).Submitted(kNow).FinishBy(kNow + hours{60}));
  core::JobChange change;
  change.drop_finish_by = true;
  Apply(kNow + hours{1}, JobChanged{2, change});
  EXPECT_FALSE(JobOf(2).finish_by);
  EXPECT_EQ(JobOf(2).start_by, kNow + hours{24});
  core::JobChange longer;
  longer.duration = hours{50};
  EXPECT_EQ(Refused(kNow + hours{1}, {2, longer}), "taken")
      << "that one is held against no queue, as at a submission";
  EXPECT_EQ(engine_->state().FindLive(2)->remaining, hours{50});
  core::JobChange end;
  end.finish_by = kNow + hours{200};
  Apply(kNow + hours{1}, JobChanged{2, end});
  EXPECT_FALSE(JobOf(2).start_by) << "a deadline of its own takes the place of the service's";
}

TEST_F(Changing, WhatRunsOrHasEndedIsRefusedAndWhatIsPausedIsNot) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow).Runs(hours{4}).Pausable());
  core::JobChange change;
  change.priority = 1;
  EXPECT_EQ(Refused(kNow, {1, change}), "taken");
  EXPECT_EQ(Started(kNow), (Ids{1}));
  Report(1, JobPhase::kRunning, kNow);
  EXPECT_NE(Refused(kNow, {1, change}).find("runs already"), std::string::npos);
  Apply(kNow + hours{1}, JobControlled{1, JobControl::kHold});
  engine_->Decide(kNow + hours{1});
  Report(1, JobPhase::kPaused, kNow + hours{1});
  change.priority = 7;
  EXPECT_EQ(Refused(kNow + hours{1}, {1, change}), "taken");
  EXPECT_EQ(engine_->state().FindHeld(1)->job.priority, 7);
  EXPECT_EQ(engine_->state().FindHeld(1)->remaining, hours{3}) << "the work stays";
  core::JobChange longer;
  longer.duration = hours{9};
  EXPECT_NE(Refused(kNow + hours{1}, {1, longer}).find("has run already"), std::string::npos);
  core::JobChange start;
  start.start_by = kNow + hours{9};
  EXPECT_NE(Refused(kNow + hours{1}, {1, start}).find("has started already"), std::string::npos);
  Apply(kNow + hours{1}, JobCancelled{1});
  EXPECT_NE(Refused(kNow + hours{1}, {1, change}).find("has ended"), std::string::npos);
  EXPECT_NE(Refused(kNow + hours{1}, {9, change}).find("is not known"), std::string::npos);
  core::JobChange nothing;
  nothing.duration = Duration{0};
  Submit(AJob(2).Submitted(kNow + hours{1}));
  EXPECT_NE(Refused(kNow + hours{1}, {2, nothing}), "taken");
}

}  // namespace
}  // namespace ebb::engine
