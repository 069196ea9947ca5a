// Tests of a drain of the whole queue: running jobs end, and nothing starts or goes on.

#include <set>
#include <string_view>
#include <utility>

#include "engine/engine_for_test.h"
#include "engine/random_life_for_test.h"

namespace ebb::engine {
namespace {

using core::GateRule;
using std::chrono::hours;
using std::chrono::minutes;
using testing::AJob;

DrainSet Until(Time until) { return {Drain{kNow, until, "new disks"}}; }

class DrainTest : public EngineTest {
 protected:
  Explanation Why(core::JobId job) { return *engine_->Explain(job); }
};

TEST_F(DrainTest, WhatRunsEndsAndNothingStartsUntilItIsOver) {
  Make("run-now", 2);
  Submit(AJob(1).Submitted(kNow).Runs(hours{1}));
  EXPECT_EQ(Started(kNow), (Ids{1}));
  Report(1, JobPhase::kRunning, kNow);
  Apply(kNow, Until(kNow + hours{4}));
  Submit(AJob(2).Submitted(kNow).Runs(hours{1}));
  const Decision decision = engine_->Decide(kNow);
  EXPECT_TRUE(decision.commands.empty()) << "neither a pause nor a start";
  EXPECT_LE(decision.wake_at, kNow + hours{4}) << "it ends by itself";
  EXPECT_EQ(Why(1).stage, Stage::kRunning);
  EXPECT_EQ(RuleOf(2), GateRule::kDraining);
  EXPECT_NE(Sentence(Why(2)).find(
                "waiting: the service is draining until 2023-05-01 04:00: new disks, expected "
                "2023-05-01 04:00-05:00"),
            std::string::npos)
      << Sentence(Why(2));
  Report(1, JobPhase::kSucceeded, kNow + hours{1});
  EXPECT_EQ(Started(kNow + hours{1}), Ids{});
  EXPECT_EQ(Started(kNow + hours{4}), (Ids{2}));
  EXPECT_FALSE(engine_->state().drain);
  EXPECT_FALSE(Why(2).drain);
}

TEST_F(DrainTest, WithoutAnEndItLastsUntilSomebodyEndsIt) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow).Within(hours{2}));
  Apply(kNow, DrainSet{Drain{kNow, std::nullopt, ""}});
  EXPECT_EQ(Started(kNow), Ids{});
  EXPECT_FALSE(Why(1).reason.start) << "nobody knows when";
  EXPECT_FALSE(Why(1).misses_deadline);
  EXPECT_EQ(Sentence(Why(1)), "waiting: the service is draining; must start by 2023-05-01 02:00");
  EXPECT_EQ(Started(kNow + hours{3}), Ids{}) << "not even at its deadline";
  EXPECT_TRUE(Why(1).misses_deadline);
  Apply(kNow + hours{50}, DrainSet{});
  EXPECT_EQ(Started(kNow + hours{50}), (Ids{1}));
}

TEST_F(DrainTest, DeadlinesThatCannotBeKeptAreSaidAtOnce) {
  for (const char* policy : {"run-now", "planner"}) {
    Make(policy, 1);
    Submit(AJob(1).Submitted(kNow).Runs(hours{1}).Within(hours{2}));
    Submit(AJob(2).Submitted(kNow).Runs(hours{1}).Within(hours{20}));
    Apply(kNow, Until(kNow + hours{4}));
    engine_->Decide(kNow);
    EXPECT_TRUE(Why(1).misses_deadline) << policy;
    EXPECT_FALSE(Why(2).misses_deadline) << policy;
    EXPECT_NE(
        Sentence(Why(1)).find("; its deadline cannot be kept: it must start by 2023-05-01 02:00"),
        std::string::npos)
        << Sentence(Why(1));
  }
}

