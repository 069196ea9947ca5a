#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine_for_test.h"
#include "engine/journal_json.h"

namespace ebb::engine {
namespace {

using core::GateRule;
using std::chrono::hours;
using std::chrono::minutes;
using testing::AJob;
using ::testing::ElementsAre;

const Duration kTwoDays = hours{48};

class ClockSetTest : public EngineTest {
 protected:
  // Sets a clock that showed `from` forward or back.
  void Set(Time from, Duration by) { Apply(from + by, ClockSet{from, from + by}); }
  const LiveJob& Live(core::JobId job) { return *engine_->state().FindLive(job); }
  Duration RemainingNow(core::JobId job) {
    return RemainingAt(Live(job), engine_->state().cluster, engine_->state().now);
  }
};

TEST_F(ClockSetTest, TheTimeComesBackAndGoodDeadlinesAreTakenAgain) {
  Make("edf", 1);
  engine_->Decide(kNow);
  Set(kNow, kTwoDays);
  engine_->Decide(kNow + kTwoDays);
  Set(kNow + kTwoDays + minutes{1}, -kTwoDays);
  EXPECT_EQ(engine_->state().now, kNow + minutes{1});
  EXPECT_EQ(engine_->Decide(kNow + minutes{2}).at, kNow + minutes{2});
  Submit(AJob(1).Submitted(kNow + minutes{2}).FinishBy(kNow + hours{2}));
  EXPECT_THAT(Started(kNow + minutes{3}), ElementsAre(1));
  EXPECT_EQ(RuleOf(1), GateRule::kRunNow);
}

TEST_F(ClockSetTest, WithoutItTimeDoesNotGoBack) {
  Make("edf", 1);
  engine_->Decide(kNow + kTwoDays);
  EXPECT_EQ(engine_->Decide(kNow).at, kNow + kTwoDays);
}

TEST_F(ClockSetTest, WhatRunsHasRunAsLongAsBefore) {
  for (const Duration by : {kTwoDays, -kTwoDays, Duration{-hours{1}}}) {
    MakeScripted(1);
    wants_ = {{1, true}};
    Submit(AJob(1).Submitted(kNow).Runs(hours{3}).Pausable({}, hours{2}));
    EXPECT_THAT(Started(kNow), ElementsAre(1));
    Report(1, JobPhase::kRunning, kNow);
    engine_->Decide(kNow + hours{1});
    Set(kNow + hours{1}, by);
    const Time now = kNow + hours{1} + by;
    EXPECT_EQ(RemainingNow(1), Duration{hours{2}});
    wants_ = {};
    EXPECT_TRUE(engine_->Decide(now).commands.empty()) << "its shortest piece is not over";
    EXPECT_EQ(engine_->Decide(now + hours{1}).commands.size(), 1u);
    Report(1, JobPhase::kPaused, now + hours{1});
    EXPECT_EQ(Live(1).remaining, Duration{hours{1}});
  }
}

TEST_F(ClockSetTest, ARetryComesAfterItsTime) {
  for (const Duration by : {kTwoDays, -kTwoDays}) {
    MakeScripted(1);
    wants_ = {{1, true}};
    Submit(AJob(1).Submitted(kNow));
    Started(kNow);
    Report(1, JobPhase::kStartFailed, kNow);
    Set(kNow, by);
    EXPECT_THAT(Started(kNow + by), ElementsAre());
    EXPECT_THAT(Started(kNow + by + minutes{1}), ElementsAre(1));
  }
}

TEST_F(ClockSetTest, WhatCameWhileTheClockRanAheadIsMovedBackAndNothingElse) {
  MakeScripted(1);
  Submit(AJob(1).Submitted(kNow).StartBy(kNow + hours{72}));
  engine_->Decide(kNow);
  Set(kNow, kTwoDays);
  const Time wrong = kNow + kTwoDays;
  Submit(AJob(2).Submitted(wrong).StartBy(wrong + hours{6}).FinishBy(wrong + hours{9}));
  Apply(wrong, JobControlled{2, JobControl::kHold});
  wants_ = {{1, true}};
  Started(wrong);
  Report(1, JobPhase::kRunning, wrong);
  Set(wrong + minutes{1}, -kTwoDays);
  const LiveJob& held = *engine_->state().FindHeld(2);
  EXPECT_EQ(held.job.submitted, kNow);
  EXPECT_EQ(held.job.start_by, kNow + hours{6});
  EXPECT_EQ(held.job.finish_by, kNow + hours{9});
  EXPECT_EQ(held.since, kNow);
  EXPECT_EQ(Live(1).job.submitted, kNow);
  EXPECT_EQ(Live(1).job.start_by, kNow + hours{72});
  EXPECT_EQ(Live(1).first_start, kNow);
  Report(1, JobPhase::kSucceeded, kNow + minutes{2});
  EXPECT_EQ(engine_->state().FindEnded(1)->ended, kNow + minutes{2});
}

// The machine has no battery for its clock: it starts in the past, and NTP puts the clock right.
TEST_F(ClockSetTest, AClockThatWasRightAfterAllGivesDeadlinesBack) {
  MakeScripted(1);
  wants_ = {{1, true}};
  Submit(AJob(1).Submitted(kNow).StartBy(kNow + hours{6}));
  Started(kNow);
  Report(1, JobPhase::kRunning, kNow);
  Set(kNow, -hours{1000});
  EXPECT_EQ(Live(1).job.start_by, kNow + hours{6} - hours{1000});
  EXPECT_EQ(Live(1).first_start, kNow - hours{1000});
  Set(kNow - hours{1000} + minutes{1}, hours{1001});
  EXPECT_EQ(Live(1).job.submitted, kNow);
  EXPECT_EQ(Live(1).job.start_by, kNow + hours{6});
  EXPECT_EQ(Live(1).first_start, kNow);
}

TEST_F(ClockSetTest, EndsInTheFutureAreMovedAndKeepTheirOrder) {
  MakeScripted(2);
  const Time wrong = kNow + kTwoDays;
  wants_ = {{1, true}, {2, true}};
  Submit(AJob(1).Submitted(wrong));
  Submit(AJob(2).Submitted(wrong));
  Started(wrong);
  Report(1, JobPhase::kSucceeded, wrong + minutes{1});
  Report(2, JobPhase::kSucceeded, wrong + minutes{2});
  engine_->Decide(wrong + minutes{3});
  Set(wrong + minutes{3}, -kTwoDays);
  EXPECT_EQ(engine_->state().FindEnded(1)->ended, kNow + minutes{1});
  EXPECT_EQ(engine_->state().FindEnded(2)->ended, kNow + minutes{2});
  Apply(kNow + minutes{4}, EndedForgotten{kNow + minutes{2}});
  EXPECT_FALSE(engine_->state().FindEnded(1));
}

TEST_F(ClockSetTest, ASignalThatIsObservedAfterwardsIsNews) {
  Make("edf", 1);
  Apply(kNow + kTwoDays, SignalObserved{0, {kNow + kTwoDays, {}, {}}, kNow + kTwoDays});
  Set(kNow + kTwoDays, -kTwoDays);
  Apply(kNow, SignalObserved{0, {kNow, {}, {}}, kNow + hours{1}});
  EXPECT_EQ(engine_->state().signals[0].observed, kNow);
  EXPECT_EQ(engine_->state().signals[0].next_change, kNow + hours{1});
}

TEST_F(ClockSetTest, NoClockShowsTheEndOfTime) {
  Make("edf", 1);
  EXPECT_FALSE(engine_->Apply({kNow, ClockSet{Time::min(), Time::max()}}));
  EXPECT_FALSE(engine_->Apply({kNow, ClockSet{Time::min(), kNow}}));
  EXPECT_FALSE(engine_->Apply({kNow, ClockSet{kNow, Time::max()}}));
}

TEST(ClockSetJson, IsWhatItWas) {
  const Event event{kNow, ClockSet{kNow + kTwoDays, kNow}};
  const auto read = FromJsonLine(ToJsonLine(event));
  ASSERT_TRUE(read);
  const auto& set = std::get<ClockSet>(std::get<Event>(*read).fact);
  EXPECT_EQ(set.from, kNow + kTwoDays);
  EXPECT_EQ(set.to, kNow);
  EXPECT_EQ(KindOf(*read), "clock_set");
}

}  // namespace
}  // namespace ebb::engine
