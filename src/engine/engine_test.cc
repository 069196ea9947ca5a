#include "engine/engine.h"

#include <gtest/gtest.h>

#include <map>

#include "engine/random_life_for_test.h"
#include "plan/make_policy.h"
#include "testing/builders.h"

namespace ebb::engine {
namespace {

using core::GateRule;
using std::chrono::hours;
using std::chrono::minutes;
using testing::AJob;

const Time kNow = *ParseTime("2023-05-01");

// Wants whatever the test says: run now where `wants` is true.
class Scripted final : public plan::Policy {
 public:
  Scripted(const std::map<core::JobId, bool>& wants, const std::optional<Intensity>& current)
      : wants_(wants), current_(current) {}
  std::string_view name() const override { return "scripted"; }
  void Update(const plan::Problem& problem, const plan::Change&,
              plan::Schedule& schedule) const override {
    for (std::size_t i = 0; i < problem.jobs.size(); ++i) {
      const core::JobId id = problem.jobs[i].job->id;
      schedule.jobs[i].job = id;
      schedule.jobs[i].run_now = wants_.contains(id) && wants_.at(id);
      schedule.jobs[i].current = current_;
    }
  }

 private:
  const std::map<core::JobId, bool>& wants_;
  const std::optional<Intensity>& current_;
};

class EngineTest : public ::testing::Test {
 protected:
  void Make(const std::string& policy, int devices, Options options = {}) {
    engine_ = std::make_unique<Engine>(options, *plan::MakePolicy(policy, {}));
    Apply(kNow, ClusterChanged{testing::ClusterOf(devices)});
  }
  void MakeScripted(int devices, Options options = {}) {
    engine_ = std::make_unique<Engine>(options, std::make_unique<Scripted>(wants_, current_));
    Apply(kNow, ClusterChanged{testing::ClusterOf(devices)});
  }
  void Apply(Time at, Fact fact) {
    const auto taken = engine_->Apply({at, std::move(fact)});
    EXPECT_TRUE(taken) << taken.error().Message();
  }
  void Submit(const core::Job& job) { Apply(job.submitted, JobSubmitted{job}); }
  void Report(core::JobId job, JobPhase phase, Time at, int attempt = 1) {
    Apply(at, JobReport{job, attempt, phase, 0, at, 0, ""});
  }
  // The ids that a decision starts.
  std::vector<core::JobId> Started(Time at) {
    std::vector<core::JobId> ids;
    for (const Command& command : engine_->Decide(at).commands)
      if (const auto* start = std::get_if<StartJob>(&command)) ids.push_back(start->job);
    return ids;
  }
  GateRule RuleOf(core::JobId job) { return engine_->Explain(job)->rule; }

