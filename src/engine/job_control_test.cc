// Tests of people's controls of jobs, and of jobs that freeze instead of pausing.

#include "engine/engine_for_test.h"
#include "engine/random_life_for_test.h"

namespace ebb::engine {
namespace {

using core::GateRule;
using std::chrono::hours;
using std::chrono::minutes;
using testing::AJob;

// Control by people ------------------------------------------------------------------------

TEST_F(EngineTest, AHeldJobIsInNoPlanUntilItIsResumed) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow));
  Submit(AJob(2).Submitted(kNow));
  Apply(kNow, JobControlled{1, JobControl::kHold});
  EXPECT_EQ(Started(kNow), (Ids{2}));
  EXPECT_EQ(RuleOf(1), GateRule::kHeld);
  EXPECT_FALSE(engine_->state().FindLive(1));
  EXPECT_FALSE(engine_->state().idle());
  Report(2, JobPhase::kSucceeded, kNow + hours{1});
  EXPECT_EQ(Started(kNow + hours{30}), Ids{}) << "not even at its deadline";
  Apply(kNow + hours{31}, JobControlled{1, JobControl::kNone});
  EXPECT_EQ(Started(kNow + hours{31}), (Ids{1}));
}

TEST_F(EngineTest, HoldingARunningJobPausesItAndKeepsItsWork) {
  Make("run-now", 1);
  core::Job job = AJob(1).Submitted(kNow).Runs(hours{4});
  job.checkpointable = true;
  Submit(job);
  EXPECT_EQ(Started(kNow), (Ids{1}));
  Report(1, JobPhase::kRunning, kNow);
  Apply(kNow + hours{1}, JobControlled{1, JobControl::kHold});
  const Decision decision = engine_->Decide(kNow + hours{1});
  EXPECT_EQ(decision.commands, (std::vector<Command>{PauseJob{1, 1}}));
  Report(1, JobPhase::kPaused, kNow + hours{1});
  ASSERT_TRUE(engine_->state().FindHeld(1));
  EXPECT_EQ(engine_->state().FindHeld(1)->remaining, hours{3});
  EXPECT_EQ(Started(kNow + hours{2}), Ids{});
  EXPECT_EQ(RuleOf(1), GateRule::kHeld);
  Apply(kNow + hours{3}, JobControlled{1, JobControl::kNone});
  const Decision again = engine_->Decide(kNow + hours{3});
  EXPECT_EQ(again.commands, (std::vector<Command>{StartJob{1, 2, 0}}));
}

TEST_F(EngineTest, APersonPausesAJobBeforeItsMinimumSegmentIsOver) {
  MakeScripted(1);
  core::Job job = AJob(1).Submitted(kNow).Runs(hours{4}).Pausable();
  job.minimum_segment = hours{1};
  Submit(job);
  wants_ = {{1, true}};
  EXPECT_EQ(Started(kNow), (Ids{1}));
  Report(1, JobPhase::kRunning, kNow);
  wants_[1] = false;
  EXPECT_TRUE(engine_->Decide(kNow + minutes{5}).commands.empty()) << "no plan does";
  Apply(kNow + minutes{10}, JobControlled{1, JobControl::kHold});
  EXPECT_EQ(engine_->Decide(kNow + minutes{10}).commands, (std::vector<Command>{PauseJob{1, 1}}));
}

TEST_F(EngineTest, AJobThatLosesItsWorkByAPauseHasItAllToDoAndIsNotPausedAgain) {
  MakeScripted(1);
  Submit(AJob(1).Submitted(kNow).Runs(hours{4}).Pausable());
  wants_ = {{1, true}};
  EXPECT_EQ(Started(kNow), (Ids{1}));
  Report(1, JobPhase::kRunning, kNow);
  wants_[1] = false;
  EXPECT_EQ(engine_->Decide(kNow + hours{1}).commands, (std::vector<Command>{PauseJob{1, 1}}));
  Report(1, JobPhase::kStartFailed, kNow + hours{1});
  const LiveJob* live = engine_->state().FindLive(1);
  ASSERT_TRUE(live);
  EXPECT_EQ(live->remaining, hours{4}) << "its hour counts as lost";
  EXPECT_EQ(live->failed_starts, 0) << "it did start";
  EXPECT_EQ(live->stage, Stage::kPaused);
  wants_[1] = true;
  Submit(AJob(9).Submitted(kNow + hours{2}));  // a new job makes the policy plan
  EXPECT_EQ(Started(kNow + hours{2}), (Ids{1}));
  Report(1, JobPhase::kRunning, kNow + hours{2}, 2);
  wants_[1] = false;
  Submit(AJob(10).Submitted(kNow + hours{3}));
  EXPECT_TRUE(engine_->Decide(kNow + hours{3}).commands.empty());
}

