// Drains: over restarts, with an end by the clock, and as readers see them.

#include <algorithm>

#include "service/service_for_test.h"

namespace ebb::service {
namespace {

using core::GateRule;
using engine::Stage;
using std::chrono::hours;

bool Said(const View& view, const std::string& text) {
  return std::any_of(view.events.begin(), view.events.end(), [&](const ServiceEvent& event) {
    return event.text.find(text) != std::string::npos;
  });
}

TEST_F(ServiceTest, WhatRunsEndsAndNothingStartsOverRestartsUntilTheDrainIsEnded) {
  world_.Start();
  const core::JobId runs = world_.Submit(world_.Shell(Until("go")));
  world_.WaitForStage(runs, Stage::kRunning);
  ASSERT_TRUE(world_.Answered(ChangeDrain{.why = "new disks"}));
  EXPECT_TRUE(world_.service().view()->drain);
  const core::JobId waits = world_.Submit(world_.Shell("true"));
  world_.Restart();
  const auto after = world_.service().view();
  ASSERT_TRUE(after->drain);
  EXPECT_EQ(after->drain->why, "new disks");
  Touch("go");
  world_.WaitForStage(runs, Stage::kSucceeded);
  const auto drained =
      world_.WaitFor([](const View& view) { return Said(view, "nothing runs any more"); });
  const JobCard* card = drained->jobs.Find(waits);
  ASSERT_TRUE(card);
  EXPECT_EQ(card->explanation.stage, Stage::kWaiting);
  EXPECT_EQ(card->explanation.reason.rule, GateRule::kDraining);
  EXPECT_EQ(card->attempt, 0);
  ASSERT_TRUE(world_.Answered(ChangeDrain{.end = true}));
  EXPECT_FALSE(world_.service().view()->drain);
  world_.WaitForStage(waits, Stage::kSucceeded);
  EXPECT_TRUE(Said(*world_.service().view(), "jobs start again"));
}

TEST_F(ServiceTest, ADrainEndsByItselfAlsoWhileNoServiceRuns) {
  world_.Start();
  ASSERT_TRUE(world_.Answered(ChangeDrain{.within = hours{2}}));
  const core::JobId job = world_.Submit(world_.Shell("true"));
  ASSERT_TRUE(world_.Answered(ChangeDrain{.within = hours{3}})) << "it takes the other's place";
  const auto view = world_.service().view();
  EXPECT_EQ(view->drain->until, view->jobs.Find(job)->explanation.drain->until);
  world_.Stop();
  world_.SkipTo(World::kDay + hours{4});
  world_.Start();
  world_.WaitForStage(job, Stage::kSucceeded);
  EXPECT_FALSE(world_.service().view()->drain);
}

TEST_F(ServiceTest, TheAnswerToADrainKnowsTheDeadlinesThatItCosts) {
  world_.Start();
  core::Submission early = world_.Shell("true"), late = world_.Shell("true");
  ASSERT_TRUE(world_.Answered(ChangeDrain{}));
  Submit soon(early), later(late);
  soon.start_within = hours{1};
  later.start_within = hours{20};
  const core::JobId first = world_.Answered(soon)->job, second = world_.Answered(later)->job;
  ASSERT_TRUE(world_.Answered(ChangeDrain{.within = hours{2}}));
  const auto view = world_.service().view();
  EXPECT_TRUE(view->jobs.Find(first)->explanation.misses_deadline);
  EXPECT_FALSE(view->jobs.Find(second)->explanation.misses_deadline);
  Submit refused(world_.Shell("true"));
  refused.start_within = hours{1};
  const auto answer = world_.Answered(refused);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().Message().find("draining"), std::string::npos);
  EXPECT_FALSE(world_.Answered(ChangeDrain{.until = World::kDay - hours{1}})) << "in the past";
}

}  // namespace
}  // namespace ebb::service