  std::map<core::JobId, bool> wants_;
  std::optional<Intensity> current_;  // as the plans say
  std::unique_ptr<Engine> engine_;
};

using Ids = std::vector<core::JobId>;

TEST_F(EngineTest, ReleasesNoMoreThanFitsAndSaysWhenTheRestIsExpected) {
  Make("run-now", 2);
  for (core::JobId id : {1, 2, 3, 4}) Submit(AJob(id).Submitted(kNow).Runs(hours{id}));
  EXPECT_EQ(Started(kNow), (Ids{1, 2}));
  EXPECT_EQ(RuleOf(3), GateRule::kBehindPriority);
  EXPECT_EQ(engine_->Explain(3)->expected_start, kNow + hours{1});
  EXPECT_EQ(engine_->Explain(4)->expected_start, kNow + hours{2});
}

TEST_F(EngineTest, StartsAGangWholeOrNotAtAllAndFillsTheGapBehindIt) {
  Make("run-now", 4);
  Submit(AJob(1).Submitted(kNow).Wide(3));
  Submit(AJob(2).Submitted(kNow).Wide(2));
  Submit(AJob(3).Submitted(kNow).Wide(1));
  EXPECT_EQ(Started(kNow), (Ids{1, 3}));
  EXPECT_EQ(RuleOf(2), GateRule::kBehindPriority);
}

TEST_F(EngineTest, KeepsDevicesForAWideJobThatMustStart) {
  Make("run-now", 4);
  Submit(AJob(1).Submitted(kNow).Wide(2).Runs(hours{2}));
  EXPECT_EQ(Started(kNow), (Ids{1}));
  Submit(AJob(2).Submitted(kNow).Wide(4).Within(hours{24}));
  Submit(AJob(3).Submitted(kNow).Runs(hours{30}).Within(hours{72}));
  EXPECT_EQ(Started(kNow + minutes{1}), (Ids{3})) << "job 2 need not start yet: others pass";
  Report(1, JobPhase::kSucceeded, kNow + hours{2});
  const Time late = kNow + hours{24};
  Submit(AJob(4).Submitted(late).Runs(hours{1}).Within(hours{72}));
  Submit(AJob(5).Submitted(late).Runs(hours{20}).Within(hours{72}));
  EXPECT_EQ(Started(late), (Ids{4})) << "job 4 is gone before job 3, job 5 is not";
  EXPECT_EQ(RuleOf(2), GateRule::kNoFreeDevice);
  EXPECT_EQ(RuleOf(5), GateRule::kDevicesReserved);
}

TEST_F(EngineTest, HoldsThePowerRampAndNobodyPasses) {
  Options options;
  options.ramp_limit_per_5_minutes = Power{250};
  Make("run-now", 8, options);
  Submit(AJob(1).Submitted(kNow).Draws(200));
  Submit(AJob(2).Submitted(kNow).Draws(100));
  Submit(AJob(3).Submitted(kNow).Draws(10));
  const Decision decision = engine_->Decide(kNow);
  EXPECT_EQ(decision.commands.size(), 1u);
  EXPECT_EQ(RuleOf(3), GateRule::kRampLimit);
  EXPECT_EQ(decision.wake_at, kNow + minutes{5});
  EXPECT_EQ(Started(decision.wake_at), (Ids{2, 3}));
}

TEST_F(EngineTest, TakesThePoolWithTheFewestGrams) {
  Make("run-now", 1);
  core::Cluster cluster = testing::ClusterOf(1);
  cluster.pools.push_back({"frugal", 0, 1, 0.95, 0.55, {}});
  Apply(kNow, ClusterChanged{cluster});
  Submit(AJob(1).Submitted(kNow));
  Submit(AJob(2).Submitted(kNow));
  const Decision decision = engine_->Decide(kNow);
  EXPECT_EQ(decision.commands[0], Command(StartJob{1, 1, 1}));
  EXPECT_EQ(decision.commands[1], Command(StartJob{2, 1, 0}));
}

TEST_F(EngineTest, RefusesWhatCanNeverRunAndTakesASubmissionOnce) {
  Make("run-now", 2);
  EXPECT_FALSE(engine_->Apply({kNow, JobSubmitted{AJob(1).Submitted(kNow).Wide(3)}}));
  EXPECT_FALSE(engine_->Apply({kNow, JobSubmitted{AJob(2).Submitted(kNow).Runs(hours{0})}}));
  EXPECT_TRUE(engine_->state().idle()) << "nothing is half-applied";
  Submit(AJob(3).Submitted(kNow));
  Submit(AJob(3).Submitted(kNow));
  EXPECT_EQ(engine_->state().live.size(), 1u);
  EXPECT_FALSE(engine_->Apply({kNow, JobCancelled{77}}));
}

TEST_F(EngineTest, DuplicateAndLateReportsChangeNothing) {
  MakeScripted(1);
  wants_[1] = true;
  Submit(AJob(1).Submitted(kNow).Runs(hours{4}).Pausable());
  Started(kNow);
  Report(1, JobPhase::kRunning, kNow);
  Report(1, JobPhase::kPaused, kNow + hours{1});
  Report(1, JobPhase::kPaused, kNow + hours{1});
  Report(1, JobPhase::kRunning, kNow);
  EXPECT_EQ(engine_->state().live[0]->stage, Stage::kPaused);
  EXPECT_EQ(engine_->state().live[0]->pauses, 1);
  EXPECT_EQ(engine_->state().live[0]->remaining, hours{3});
  EXPECT_EQ(Started(kNow + hours{2}), (Ids{1}));
  Report(1, JobPhase::kSucceeded, kNow + hours{2}, 1);
  EXPECT_FALSE(engine_->state().idle()) << "an old attempt ends nothing";
  Report(1, JobPhase::kSucceeded, kNow + hours{5}, 2);
  Report(1, JobPhase::kSucceeded, kNow + hours{5}, 2);
  EXPECT_EQ(engine_->state().ended.at(1).stage, Stage::kSucceeded);
  EXPECT_EQ(engine_->Explain(1)->stage, Stage::kSucceeded);
}

TEST_F(EngineTest, GivesAStartAgainThatTheExecutorDoesNotKnow) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow));
  Started(kNow);
  Apply(kNow + minutes{1}, ExecutorObserved{});
  const Decision again = engine_->Decide(kNow + minutes{1});
  ASSERT_EQ(again.commands.size(), 1u);
  EXPECT_EQ(again.commands[0], Command(StartJob{1, 1, 0})) << "the same attempt";
  Apply(kNow + minutes{2}, ExecutorObserved{});
  EXPECT_TRUE(Started(kNow + minutes{2}).empty());
  EXPECT_EQ(RuleOf(1), GateRule::kRetryLater) << "it vanished: a new attempt, a little later";
  EXPECT_EQ(engine_->Decide(kNow + minutes{3}).commands.at(0), Command(StartJob{1, 2, 0}));
}