TEST_F(DrainTest, ASubmissionThatCannotKeepItsDeadlineForItIsRefusedWithTheReason) {
  Make("planner", 1);
  Apply(kNow, Until(kNow + hours{4}));
  const auto refused =
      engine_->Apply({kNow, JobSubmitted{AJob(1).Submitted(kNow).Within(hours{2})}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().Message().find("draining until 2023-05-01 04:00: new disks"),
            std::string::npos)
      << refused.error().Message();
  Submit(AJob(2).Submitted(kNow).Within(hours{9}));
  // Job 2 goes first on the only device.
  const auto second =
      engine_->Apply({kNow, JobSubmitted{AJob(3).Submitted(kNow).Runs(hours{3}).Within(hours{4})}});
  EXPECT_TRUE(second) << second.error().Message();
}

TEST_F(DrainTest, APausedJobStaysPausedAndARunningOneIsNotPausedForCleanerPower) {
  MakeScripted(2);
  Submit(AJob(1).Submitted(kNow).Runs(hours{4}).Pausable());
  Submit(AJob(2).Submitted(kNow).Runs(hours{4}).Pausable());
  wants_ = {{1, true}, {2, true}};
  EXPECT_EQ(Started(kNow), (Ids{1, 2}));
  Report(1, JobPhase::kRunning, kNow);
  Report(2, JobPhase::kRunning, kNow);
  Apply(kNow + minutes{30}, JobControlled{1, JobControl::kHold});
  engine_->Decide(kNow + minutes{30});
  Report(1, JobPhase::kPaused, kNow + minutes{30});
  Apply(kNow + hours{1}, Until(kNow + hours{6}));
  Apply(kNow + hours{1}, JobControlled{1, JobControl::kNow});
  wants_[2] = false;
  EXPECT_TRUE(engine_->Decide(kNow + hours{1}).commands.empty());
  EXPECT_EQ(Why(1).stage, Stage::kPaused);
  EXPECT_EQ(RuleOf(1), GateRule::kDraining) << "though somebody asks for it";
  EXPECT_EQ(Why(2).stage, Stage::kRunning);
  Apply(kNow + hours{2}, JobControlled{2, JobControl::kHold});
  EXPECT_EQ(engine_->Decide(kNow + hours{2}).commands, (std::vector<Command>{PauseJob{2, 1}}))
      << "a person may";
}

TEST_F(DrainTest, AFrozenJobDoesNotGoOn) {
  MakeScripted(1);
  Submit(AJob(1).Submitted(kNow).Runs(hours{4}).Freezable());
  wants_ = {{1, true}};
  EXPECT_EQ(Started(kNow), (Ids{1}));
  Report(1, JobPhase::kRunning, kNow);
  Apply(kNow + hours{1}, JobControlled{1, JobControl::kHold});
  EXPECT_EQ(engine_->Decide(kNow + hours{1}).commands, (std::vector<Command>{PauseJob{1, 1}}));
  Report(1, JobPhase::kFrozen, kNow + hours{1});
  Apply(kNow + hours{2}, Until(kNow + hours{6}));
  Apply(kNow + hours{2}, JobControlled{1, JobControl::kNow});
  Submit(AJob(2).Submitted(kNow + hours{2}));  // job 2 waits for the device
  EXPECT_EQ(Started(kNow + hours{2}), Ids{});
  EXPECT_EQ(Started(kNow + hours{6}), (Ids{1}));
}

TEST_F(DrainTest, AStartWhoseCommandGotLostIsNotMadeGood) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow));
  EXPECT_EQ(Started(kNow), (Ids{1}));
  Apply(kNow, Until(kNow + hours{4}));
  Apply(kNow, ExecutorObserved{{}, true});
  EXPECT_EQ(Started(kNow), Ids{});
  EXPECT_EQ(Why(1).stage, Stage::kWaiting);
  EXPECT_EQ(engine_->state().FindLive(1)->failed_starts, 0);
  EXPECT_EQ(Started(kNow + hours{4}), (Ids{1}));
}

TEST_F(DrainTest, WhatRunsInAnOutageDoesNotStartEither) {
  Make("lowest-window", 1);
  core::Job job = AJob(1).Submitted(kNow);
  job.on_outage = core::OnOutage::kRun;
  Submit(job);
  Apply(kNow, SignalLost{0, "no network", kNow + hours{1}});
  Apply(kNow, Until(kNow + hours{4}));
  EXPECT_EQ(Started(kNow), Ids{});
  EXPECT_EQ(Started(kNow + hours{4}), (Ids{1}));
}

TEST_F(DrainTest, OneThatEndsInThePastIsRefused) {
  Make("run-now", 1);
  EXPECT_FALSE(engine_->Apply({kNow + hours{1}, Until(kNow)}));
  EXPECT_FALSE(engine_->state().drain);
}

// Watches that no attempt begins while the queue drains and that no plan begins before the drain
// ends, whatever else happens and whichever policy plans.
class Watcher {
 public:
  explicit Watcher(const Engine& engine) : engine_(engine) {}
  void Take(const JournalRecord& record) {
    const auto* decision = std::get_if<Decision>(&record);
    if (!decision) return;
    const State& state = engine_.state();
    for (const Command& command : decision->commands) {
      const auto* start = std::get_if<StartJob>(&command);
      // A later decision may repeat a command that got lost.
      if (start && begun_.emplace(start->job, start->attempt).second) {
        EXPECT_FALSE(state.drain) << "job " << start->job;
        ++starts;
      }
    }
    if (!state.drain) return;
    ++drained;
    for (std::size_t i = 0; i < state.live.size(); ++i)
      if (!HoldsDevices(*state.live[i])) ExpectHeldBack(state, i);
  }

  int starts = 0, drained = 0;

 private:
  static void ExpectHeldBack(const State& state, std::size_t i) {
    const Explanation& explanation = state.live[i]->explanation;
    EXPECT_EQ(explanation.reason.rule, GateRule::kDraining);
    EXPECT_EQ(explanation.drain, state.drain);
    if (!state.drain->until) return;
    for (const plan::Segment& segment : state.schedule.jobs[i].segments)
      EXPECT_GE(segment.time.begin, *state.drain->until) << "job " << explanation.job;
  }

  const Engine& engine_;
  std::set<std::pair<core::JobId, int>> begun_;
};

TEST(Drain, NothingBeginsInAnyLife) {
  for (const char* policy : {"planner", "lowest-window", "lowest-slots", "run-now", "threshold"}) {
    SCOPED_TRACE(policy);
    int starts = 0, drained = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto engine = MakeEngineForTest(policy);
      Watcher watcher(*engine);
      RandomLife life(*engine, seed, [&](const JournalRecord& record) { watcher.Take(record); });
      if (std::string_view(policy) == "planner") life.PlanBeside(MakePolicyForTest(policy));
      for (int i = 0; i < 60 && !::testing::Test::HasFailure(); ++i) life.Step();
      starts += watcher.starts;
      drained += watcher.drained;
    }
    EXPECT_GT(starts, 0);
    EXPECT_GT(drained, 0);
  }
}

}  // namespace
}  // namespace ebb::engine
