#include "service/sweeps/sweep_budget_watch.h"

#include <gtest/gtest.h>

#include <fstream>

#include "service/world_for_test.h"

namespace ebb::service {
namespace {

using engine::Stage;

constexpr const char* kBusy = "trap 'exit 75' TERM; while [ ! -e enough ]; do :; done";

// A sweep with a budget of 4 J, which one busy job uses up soon, and one device.
class SweepBudgetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    world_.adjust = [](ServiceOptions& options) { options.executor.cluster.pools[0].count = 1; };
    sweep_->name = "digits";
    sweep_->key = "once";
    sweep_->budget.energy = Energy::Joules(4);
    world_.Start();
  }
  core::JobId Experiment(const std::string& script) {
    Submit submit(world_.Shell(script));
    submit.submission.job.duration = std::chrono::hours{1};
    submit.sweep = sweep_;
    const auto answer = world_.Answered(std::move(submit));
    EXPECT_TRUE(answer) << answer.error().Message();
    return answer ? answer->job : 0;
  }
  bool WasSaid(const std::string& part) {
    const auto view = world_.service().view();
    return std::any_of(view->events.begin(), view->events.end(),
                       [&](const auto& said) { return said.text.find(part) != std::string::npos; });
  }
  std::string Why(core::JobId job) { return world_.service().view()->jobs.Find(job)->detail; }
  void WaitUntilHeld(core::JobId job) {
    world_.WaitFor([&](const View& view) {
      return view.jobs.Find(job)->detail == "held by the budget of sweep 1";
    });
  }
  Result<Answer> Give(Energy energy) {
    core::Budget budget;
    budget.energy = energy;
    return world_.Answered(ChangeBudget{0, 1, budget});
  }

  World world_{"sweep_budget", {360, 100}, 3600};
  std::shared_ptr<NewSweep> sweep_ = std::make_shared<NewSweep>();
};

TEST_F(SweepBudgetTest, WhatRunsIsPausedAndNothingMoreIsStartedUntilThereIsMore) {
  const core::JobId busy = Experiment(kBusy), next = Experiment("true");
  const core::JobId other = world_.Submit(world_.Shell("true"));
  world_.WaitForStage(busy, Stage::kPaused);
  WaitUntilHeld(busy);
  WaitUntilHeld(next);
  EXPECT_TRUE(WasSaid("sweep 1, digits: budget reached"));
  EXPECT_EQ(world_.WaitForStage(other, Stage::kSucceeded).detail, "") << "it is none of the sweep";
  EXPECT_EQ(Experiment("true"), other + 1) << "one that comes later";

  world_.Restart();
  WaitUntilHeld(busy);
  const auto refused = Give(Energy::Joules(4));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().Message().find("was used up at"), std::string::npos);
  std::ofstream(world_.directory() / "enough") << "x";
  ASSERT_TRUE(Give(Energy::Joules(4000)));
  for (const core::JobId job : {busy, next}) world_.WaitForStage(job, Stage::kSucceeded);
  EXPECT_EQ(Why(next), "");
}

TEST_F(SweepBudgetTest, OneThatIsLetGoAloneIsHeldAgain) {
  const core::JobId busy = Experiment(kBusy);
  world_.WaitForStage(busy, Stage::kPaused);
  WaitUntilHeld(busy);
  ASSERT_TRUE(world_.Answered(ControlJob{busy, engine::JobControl::kNone}));
  world_.WaitFor([&](const View& view) { return view.jobs.Find(busy)->attempt == 2; });
  world_.WaitForStage(busy, Stage::kPaused);
  WaitUntilHeld(busy);
}

TEST_F(SweepBudgetTest, IsCountedOverRestarts) {
  const core::JobId busy = Experiment(kBusy);
  world_.WaitFor(
      [&](const View& view) { return view.jobs.Find(busy)->energy > Energy::Joules(1); });
  world_.Stop();
  world_.Start();
  world_.WaitForStage(busy, Stage::kPaused);
  const Energy used = world_.service().view()->jobs.Find(busy)->energy;
  EXPECT_GT(used, Energy::Joules(1));
  EXPECT_LT(used, Energy::Joules(40));
}

TEST_F(SweepBudgetTest, OfASweepWithoutOneCanBeGivenAndOfNoSweepNot) {
  sweep_->budget = {};
  const core::JobId busy = Experiment(kBusy);
  world_.WaitForStage(busy, Stage::kRunning);
  ASSERT_TRUE(Give(Energy::Joules(4)));
  world_.WaitForStage(busy, Stage::kPaused);
  const auto unknown = world_.Answered(ChangeBudget{0, 7, {}});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().Message().find("sweep 7"), std::string::npos);
}

TEST_F(SweepBudgetTest, ThatOfAJobHoldsFromItsNextAttemptOn) {
  core::Submission submission = world_.Shell(kBusy);
  submission.budget = {Energy::Joules(2), std::nullopt, core::BudgetAction::kPause};
  const core::JobId job = world_.Submit(submission);
  world_.WaitForStage(job, Stage::kPaused);
  core::Budget more = submission.budget;
  more.energy = Energy::Joules(4000);
  ASSERT_TRUE(world_.Answered(ChangeBudget{job, 0, more}));
  world_.Restart();
  EXPECT_EQ(world_.service().view()->jobs.Find(job)->submission->budget, more);
  std::ofstream(world_.directory() / "enough") << "x";
  ASSERT_TRUE(world_.Answered(ControlJob{job, engine::JobControl::kNone}));
  world_.WaitForStage(job, Stage::kSucceeded);
  EXPECT_FALSE(world_.Answered(ChangeBudget{job, 0, more})) << "it has ended";
}

// The options of `ebb sweep run`.
TEST(UntilIdle, EndsWhenNothingIsLeftAndPausesWhatRunsWhenItIsStopped) {
  World world("until_idle");
  world.adjust = [](ServiceOptions& options) { options.until_idle = options.pause_at_stop = true; };
  world.Open();
  auto quick = world.service().Ask(world.Shell("true"));
  EXPECT_EQ(*world.service().Run(), 0);
  EXPECT_TRUE(quick.get());
  EXPECT_EQ(world.service().view()->jobs.Find(1)->explanation.stage, Stage::kSucceeded);
  world.Stop();

  world.Open();
  auto slow = world.service().Ask(world.Shell("trap 'exit 75' TERM; while :; do sleep 0.01; done"));
  world.StartLoop();
  world.WaitForStage(slow.get()->job, Stage::kRunning);
  world.Stop();
  world.Open();
  world.StartLoop();
  world.WaitFor([&](const View& view) { return view.jobs.Find(2)->attempt == 2; });
}

}  // namespace
}  // namespace ebb::service