TEST_F(EngineTest, ALifeThatEndedBeforeItCouldStartAJobCountsForNothing) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow));
  Started(kNow);
  ExecutorObserved begun;
  begun.first_look = true;
  for (int life = 1; life <= 3; ++life) {
    const Time now = kNow + minutes{life};
    EXPECT_TRUE(engine_->Differs(begun));
    Apply(now, begun);
    EXPECT_EQ(engine_->Decide(now).commands.at(0), Command(StartJob{1, 1, 0})) << "life " << life;
  }
  Apply(kNow + minutes{4}, ExecutorObserved{});
  EXPECT_TRUE(Started(kNow + minutes{4}).empty());
  EXPECT_EQ(RuleOf(1), GateRule::kRetryLater) << "the third life did tell the executor";
}

TEST_F(EngineTest, ALostAttemptHasDoneNothing) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow).Runs(hours{4}));
  Started(kNow);
  Report(1, JobPhase::kRunning, kNow);
  const ExecutorObserved running{{{1, 1, JobPhase::kRunning, 0, kNow, 0, ""}}};
  EXPECT_FALSE(engine_->Differs(running));
  EXPECT_TRUE(engine_->Differs(ExecutorObserved{}));
  Apply(kNow + hours{3}, ExecutorObserved{});
  EXPECT_EQ(engine_->state().live[0]->remaining, hours{4});
  EXPECT_EQ(engine_->state().live[0]->stage, Stage::kWaiting);
}

TEST_F(EngineTest, FailedStartsAreRetriedWithBackOffAndThenFail) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow));
  Time now = kNow;
  for (const int minutes_later : {1, 2, 4}) {
    ASSERT_EQ(Started(now), (Ids{1}));
    const int attempt = engine_->state().live[0]->attempt;
    Report(1, JobPhase::kStartFailed, now, attempt);
    const Decision decision = engine_->Decide(now);
    EXPECT_TRUE(decision.commands.empty());
    EXPECT_EQ(decision.wake_at, now + minutes{minutes_later});
    now = decision.wake_at;
  }
  ASSERT_EQ(Started(now), (Ids{1}));
  Report(1, JobPhase::kStartFailed, now, 4);
  EXPECT_EQ(engine_->state().ended.at(1).stage, Stage::kFailed);
  EXPECT_NE(engine_->state().ended.at(1).detail.find("could not be started"), std::string::npos);
}