TEST_F(EngineTest, AJobThatIsPausedBeforeItIsReadyCanBePausedAgain) {
  MakeScripted(1);
  Submit(AJob(1).Submitted(kNow).Runs(hours{4}).Pausable());
  wants_ = {{1, true}};
  EXPECT_EQ(Started(kNow), (Ids{1}));
  Report(1, JobPhase::kRunning, kNow);
  Apply(kNow, JobControlled{1, JobControl::kHold});
  engine_->Decide(kNow + std::chrono::seconds{1});
  Report(1, JobPhase::kStartFailed, kNow + std::chrono::seconds{1});
  const LiveJob* held = engine_->state().FindHeld(1);
  ASSERT_TRUE(held);
  EXPECT_TRUE(held->job.checkpointable);
  EXPECT_EQ(held->remaining, hours{4});
}

TEST_F(EngineTest, AProgramWithoutCheckpointsCannotBeHeldWhileItRuns) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow));
  EXPECT_EQ(Started(kNow), (Ids{1}));
  const auto refused = engine_->Apply({kNow, JobControlled{1, JobControl::kHold}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().Message().find("checkpoint"), std::string::npos);
}

TEST_F(EngineTest, AJobThatIsAskedForRunsBeforeAllOthersWhateverThePlan) {
  MakeScripted(1);
  wants_ = {{1, true}, {2, false}};
  Submit(AJob(1).Submitted(kNow));
  Submit(AJob(2).Submitted(kNow));
  Apply(kNow, JobControlled{2, JobControl::kNow});
  EXPECT_EQ(Started(kNow), (Ids{2}));
  EXPECT_EQ(RuleOf(2), GateRule::kAskedFor);
  Report(2, JobPhase::kRunning, kNow);
  EXPECT_TRUE(engine_->Decide(kNow + hours{1}).commands.empty()) << "and is not paused again";
}

TEST_F(EngineTest, AHeldJobCanBeCancelledAndControlsOfEndedOrUnknownJobsAreRefused) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow));
  Apply(kNow, JobControlled{1, JobControl::kHold});
  Apply(kNow, JobCancelled{1});
  EXPECT_EQ(engine_->state().ended.at(1).stage, Stage::kCancelled);
  EXPECT_FALSE(engine_->Apply({kNow, JobControlled{1, JobControl::kNow}}));
  EXPECT_FALSE(engine_->Apply({kNow, JobControlled{7, JobControl::kNow}}));
}

// Freezing -----------------------------------------------------------------------------------

TEST_F(EngineTest, AFrozenJobKeepsItsDevicesAndGoesOnThere) {
  MakeScripted(2);
  Submit(AJob(1).Submitted(kNow).Runs(hours{4}).Freezable());
  wants_ = {{1, true}};
  EXPECT_EQ(Started(kNow), (Ids{1}));
  Report(1, JobPhase::kRunning, kNow);
  wants_[1] = false;
  const Decision freeze = engine_->Decide(kNow + hours{1});
  ASSERT_EQ(freeze.commands.size(), 1u);
  EXPECT_EQ(std::get<PauseJob>(freeze.commands[0]), (PauseJob{1, 1}));
  Report(1, JobPhase::kFrozen, kNow + hours{1});
  EXPECT_EQ(engine_->state().FindLive(1)->stage, Stage::kPaused);
  EXPECT_EQ(engine_->state().FreeDevices(), (std::vector<int>{1}));
  EXPECT_EQ(engine_->state().FindLive(1)->remaining, hours{3});
  EXPECT_TRUE(engine_->Decide(kNow + hours{2}).commands.empty()) << "nobody waits";
  wants_[1] = true;
  Submit(AJob(9).Submitted(kNow + hours{9}).Runs(hours{1}));  // a new job makes the policy plan
  wants_[9] = false;
  const Decision go_on = engine_->Decide(kNow + hours{9});
  ASSERT_EQ(go_on.commands.size(), 1u);
  EXPECT_EQ(std::get<StartJob>(go_on.commands[0]), (StartJob{1, 1, 0})) << "the same attempt";
  Report(1, JobPhase::kRunning, kNow + hours{9});
  EXPECT_EQ(ExpectedEnd(*engine_->state().FindLive(1), engine_->state().cluster, kNow + hours{9}),
            kNow + hours{12});
  Report(1, JobPhase::kSucceeded, kNow + hours{12});
  EXPECT_EQ(engine_->state().FindEnded(1)->attempt, 1);
}

