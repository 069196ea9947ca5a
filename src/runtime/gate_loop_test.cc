#include "runtime/gate_loop.h"

#include <gtest/gtest.h>

#include <tuple>

#include "testing/fake_clock.h"
#include "testing/fake_feed.h"

namespace ebb::runtime {
namespace {

using core::GateRule;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const Time kDay = *ParseTime("2023-05-01");
const Time kWall = *ParseTime("2026-01-01T09:00Z");

struct Recorder final : GateObserver {
  std::vector<core::GateDecision> decisions;
  std::vector<core::SkippedWait> skipped;
  int ticks = 0;
  Status OnDecision(const core::GateDecision& decision, const GateObservation&) override {
    decisions.push_back(decision);
    return {};
  }
  void OnTick(Time) override { ++ticks; }
  Status OnSkippedWait(const core::SkippedWait& wait) override {
    skipped.push_back(wait);
    return {};
  }
};

plan::GateRequest Request(Duration max_wait) {
  return {kDay, kDay + max_wait, minutes{30}, plan::AtDeadline::kStart};
}

TEST(GridClockTest, RunsAtItsSpeedFromWhereItBegins) {
  testing::FakeClock wall(kWall);
  GridClock clock(wall, {true, kDay, 60, false});
  wall.Advance(minutes{2});
  EXPECT_EQ(clock.Now(), kDay + hours{2});
  EXPECT_EQ(clock.ToWall(hours{1}), Duration{minutes{1}});
  clock.SkipTo(kDay + hours{10});
  EXPECT_EQ(clock.Now(), kDay + hours{10});
  clock.SkipTo(kDay);
  EXPECT_EQ(clock.Now(), kDay + hours{10}) << "never backwards";
  wall.Advance(seconds{1});
  EXPECT_EQ(clock.Now(), kDay + hours{10} + minutes{1});
}

TEST(GridClockTest, LiveIsTheWallClock) {
  testing::FakeClock wall(kWall);
  const GridClock clock(wall, {});
  wall.Advance(seconds{5});
  EXPECT_EQ(clock.Now(), kWall + seconds{5});
}

TEST(GateLoop, SleepsUntilTheSignalFallsBelowTheThreshold) {
  testing::FakeClock wall(kWall);
  GridClock clock(wall, {true, kDay, 3600, false});
  testing::FakeFeed feed(kDay, {400, 300, 150, 400});
  Recorder recorder;
  const auto result =
      WaitForStart(Request(hours{10}), *plan::MakeThreshold({200}), feed, clock, recorder);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->decision.reason.rule, GateRule::kBelowThreshold);
  EXPECT_EQ(result->decision.at, kDay + hours{2});
  EXPECT_EQ(wall.Now(), kWall + seconds{2});
  EXPECT_TRUE(recorder.skipped.empty());
}

TEST(GateLoop, OneDecisionDoesNotWaitAndIsTheFirstOfTheLoop) {
  testing::FakeClock wall(kWall);
  testing::FakeFeed feed(kDay, {400, 300, 150, 400});
  Recorder once;
  const auto policy = plan::MakeThreshold({200});
  const auto decision = DecideAt(Request(hours{10}), *policy, feed, kDay, once);
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->action, core::GateAction::kWait);
  EXPECT_EQ(wall.Now(), kWall);
  ASSERT_EQ(once.decisions.size(), 1u);

  GridClock clock(wall, {true, kDay, 3600, false});
  Recorder loop;
  ASSERT_TRUE(WaitForStart(Request(hours{10}), *policy, feed, clock, loop));
  EXPECT_EQ(once.decisions.front().reason, loop.decisions.front().reason);
}

TEST(GateLoop, SkippedWaitsTakeNoWallTimeAndAreRecorded) {
  testing::FakeClock wall(kWall);
  GridClock clock(wall, {true, kDay, 1, true});
  testing::FakeFeed feed(kDay, {400, 300, 150, 400});
  Recorder recorder;
  const auto result =
      WaitForStart(Request(hours{10}), *plan::MakeThreshold({200}), feed, clock, recorder);
  EXPECT_EQ(result->decision.at, kDay + hours{2});
  EXPECT_EQ(wall.Now(), kWall);
  EXPECT_EQ(wall.sleeps(), 0);
  ASSERT_EQ(recorder.skipped.size(), 1u);
  EXPECT_EQ(recorder.skipped.front().grid, (Interval{kDay, kDay + hours{2}}));
  EXPECT_EQ(clock.Now(), kDay + hours{2});
}