TEST_F(EngineTest, AJobThatOnlyPausesThoughNobodyAskedFails) {
  Options options;
  options.unasked_pauses = 3;
  Make("run-now", 1, options);
  Submit(AJob(1).Submitted(kNow).Runs(hours{10}).Pausable());
  for (int attempt = 1; attempt <= 3; ++attempt) {
    const Time now = kNow + minutes{attempt};
    ASSERT_EQ(Started(now), (Ids{1})) << "attempt " << attempt;
    Report(1, JobPhase::kRunning, now, attempt);
    Report(1, JobPhase::kPaused, now, attempt);
  }
  const EndedJob* ended = engine_->state().FindEnded(1);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->stage, Stage::kFailed);
  EXPECT_NE(ended->detail.find("paused 3 times in a row without being asked"), std::string::npos);
}

TEST_F(EngineTest, AJobThatPausesByItselfAfterEveryPartOfItsWorkGoesOn) {
  Options options;
  options.unasked_pauses = 3;
  Make("run-now", 1, options);
  Submit(AJob(1).Submitted(kNow).Runs(hours{10}).Pausable());
  for (int attempt = 1; attempt <= 9; ++attempt) {
    const Time begin = kNow + hours{attempt};
    ASSERT_EQ(Started(begin), (Ids{1})) << "attempt " << attempt;
    Report(1, JobPhase::kRunning, begin, attempt);
    Report(1, JobPhase::kPaused, begin + hours{1}, attempt);
  }
  EXPECT_EQ(Started(kNow + hours{10}), (Ids{1}));
}

TEST_F(EngineTest, PausesThatWereAskedForAreNotCounted) {
  Options options;
  options.unasked_pauses = 2;
  MakeScripted(1, options);
  Submit(AJob(1).Submitted(kNow).Runs(hours{10}).Pausable());
  for (int attempt = 1; attempt <= 5; ++attempt) {
    const Time now = kNow + minutes{attempt};
    wants_[1] = true;
    engine_->Decide(now);
    Report(1, JobPhase::kRunning, now, attempt);
    if (attempt % 2 == 0) {
      wants_[1] = false;
      engine_->Decide(now);
      Report(1, JobPhase::kPaused, now, attempt);
    } else {  // it ended with the executor
      Apply(now, ExecutorObserved{{{1, attempt, JobPhase::kPaused, 0, now, 0, ""}}});
    }
    Apply(now, Tick{});
  }
  EXPECT_EQ(engine_->state().live.at(0)->pauses, 5);
}

TEST_F(EngineTest, PausesNotBeforeTheMinimumSegment) {
  MakeScripted(1);
  wants_[1] = true;
  Submit(AJob(1).Submitted(kNow).Runs(hours{4}).Pausable(minutes{1}, minutes{30}));
  Started(kNow);
  Report(1, JobPhase::kRunning, kNow);
  wants_[1] = false;
  Decision decision = engine_->Decide(kNow + minutes{10});
  EXPECT_TRUE(decision.commands.empty());
  EXPECT_EQ(decision.wake_at, kNow + minutes{30});
  decision = engine_->Decide(decision.wake_at);
  EXPECT_EQ(decision.commands.at(0), Command(PauseJob{1, 1}));
  EXPECT_TRUE(engine_->Decide(kNow + minutes{31}).commands.empty()) << "told once";
}

TEST_F(EngineTest, CancelsWaitingJobsAtOnceAndRunningOnesThroughTheExecutor) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow));
  Submit(AJob(2).Submitted(kNow));
  Started(kNow);
  Apply(kNow, JobCancelled{2, "not wanted"});
  EXPECT_EQ(engine_->state().ended.at(2).stage, Stage::kCancelled);
  EXPECT_EQ(engine_->state().ended.at(2).detail, "not wanted");
  Apply(kNow, JobCancelled{1, "fell behind"});
  Apply(kNow, JobCancelled{1, "again"});
  EXPECT_EQ(engine_->Decide(kNow).commands.at(0), Command(CancelJob{1, 1}));
  Report(1, JobPhase::kCancelled, kNow);
  EXPECT_TRUE(engine_->state().idle());
  EXPECT_EQ(engine_->state().ended.at(1).detail, "fell behind") << "the first reason";
}

TEST_F(EngineTest, OnlyChangedExplanationsAreInADecision) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow));
  EXPECT_EQ(engine_->Decide(kNow).explanations.at(0).stage, Stage::kStarting);
  EXPECT_EQ(engine_->Decide(kNow).explanations.at(0).rule, GateRule::kRunning);
  EXPECT_TRUE(engine_->Decide(kNow).explanations.empty());
}