TEST_F(EngineTest, AFrozenJobGoesOnOnceSomebodyWaitsForItsDevices) {
  MakeScripted(1);
  Submit(AJob(1).Submitted(kNow).Runs(hours{4}).Freezable());
  wants_ = {{1, true}};
  Started(kNow);
  Report(1, JobPhase::kRunning, kNow);
  wants_[1] = false;
  engine_->Decide(kNow + hours{1});
  Report(1, JobPhase::kFrozen, kNow + hours{1});
  Submit(AJob(2).Submitted(kNow + hours{2}).Runs(hours{1}));
  wants_[2] = true;
  EXPECT_EQ(Started(kNow + hours{2}), (Ids{1})) << "job 2 is not placed beside it";
  EXPECT_EQ(RuleOf(2), GateRule::kNoFreeDevice);
  Report(1, JobPhase::kRunning, kNow + hours{2});
  EXPECT_TRUE(engine_->Decide(kNow + hours{3}).commands.empty()) << "not frozen again: 2 waits";
  Report(1, JobPhase::kSucceeded, kNow + hours{5});
  EXPECT_EQ(Started(kNow + hours{5}), (Ids{2}));
}

TEST_F(EngineTest, ADeadlineIsHeldAgainstFrozenDevices) {
  MakeScripted(1);
  Submit(AJob(1).Submitted(kNow).Runs(hours{4}).Freezable());
  wants_ = {{1, true}};
  Started(kNow);
  Report(1, JobPhase::kRunning, kNow);
  wants_[1] = false;
  engine_->Decide(kNow + hours{1});
  Report(1, JobPhase::kFrozen, kNow + hours{1});
  const Time now = kNow + hours{1};
  EXPECT_FALSE(engine_->Apply({now, JobSubmitted{AJob(2).Submitted(now).Within(hours{2})}}));
  EXPECT_TRUE(engine_->Apply({now, JobSubmitted{AJob(3).Submitted(now).Within(hours{4})}}));
}

TEST_F(EngineTest, APersonMayFreezeAndCancelWhateverWaits) {
  MakeScripted(1);
  Submit(AJob(1).Submitted(kNow).Runs(hours{4}).Freezable());
  Submit(AJob(2).Submitted(kNow).Runs(hours{1}));
  wants_ = {{1, true}, {2, true}};
  EXPECT_EQ(Started(kNow), (Ids{1}));
  Report(1, JobPhase::kRunning, kNow);
  Apply(kNow, JobControlled{1, JobControl::kHold});
  const Decision freeze = engine_->Decide(kNow + minutes{1});
  ASSERT_EQ(freeze.commands.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<PauseJob>(freeze.commands[0]));
  Report(1, JobPhase::kFrozen, kNow + minutes{1});
  EXPECT_TRUE(engine_->Decide(kNow + hours{1}).commands.empty());
  EXPECT_EQ(RuleOf(1), GateRule::kHeld);
  Apply(kNow + hours{1}, JobCancelled{1});
  const Decision cancel = engine_->Decide(kNow + hours{1});
  ASSERT_EQ(cancel.commands.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<CancelJob>(cancel.commands[0]));
  Report(1, JobPhase::kCancelled, kNow + hours{1});
  EXPECT_EQ(Started(kNow + hours{1}), (Ids{2}));
}

