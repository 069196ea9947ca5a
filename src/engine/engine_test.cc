#include "engine/admission.h"
#include "engine/engine_for_test.h"
#include "engine/journal_json.h"
#include "engine/random_life_for_test.h"

namespace ebb::engine {
namespace {

using core::GateRule;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::AJob;

TEST_F(EngineTest, ReleasesNoMoreThanFitsAndSaysWhenTheRestIsExpected) {
  Make("run-now", 2);
  for (core::JobId id : {1, 2, 3, 4}) Submit(AJob(id).Submitted(kNow).Runs(hours{id}));
  EXPECT_EQ(Started(kNow), (Ids{1, 2}));
  EXPECT_EQ(RuleOf(3), GateRule::kBehindPriority);
  EXPECT_EQ(engine_->Explain(3)->reason.start, kNow + hours{1});
  EXPECT_EQ(engine_->Explain(4)->reason.start, kNow + hours{2});
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

TEST_F(EngineTest, StartsManyInSeveralDecisionsAtOneMoment) {
  Options options;
  options.most_starts = 2;
  Make("run-now", 4, options);
  for (core::JobId id = 1; id <= 6; ++id) Submit(AJob(id).Submitted(kNow - minutes{id}));
  EXPECT_EQ(Started(kNow), (Ids{6, 5})) << "the first in order";
  EXPECT_EQ(RuleOf(1), GateRule::kRunNow) << "nobody has looked whether it finds a device";
  const Decision next = engine_->Decide(kNow);
  EXPECT_EQ(next.commands.size(), 2u);
  EXPECT_EQ(next.wake_at, kNow) << "whether there are more is not known yet";
  const Decision last = engine_->Decide(kNow);
  EXPECT_TRUE(last.commands.empty());
  EXPECT_GT(last.wake_at, kNow);
  EXPECT_EQ(RuleOf(1), GateRule::kNoFreeDevice);
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
  EXPECT_FALSE(engine_->Apply({kNow, JobSubmitted{AJob(1).Submitted(kNow).Wide(0)}}));
  EXPECT_FALSE(engine_->Apply({kNow, JobSubmitted{AJob(2).Submitted(kNow).Runs(hours{0})}}));
  EXPECT_TRUE(engine_->state().idle()) << "nothing is half-applied";
  Submit(AJob(3).Submitted(kNow));
  Submit(AJob(3).Submitted(kNow));
  EXPECT_EQ(engine_->state().live.size(), 1u);
  EXPECT_FALSE(engine_->Apply({kNow, JobCancelled{77}}));
}

// Devices come and go. Under every policy, a job waits for the devices that it needs.
TEST_F(EngineTest, AJobThatIsTooWideForNowWaitsForItsDevices) {
  for (const std::string& policy : plan::PolicyNames()) {
    SCOPED_TRACE(policy);
    for (const int before : {0, 1}) {
      Make(policy, before);
      Random random(1);
      Apply(kNow, SignalObserved{0, RandomView(kNow, random), kNow + hours{1}});
      Submit(AJob(1).Submitted(kNow).Wide(2));
      Submit(AJob(2).Submitted(kNow).Wide(2).Within(hours{1}));
      Submit(AJob(3).Submitted(kNow).Wide(2).Pausable());
      EXPECT_EQ(Started(kNow), Ids{});
      EXPECT_EQ(Started(kNow + hours{2}), Ids{}) << "nor later, when it must start";
      Apply(kNow + hours{2}, ClusterChanged{testing::ClusterOf(6)});
      EXPECT_FALSE(Started(kNow + hours{40}).empty());
      // The devices go away under running jobs. The jobs go on, and no other job starts.
      Apply(kNow + hours{40}, ClusterChanged{testing::ClusterOf(0)});
      EXPECT_EQ(Started(kNow + hours{41}), Ids{});
    }
  }
  engine_ = std::make_unique<Engine>(Options{}, *plan::MakePolicy("planner", {}));
  core::Cluster none = testing::ClusterOf(1);
  none.pools.clear();
  Apply(kNow, ClusterChanged{none});
  Submit(AJob(1).Submitted(kNow));
  EXPECT_EQ(Started(kNow), Ids{}) << "nobody knows yet what there is";
  Apply(kNow + hours{1}, ClusterChanged{testing::ClusterOf(1)});
  EXPECT_EQ(engine_->state().live.size(), 1u);
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

// A disk that is full for a night must not fail any job.
TEST_F(EngineTest, WhatTheMachineCannotStartIsTriedAgainForEver) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow));
  Time now = kNow;
  for (int attempt = 1; attempt <= 500; ++attempt) {
    ASSERT_EQ(Started(now), (Ids{1})) << "attempt " << attempt;
    Apply(now, JobReport{1, attempt, JobPhase::kStartFailed, 0, now, 75, "disk full", true});
    const Decision decision = engine_->Decide(now);
    EXPECT_TRUE(decision.commands.empty());
    EXPECT_EQ(decision.wake_at, now + minutes{1});
    now = decision.wake_at;
  }
  ASSERT_EQ(Started(now), (Ids{1}));
  Report(1, JobPhase::kRunning, now, 501);
  Report(1, JobPhase::kSucceeded, now + hours{1}, 501);
  EXPECT_EQ(engine_->state().ended.at(1).stage, Stage::kSucceeded);
}

// A machine that restarts once a week must not use up the retries of failed starts.
TEST_F(EngineTest, AnAttemptThatRanAndWasEndedFromOutsideIsNoFailedStart) {
  Options options;
  options.unasked_pauses = 10;
  Make("run-now", 1, options);
  Submit(AJob(1).Submitted(kNow).Runs(hours{100}));
  Time now = kNow;
  for (int attempt = 1; attempt <= 9; ++attempt) {
    ASSERT_EQ(Started(now), (Ids{1})) << "attempt " << attempt;
    Report(1, JobPhase::kRunning, now, attempt);
    now += hours{50};
    Report(1, JobPhase::kStartFailed, now, attempt);
    const Decision decision = engine_->Decide(now);
    EXPECT_TRUE(decision.commands.empty());
    EXPECT_EQ(decision.wake_at, now + minutes{1}) << "it does not wait longer each time";
    now = decision.wake_at;
  }
  ASSERT_EQ(Started(now), (Ids{1}));
  Report(1, JobPhase::kRunning, now, 10);
  Report(1, JobPhase::kStartFailed, now + hours{50}, 10);
  EXPECT_EQ(engine_->state().ended.at(1).stage, Stage::kFailed) << "not for ever";
  EXPECT_NE(engine_->state().ended.at(1).detail.find("(10 times)"), std::string::npos);
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
    } else {  // the attempt ended together with the executor
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
  decision = engine_->Decide(kNow + minutes{30} - milliseconds{400});
  EXPECT_EQ(decision.wake_at, kNow + minutes{30}) << "not later, where little time is left";
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
  EXPECT_EQ(engine_->Decide(kNow).explanations.at(0).reason.rule, GateRule::kRunning);
  EXPECT_TRUE(engine_->Decide(kNow).explanations.empty());
}

TEST_F(EngineTest, WhatCanStartDoesNotWaitUntilTheRestOfALongQueueIsExplained) {
  MakeScripted(2);
  for (core::JobId id = 1; id <= 200; ++id) Submit(AJob(id).Submitted(kNow));
  const Decision first = engine_->Decide(kNow);
  EXPECT_EQ(first.explanations.size() + first.restated.size(), 200u) << "nothing starts";
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
  EXPECT_TRUE(rest.explanations.empty()) << "they wait on as before";
  EXPECT_EQ(rest.restated.size(), 198u) << "for another value";
  EXPECT_LT(ToJsonLine(rest).size(), 200u) << "what is recorded does not grow with the queue";
  EXPECT_GT(rest.wake_at, kNow + hours{1});
  EXPECT_TRUE(engine_->Decide(kNow + hours{1}).explanations.empty());
}

TEST(SentenceTest, SaysWhatAndWhenWithNumbers) {
  Explanation e;
  e.reason.rule = GateRule::kCleanerLater;
  e.reason.current = Intensity{312};
  e.reason.expected = Intensity{141};
  e.reason.start = kNow + hours{11};
  e.reason.end = kNow + hours{13};
  e.reason.latest = kNow + hours{22};
  EXPECT_EQ(Sentence(e),
            "waiting: 312 g/kWh now, 141 g/kWh expected 2023-05-01 11:00-13:00; must start by "
            "2023-05-01 22:00");
  e.stage = Stage::kRunning;
  EXPECT_EQ(Sentence(e), "running: 312 g/kWh now, expected to end 2023-05-01 13:00");
  e.stage = Stage::kPaused;
  e.reason.rule = GateRule::kNoFreeDevice;
  EXPECT_EQ(Sentence(e),
            "paused: the devices are taken, 141 g/kWh expected 2023-05-01 11:00-13:00; must go on "
            "by 2023-05-01 22:00");
}

TEST(SentenceTest, WhatNoDecisionHasSeenDoesNotStart) {
  EXPECT_EQ(Sentence(Explanation{}), "waiting: it is not decided yet");
}

TEST(SentenceTest, AQueueAndOneRunSayTheSameOfARule) {
  for (const GateRule rule :
       {GateRule::kAboveThreshold, GateRule::kSignalMissing, GateRule::kForecastMissing,
        GateRule::kNoFreeDevice, GateRule::kRampLimit, GateRule::kPriceAboveThreshold}) {
    Explanation explanation;
    explanation.reason = {rule,           Intensity{312},   Intensity{141},
                          Intensity{200}, kNow + hours{11}, kNow + hours{13},
                          std::nullopt};
    core::GateDecision decision;
    decision.reason = explanation.reason;
    EXPECT_EQ(Sentence(explanation), "waiting: " + core::Sentence(decision) +
                                         ", 141 g/kWh expected 2023-05-01 11:00-13:00");
  }
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
  EXPECT_FALSE(engine_->Apply({kNow + hours{4}, JobControlled{1, JobControl::kHold}}));
}

class AdmissionTest : public EngineTest {
 protected:
  void TakeTheOnlyDevice() {
    Make("run-now", 1);
    Submit(AJob(1).Submitted(kNow).Runs(hours{4}));
    Started(kNow);
    Report(1, JobPhase::kRunning, kNow);
  }
  static core::Job Soon(core::JobId id) {
    return AJob(id).Submitted(kNow).Runs(hours{2}).Within(hours{1});
  }
};

TEST_F(AdmissionTest, WhatIsBeingCancelledGivesItsDevicesBackInAdmission) {
  TakeTheOnlyDevice();
  EXPECT_FALSE(engine_->Apply({kNow, JobSubmitted{Soon(2)}}));
  EXPECT_FALSE(CheckAdmission(engine_->state(), {}, Soon(2), kNow, {}));
  EXPECT_TRUE(CheckAdmission(engine_->state(), {}, Soon(2), kNow, {1}));
  Apply(kNow, JobCancelled{1});
  ASSERT_TRUE(engine_->state().FindLive(1)) << "it has not ended";
  EXPECT_TRUE(CheckAdmission(engine_->state(), {}, Soon(2), kNow, {}));
  EXPECT_TRUE(engine_->Apply({kNow, JobSubmitted{Soon(2)}}));
  EXPECT_FALSE(engine_->Apply({kNow, JobSubmitted{Soon(3)}})) << "2 has the only device";
}

TEST_F(AdmissionTest, ADeadlineIsNotRefusedForWantOfDevicesThatAreAway) {
  TakeTheOnlyDevice();
  EXPECT_FALSE(CheckAdmission(engine_->state(), {}, Soon(2), kNow, {}));
  core::Cluster cluster = engine_->state().cluster;
  cluster.pools.front().away = 1;
  Apply(kNow, ClusterChanged{cluster});
  EXPECT_TRUE(CheckAdmission(engine_->state(), {}, Soon(2), kNow, {}));
  EXPECT_TRUE(engine_->Apply({kNow, JobSubmitted{Soon(2)}}));
  EXPECT_FALSE(engine_->Apply({kNow, JobSubmitted{Soon(3)}})) << "not with that one either";
}

}  // namespace
}  // namespace ebb::engine