TEST_F(EngineTest, WhatCanStartDoesNotWaitUntilTheRestOfALongQueueIsExplained) {
  MakeScripted(2);
  for (core::JobId id = 1; id <= 200; ++id) Submit(AJob(id).Submitted(kNow));
  EXPECT_EQ(engine_->Decide(kNow).explanations.size(), 200u) << "nothing starts";
  wants_[7] = wants_[9] = true;
  current_ = Intensity{100};
  Random random(1);
  Apply(kNow + hours{1}, SignalObserved{0, RandomView(kNow + hours{1}, random), Time::max()});
  const Decision starts = engine_->Decide(kNow + hours{1});
  EXPECT_EQ(starts.commands.size(), 2u);
  ASSERT_EQ(starts.explanations.size(), 2u);
  EXPECT_EQ(starts.explanations[0].job, 7);
  EXPECT_EQ(starts.wake_at, kNow + hours{1}) << "the rest follows at once";
  const Decision rest = engine_->Decide(kNow + hours{1});
  EXPECT_TRUE(rest.commands.empty());
  EXPECT_EQ(rest.explanations.size(), 198u);
  EXPECT_GT(rest.wake_at, kNow + hours{1});
  EXPECT_TRUE(engine_->Decide(kNow + hours{1}).explanations.empty());
}

TEST(SentenceTest, SaysWhatAndWhenWithNumbers) {
  Explanation e;
  e.rule = GateRule::kCleanerLater;
  e.current = Intensity{312};
  e.expected = Intensity{141};
  e.expected_start = kNow + hours{11};
  e.expected_end = kNow + hours{13};
  e.start_by = kNow + hours{22};
  EXPECT_EQ(Sentence(e),
            "waiting: 312 g/kWh now, 141 g/kWh expected 2023-05-01 11:00-13:00; must start by "
            "2023-05-01T22:00:00Z");
  e.stage = Stage::kRunning;
  EXPECT_EQ(Sentence(e), "running: 312 g/kWh now, expected to end 2023-05-01 13:00");
  e.stage = Stage::kPaused;
  e.rule = GateRule::kNoFreeDevice;
  EXPECT_EQ(Sentence(e),
            "paused: the devices are taken, 141 g/kWh expected 2023-05-01 11:00-13:00; must go on "
            "by 2023-05-01T22:00:00Z");
}

// What people want ------------------------------------------------------------------------

TEST_F(EngineTest, AHeldJobIsInNoPlanUntilItIsResumed) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow));
  Submit(AJob(2).Submitted(kNow));
  Apply(kNow, JobWished{1, Wish::kHold});
  EXPECT_EQ(Started(kNow), (Ids{2}));
  EXPECT_EQ(RuleOf(1), GateRule::kHeld);
  EXPECT_FALSE(engine_->state().FindLive(1));
  EXPECT_FALSE(engine_->state().idle());
  Report(2, JobPhase::kSucceeded, kNow + hours{1});
  EXPECT_EQ(Started(kNow + hours{30}), Ids{}) << "not even at its deadline";
  Apply(kNow + hours{31}, JobWished{1, Wish::kNone});
  EXPECT_EQ(Started(kNow + hours{31}), (Ids{1}));
}

TEST_F(EngineTest, HoldingARunningJobPausesItAndKeepsItsWork) {
  Make("run-now", 1);
  core::Job job = AJob(1).Submitted(kNow).Runs(hours{4});
  job.pausable = true;
  Submit(job);
  EXPECT_EQ(Started(kNow), (Ids{1}));
  Report(1, JobPhase::kRunning, kNow);
  Apply(kNow + hours{1}, JobWished{1, Wish::kHold});
  const Decision decision = engine_->Decide(kNow + hours{1});
  EXPECT_EQ(decision.commands, (std::vector<Command>{PauseJob{1, 1}}));
  Report(1, JobPhase::kPaused, kNow + hours{1});
  ASSERT_TRUE(engine_->state().FindHeld(1));
  EXPECT_EQ(engine_->state().FindHeld(1)->remaining, hours{3});
  EXPECT_EQ(Started(kNow + hours{2}), Ids{});
  EXPECT_EQ(RuleOf(1), GateRule::kHeld);
  Apply(kNow + hours{3}, JobWished{1, Wish::kNone});
  const Decision again = engine_->Decide(kNow + hours{3});
  EXPECT_EQ(again.commands, (std::vector<Command>{StartJob{1, 2, 0}}));
}

