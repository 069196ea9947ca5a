// Tests of gates for jobs of a queue: running jobs, paused jobs, jobs of a tier.

#include <gtest/gtest.h>

#include "plan/hourly_for_test.h"
#include "plan/make_policy.h"

namespace ebb::plan {
namespace {

using core::GateAction;
using core::GateRule;
using std::chrono::hours;
using std::chrono::minutes;
using testing::Hourly;

const Time kDay = *ParseTime("2023-05-01");

// The values before `current` are known history, those after it forecast.
core::SignalView ViewOf(const std::vector<double>& before, double current,
                        const std::vector<double>& after) {
  std::vector<double> known = before;
  known.push_back(current);
  core::SignalView view;
  view.now = kDay;
  view.known = Hourly(kDay - hours{static_cast<int>(before.size())}, known);
  view.forecast.series = Hourly(kDay + hours{1}, after);
  return view;
}

core::GateDecision Ask(const GatePolicy& policy, const GateRequest& request,
                       const core::SignalView& view) {
  return policy.Decide(request, {view, kDay + hours{1}});
}

GateRequest Waiting() {
  GateRequest request;
  request.submitted = kDay;
  request.latest_start = kDay + hours{12};
  request.remaining = request.duration = hours{3};
  return request;
}

GateRequest Running() {
  GateRequest request = Waiting();
  request.state = JobState::kRunning;
  request.pausable = true;
  request.segment_begin = kDay - hours{1};
  request.remaining = hours{2};
  return request;
}

TEST(ThresholdGateTest, ARunningJobIsPausedOnlyAboveTheHysteresis) {
  ThresholdOptions options;
  options.threshold = Intensity{200};
  options.hysteresis = {30};
  const auto policy = MakeThreshold(options);
  EXPECT_EQ(Ask(*policy, Running(), ViewOf({}, 225, {100})).action, GateAction::kKeepRunning);
  EXPECT_EQ(Ask(*policy, Running(), ViewOf({}, 231, {100})).action, GateAction::kPause);
  GateRequest rigid = Running();
  rigid.pausable = false;
  EXPECT_EQ(Ask(*policy, rigid, ViewOf({}, 500, {100})).action, GateAction::kKeepRunning);
}

TEST(ThresholdGateTest, AMissingValuePausesNothing) {
  auto view = ViewOf({}, 100, {100});
  view.known = Hourly(kDay, {});
  EXPECT_EQ(Ask(*MakeThreshold(Intensity{200}), Running(), view).action, GateAction::kKeepRunning);
}

TEST(ThresholdGateTest, APercentileTravelsWithTheSignal) {
  ThresholdOptions options;
  options.percentile = 0.5;
  const auto policy = MakeThreshold(options);
  for (const double scale : {1.0, 5.0}) {
    const auto dirty = ViewOf({100 * scale, 200 * scale}, 400 * scale, {150 * scale, 300 * scale});
    const auto clean = ViewOf({400 * scale, 200 * scale}, 100 * scale, {150 * scale, 300 * scale});
    EXPECT_EQ(Ask(*policy, Waiting(), dirty).action, GateAction::kWait);
    EXPECT_EQ(Ask(*policy, Waiting(), clean).action, GateAction::kStart);
  }
}

TEST(ThresholdGateTest, TheMaximumWaitCountsFromSubmission) {
  ThresholdOptions options;
  options.threshold = Intensity{100};
  options.max_wait = hours{4};
  const auto policy = MakeThreshold(options);
  GateRequest request = Waiting();
  request.submitted = kDay - hours{3};
  EXPECT_EQ(Ask(*policy, request, ViewOf({}, 300, {300})).action, GateAction::kWait);
  request.submitted = kDay - hours{4};
  EXPECT_EQ(Ask(*policy, request, ViewOf({}, 300, {300})).reason.rule, GateRule::kLatestStart);
}

TEST(TiersTest, EachTierHasItsThresholdItsDelayAndItsRank) {
  const auto policy = MakeTiers(core::PublishedTiers());
  GateRequest request = Waiting();
  request.latest_start = kDay + hours{1000};
  const auto view = ViewOf({}, 200, {400});
  request.tier = "1";
  EXPECT_EQ(Ask(*policy, request, view).action, GateAction::kStart);
  EXPECT_EQ(policy->LatestStart(request), kDay + hours{24});
  request.tier = "2";
  EXPECT_EQ(Ask(*policy, request, view).action, GateAction::kWait);
  EXPECT_EQ(policy->LatestStart(request), kDay + hours{48});
  GateRequest first = request;
  first.tier = "1";
  EXPECT_LT(policy->OrderOf(first), policy->OrderOf(request));
  request.tier = "";
  EXPECT_EQ(Ask(*policy, request, view).action, GateAction::kStart) << "no tier, no gate";
}

// A service or a sweep may have tiers of its own, so the name of a tier alone says nothing about
// its values.
TEST(TiersTest, WhatATierGaveAJobHoldsWhateverThatTierIsCalled) {
  const auto policy = *MakeGatePolicy("tiers", {});
  GateRequest request = Waiting();
  request.latest_start = kDay + hours{1000};
  request.tier = "1";
  request.threshold = Intensity{150};
  EXPECT_EQ(Ask(*policy, request, ViewOf({}, 200, {400})).action, GateAction::kWait);
  EXPECT_EQ(Ask(*policy, request, ViewOf({}, 150, {400})).action, GateAction::kStart);
  EXPECT_EQ(policy->LatestStart(request), request.latest_start);
}

TEST(LowestSlotsTest, SplitsAJobAroundAPeakWhenThePauseIsCheap) {
  GateRequest request = Waiting();
  request.pausable = true;
  request.pause_cost = minutes{2};
  const auto view =
      ViewOf({}, 100, {100, 500, 500, 100, 600, 600, 600, 600, 600, 600, 600, 600, 600, 600});
  const auto policy = MakeLowestSlots({});
  const auto decision = Ask(*policy, request, view);
  EXPECT_EQ(decision.action, GateAction::kStart);
  EXPECT_EQ(decision.wake_at, kDay + hours{1}) << "a new value is due before the pause";
  EXPECT_NEAR(decision.reason.expected->g_per_kwh, 100, 5);
  request.pause_cost = hours{10};
  EXPECT_GT(Ask(*policy, request, view).reason.expected->g_per_kwh, 200);
}

TEST(LowestSlotsTest, PausesARunningJobBeforeAPeakAndSaysWhenItGoesOn) {
  GateRequest request = Running();
  const auto view =
      ViewOf({}, 500, {500, 100, 100, 100, 600, 600, 600, 600, 600, 600, 600, 600, 600, 600});
  const auto decision = Ask(*MakeLowestSlots({}), request, view);
  EXPECT_EQ(decision.action, GateAction::kPause);
  EXPECT_EQ(decision.reason.start, kDay + hours{2});
}

TEST(CarbonTimeTest, PrefersTheSoonSavingToTheGreatestOne) {
  // The intensity is 40 % lower in two hours and 45 % lower in eleven.
  const auto view =
      ViewOf({}, 500, {500, 300, 300, 300, 500, 500, 500, 500, 500, 500, 275, 275, 275, 275});
  EXPECT_EQ(Ask(*MakeCarbonTime(), Waiting(), view).reason.start, kDay + hours{2});
  EXPECT_EQ(Ask(*MakeLowestWindow({}), Waiting(), view).reason.start, kDay + hours{11});
}

TEST(CarbonTimeTest, ALaterDecisionDoesNotChaseTheNextSaving) {
  // The intensity is 300 now and was 500 at submission two hours ago, so 290 in eight hours is not
  // worth it.
  auto view = ViewOf({500, 500}, 300, {300, 300, 320, 400, 400, 400, 400, 290, 290, 290, 400, 400});
  GateRequest request = Waiting();
  request.submitted = kDay - hours{2};
  EXPECT_EQ(Ask(*MakeCarbonTime(), request, view).action, GateAction::kStart);
}

TEST(DtprGateTest, NeedsBoundsAndNoForecast) {
  DtprOptions options;
  options.lower = Intensity{100};
  options.upper = Intensity{400};
  const auto policy = MakeDtpr(options);
  EXPECT_EQ(Ask(*policy, Waiting(), ViewOf({}, 201, {})).action, GateAction::kWait);
  EXPECT_EQ(Ask(*policy, Waiting(), ViewOf({}, 199, {})).action, GateAction::kStart);
  GateRequest running = Running();
  running.pause_cost = minutes{10};
  const auto keep = *Ask(*policy, running, ViewOf({}, 150, {})).reason.threshold;
  running.state = JobState::kPaused;
  const auto start = *Ask(*policy, running, ViewOf({}, 150, {})).reason.threshold;
  EXPECT_NEAR(keep.g_per_kwh - start.g_per_kwh, 400 / 6.0, 1e-6);
}

TEST(MakePolicyTest, KnowsEveryNameAndSuggestsOne) {
  for (const std::string& name : PolicyNames()) {
    const auto policy = MakePolicy(name, {});
    ASSERT_TRUE(policy) << name;
    EXPECT_EQ((*policy)->name(), name);
  }
  const auto misspelt = MakePolicy("lowest-widow", {});
  ASSERT_FALSE(misspelt);
  EXPECT_NE(misspelt.error().what.find("lowest-window"), std::string::npos);
}

}  // namespace
}  // namespace ebb::plan