TEST(GateLoop, AnOutageReleasesNothingEarlyAndForgetsNothing) {
  testing::FakeClock wall(kWall);
  GridClock clock(wall, {true, kDay, 1, true});
  testing::FakeFeed feed(kDay, {400, 100, 100, 150, 400});
  feed.AddOutage({kDay + hours{1}, kDay + hours{3}});
  Recorder recorder;
  const auto result =
      WaitForStart(Request(hours{10}), *plan::MakeThreshold({200}), feed, clock, recorder);
  EXPECT_EQ(result->decision.at, kDay + hours{3})
      << "clean hours that nobody could see start nothing";
  EXPECT_NE(Sentence(recorder.decisions[1]).find("source is down"), std::string::npos);
}

TEST(GateLoop, AnOutageUntilTheLatestStartStartsThereAndSaysSo) {
  testing::FakeClock wall(kWall);
  GridClock clock(wall, {true, kDay, 1, true});
  testing::FakeFeed feed(kDay, {400, 100, 100, 150, 400});
  feed.AddOutage({kDay, kDay + hours{100}});
  Recorder recorder;
  const auto result =
      WaitForStart(Request(hours{3}), *plan::MakeThreshold({200}), feed, clock, recorder);
  EXPECT_EQ(result->decision.at, kDay + hours{3});
  EXPECT_EQ(result->decision.reason.rule, GateRule::kLatestStart);
  EXPECT_FALSE(result->decision.reason.current);
}

TEST(GateLoop, AnOutageRunsOrStopsARunThatAskedForIt) {
  for (const auto& [on_outage, action, rule] :
       {std::tuple{core::OnOutage::kRun, core::GateAction::kStart, GateRule::kRunsInOutage},
        std::tuple{core::OnOutage::kStop, core::GateAction::kStop, GateRule::kStoppedInOutage}}) {
    testing::FakeClock wall(kWall);
    GridClock clock(wall, {true, kDay, 1, true});
    testing::FakeFeed feed(kDay, {400, 400, 100, 100});
    feed.AddOutage({kDay + hours{1}, kDay + hours{100}});
    Recorder recorder;
    auto request = Request(hours{10});
    request.on_outage = on_outage;
    const auto result = WaitForStart(request, *plan::MakeThreshold({200}), feed, clock, recorder);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->decision.at, kDay + hours{1});
    EXPECT_EQ(result->decision.action, action);
    EXPECT_EQ(result->decision.reason.rule, rule);
    EXPECT_NE(Sentence(result->decision).find("source is down"), std::string::npos);
  }
}

TEST(GateLoop, AnInterruptEndsTheWaitWithTheLastDecision) {
  testing::FakeClock wall(kWall);
  wall.InterruptAt(kWall + seconds{5});
  GridClock clock(wall, {true, kDay, 1, false});
  testing::FakeFeed feed(kDay, {400, 300, 150, 400});
  Recorder recorder;
  const auto result =
      WaitForStart(Request(hours{10}), *plan::MakeThreshold({200}), feed, clock, recorder);
  EXPECT_TRUE(result->interrupted);
  EXPECT_EQ(recorder.ticks, 4);
  EXPECT_EQ(feed.observations(), 1) << "nothing is asked again before something can have changed";
}

TEST(GateLoop, TheWindowPolicyStartsAtTheCleanestWindow) {
  testing::FakeClock wall(kWall);
  GridClock clock(wall, {true, kDay, 1, true});
  testing::FakeFeed feed(kDay, {150, 300, 350, 350, 200, 120, 120, 160, 250, 300, 300});
  Recorder recorder;
  const auto result =
      WaitForStart(Request(hours{8}), *plan::MakeLowestWindow({}), feed, clock, recorder);
  EXPECT_EQ(result->decision.at, kDay + hours{5});
}

}  // namespace
}  // namespace ebb::runtime