TEST_F(EngineTest, AProgramWithoutCheckpointsCannotBeHeldWhileItRuns) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow));
  EXPECT_EQ(Started(kNow), (Ids{1}));
  const auto refused = engine_->Apply({kNow, JobWished{1, Wish::kHold}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().Message().find("checkpoint"), std::string::npos);
}

TEST_F(EngineTest, AJobThatIsAskedForRunsBeforeAllOthersWhateverThePlan) {
  MakeScripted(1);
  wants_ = {{1, true}, {2, false}};
  Submit(AJob(1).Submitted(kNow));
  Submit(AJob(2).Submitted(kNow));
  Apply(kNow, JobWished{2, Wish::kNow});
  EXPECT_EQ(Started(kNow), (Ids{2}));
  EXPECT_EQ(RuleOf(2), GateRule::kAskedFor);
  Report(2, JobPhase::kRunning, kNow);
  EXPECT_TRUE(engine_->Decide(kNow + hours{1}).commands.empty()) << "and is not paused again";
}

TEST_F(EngineTest, AHeldJobCanBeCancelledAndWishesForEndedOrUnknownJobsAreRefused) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow));
  Apply(kNow, JobWished{1, Wish::kHold});
  Apply(kNow, JobCancelled{1});
  EXPECT_EQ(engine_->state().ended.at(1).stage, Stage::kCancelled);
  EXPECT_FALSE(engine_->Apply({kNow, JobWished{1, Wish::kNow}}));
  EXPECT_FALSE(engine_->Apply({kNow, JobWished{7, Wish::kNow}}));
}

TEST_F(EngineTest, EndedJobsAreForgottenOnceTheirEndWasTold) {
  Make("run-now", 3);
  for (core::JobId id : {1, 2, 3}) Submit(AJob(id).Submitted(kNow));
  engine_->Decide(kNow);
  for (core::JobId id : {1, 2, 3}) Report(id, JobPhase::kRunning, kNow);
  Report(1, JobPhase::kSucceeded, kNow + hours{1});
  engine_->Decide(kNow + hours{1});
  Report(2, JobPhase::kSucceeded, kNow + hours{2});
  Apply(kNow + hours{3}, EndedForgotten{kNow + hours{3}});
  EXPECT_FALSE(engine_->Explain(1));
  ASSERT_TRUE(engine_->Explain(2)) << "nobody has heard of its end";
  const Decision decision = engine_->Decide(kNow + hours{3});
  ASSERT_EQ(decision.explanations.size(), 1u);
  EXPECT_EQ(decision.explanations[0].stage, Stage::kSucceeded);
  Apply(kNow + hours{4}, EndedForgotten{kNow + hours{3}});
  EXPECT_FALSE(engine_->Explain(2));
  EXPECT_TRUE(engine_->state().FindLive(3));
  EXPECT_FALSE(engine_->Apply({kNow + hours{4}, JobWished{1, Wish::kHold}}));
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
  Submit(AJob(9).Submitted(kNow + hours{9}).Runs(hours{1}));  // news for the policy
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
  Apply(kNow, JobWished{1, Wish::kHold});
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

// An executor that knows nothing but what it was told, under every kind of policy: the devices of
// attempts that have not ended are never more than there are.
class Freezing : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Policies, Freezing,
                         ::testing::Values("run-now", "threshold", "lowest-slots", "planner"));

TEST_P(Freezing, NothingIsPlacedOnTakenDevices) {
  int frozen = 0, gone_on = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    Engine engine({}, *plan::MakePolicy(GetParam(), {}));
    ASSERT_TRUE(engine.Apply({kNow, ClusterChanged{testing::ClusterOf(3)}}));
    std::map<core::JobId, std::pair<int, int>> held;  // attempt, devices
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