TEST_F(EngineTest, WhatALifeMissedOfAFrozenJobIsMadeGood) {
  MakeScripted(1);
  Submit(AJob(1).Submitted(kNow).Runs(hours{4}).Freezable());
  wants_ = {{1, true}};
  Started(kNow);
  Report(1, JobPhase::kRunning, kNow);
  const JobReport frozen{1, 1, JobPhase::kFrozen, 0, kNow + hours{1}, 0, ""};
  EXPECT_TRUE(engine_->Differs({{frozen}}));
  Apply(kNow + hours{1}, ExecutorObserved{{frozen}});
  EXPECT_FALSE(engine_->Differs({{frozen}})) << "no news";
  EXPECT_EQ(Started(kNow + hours{1}), (Ids{1}));
  // The service was killed before it could let the program go on.
  EXPECT_TRUE(engine_->Differs({{frozen}}));
  Apply(kNow + hours{2}, ExecutorObserved{{frozen}});
  EXPECT_EQ(Started(kNow + hours{2}), (Ids{1}));
}

// An executor that knows only what it was told. Under every policy, attempts that have not ended
// never use more devices than there are.
class Freezing : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Policies, Freezing,
                         ::testing::Values("run-now", "threshold", "lowest-slots", "planner"));

TEST_P(Freezing, NothingIsPlacedOnTakenDevices) {
  int frozen = 0, gone_on = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    Engine engine({}, *plan::MakePolicy(GetParam(), {}));
    ASSERT_TRUE(engine.Apply({kNow, ClusterChanged{testing::ClusterOf(3)}}));
    std::map<core::JobId, std::pair<int, int>> held;  // attempt and devices of each job
    Time now = kNow;
    for (int step = 0; step < 150; ++step, now += minutes{20}) {
      if (step % 3 == 0)
        std::ignore =
            engine.Apply({now, SignalObserved{0, RandomView(now, random), now + hours{1}}});
      if (random.Below(6) == 0) {
        AJob job(step + 1);
        job.Submitted(now).Runs(minutes{30 + static_cast<int>(random.Below(300))});
        job.Wide(1 + static_cast<int>(random.Below(2)));
        if (random.Below(4) != 0) job.Freezable();
        core::Job submitted = job;
        submitted.threshold = Intensity{200};
        std::ignore = engine.Apply({now, JobSubmitted{submitted}});
      }
      const Decision decision = engine.Decide(now);
      for (const Command& command : decision.commands) {
        if (const auto* start = std::get_if<StartJob>(&command)) {
          const auto known = held.find(start->job);
          if (known != held.end()) {
            EXPECT_EQ(known->second.first, start->attempt);
          }
          gone_on += known != held.end();
          held[start->job] = {start->attempt, engine.state().FindLive(start->job)->job.devices};
          EXPECT_TRUE(engine.Apply({now, JobReport{start->job, start->attempt, JobPhase::kRunning,
                                                   start->pool, now, 0, ""}}));
        } else if (const auto* pause = std::get_if<PauseJob>(&command)) {
          ++frozen;
          EXPECT_TRUE(engine.Apply(
              {now, JobReport{pause->job, pause->attempt, JobPhase::kFrozen, 0, now, 0, ""}}));
        }
      }
      int taken = 0;
      for (const auto& [job, what] : held) taken += what.second;
      EXPECT_LE(taken, 3);
      EXPECT_EQ(engine.state().FreeDevices(), (std::vector<int>{3 - taken}));
      for (std::size_t i = engine.state().live.size(); i-- > 0;) {
        const LiveJob& live = *engine.state().live[i];
        const auto end = ExpectedEnd(live, engine.state().cluster, now);
        if (live.stage != Stage::kRunning || (end && *end > now)) continue;
        const core::JobId id = live.job.id;
        ASSERT_TRUE(
            engine.Apply({now, JobReport{id, live.attempt, JobPhase::kSucceeded, 0, now, 0, ""}}));
        held.erase(id);
      }
    }
  }
  if (std::string(GetParam()) != "run-now") {
    EXPECT_GT(frozen, 0);
    EXPECT_GT(gone_on, 0);
  }
}

}  // namespace
}  // namespace ebb::engine
