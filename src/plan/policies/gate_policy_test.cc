#include "plan/gate_policy.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/signal/one_value.h"
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

// A view at `now` whose first value is the current hour and whose other values are the forecast.
core::SignalView ViewOf(Time now, const std::vector<double>& values) {
  const Time hour = std::chrono::floor<hours>(now);
  core::SignalView view;
  view.now = now;
  view.known = Hourly(hour, {values.front()});
  view.forecast.series = Hourly(hour + hours{1}, {values.begin() + 1, values.end()});
  return view;
}

GateRequest Request(Duration max_wait, Duration duration) {
  return {kDay, kDay + max_wait, duration, AtDeadline::kStart};
}

core::GateDecision Decide(const GatePolicy& policy, const GateRequest& request,
                          const core::SignalView& view) {
  return policy.Decide(request, {view, std::chrono::floor<hours>(view.now) + hours{1}});
}

TEST(GateReason, AnIntensityThatIsNotKnownYetIsNoReasonToWorry) {
  core::Reason reason;
  reason.rule = core::GateRule::kRunNow;
  EXPECT_EQ(core::RuleText(reason),
            "policy now: starting; the intensity of this moment is not known yet");
  reason.current = Intensity{404};
  EXPECT_EQ(core::RuleText(reason), "policy now: starting at 404 g/kWh");
}

TEST(Threshold, EqualityStarts) {
  const auto policy = MakeThreshold({200});
  const auto request = Request(hours{10}, hours{1});
  EXPECT_EQ(Decide(*policy, request, ViewOf(kDay, {200, 100})).action, GateAction::kStart);
  EXPECT_EQ(Decide(*policy, request, ViewOf(kDay, {200.01, 100})).action, GateAction::kWait);
}

TEST(Threshold, WaitsUntilTheNextValueAndSaysWhenAStartIsExpected) {
  const auto decision =
      Decide(*MakeThreshold({200}), Request(hours{10}, hours{1}), ViewOf(kDay, {400, 300, 150}));
  EXPECT_EQ(decision.reason.rule, GateRule::kAboveThreshold);
  EXPECT_EQ(decision.wake_at, kDay + hours{1});
  EXPECT_EQ(decision.reason.start, kDay + hours{2});
}

TEST(Threshold, ExpectsTheStartThatALookAtEachHourFinds) {
  Random random(7);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> values{1000};
    while (values.size() < 2 + random.Below(40))
      values.push_back(static_cast<double>(100 + random.Below(500)));
    const double threshold = static_cast<double>(100 + random.Below(500));
    const auto latest = static_cast<int>(1 + random.Below(45));
    std::optional<Time> first;
    for (int hour = 1; hour < std::min(latest, static_cast<int>(values.size())) && !first; ++hour)
      if (values[static_cast<std::size_t>(hour)] <= threshold) first = kDay + hours{hour};
    const auto decision = Decide(*MakeThreshold({threshold}), Request(hours{latest}, hours{1}),
                                 ViewOf(kDay + minutes{20}, values));
    EXPECT_EQ(decision.reason.start, first) << round;
  }
}

TEST(Threshold, StartsAtTheLatestStartWhateverTheSignalSays) {
  const auto policy = MakeThreshold({200});
  auto request = Request(hours{2}, hours{1});
  auto view = ViewOf(kDay + hours{2}, {400, 300});
  EXPECT_EQ(Decide(*policy, request, view).reason.rule, GateRule::kLatestStart);
  view.known = Hourly(kDay, {});
  EXPECT_EQ(Decide(*policy, request, view).action, GateAction::kStart);
  request.at_deadline = AtDeadline::kStop;
  EXPECT_EQ(Decide(*policy, request, view).action, GateAction::kStop);
}

TEST(Threshold, AMissingValueWaitsAndNeverCountsAsClean) {
  auto view = ViewOf(kDay, {100, 100});
  view.known = Hourly(kDay, {});
  const auto decision = Decide(*MakeThreshold({200}), Request(hours{5}, hours{1}), view);
  EXPECT_EQ(decision.action, GateAction::kWait);
  EXPECT_EQ(decision.reason.rule, GateRule::kSignalMissing);
}

// The mean of a year, with no knowledge of single hours.
core::SignalView OneValue(double value) {
  core::SignalView view = ViewOf(kDay, std::vector<double>(40, value));
  view.forecast.method = core::kOneValueForAllHours;
  return view;
}

TEST(HoursUnknown, NothingIsSaidOfLaterStartsAndTheRunStartsAtOnce) {
  const auto request = Request(hours{10}, hours{1});
  for (const char* name : {"lowest-window", "lowest-slots", "carbon-time", "dtpr", "threshold"}) {
    const auto policy = *MakeGatePolicy(name, {});  // the threshold is a share of the values
    const auto decision = Decide(*policy, request, OneValue(369));
    EXPECT_EQ(decision.action, GateAction::kStart) << name;
    EXPECT_EQ(decision.reason.rule, GateRule::kHoursUnknown) << name;
    EXPECT_EQ(Sentence(decision),
              "nothing is known about the hours of this zone, so nothing can be gained by waiting: "
              "starting at 369 g/kWh; a token (ebb init) or a series (--trace) brings its hours");
    auto running = request;
    running.state = JobState::kRunning;
    running.pausable = true;
    EXPECT_EQ(Decide(*policy, running, OneValue(369)).action, GateAction::kKeepRunning) << name;
  }
  EXPECT_EQ(Decide(*MakeLowestWindow({}), request, ViewOf(kDay, {369, 369, 369})).reason.rule,
            GateRule::kCleanestNow)
      << "hours that are known to be alike are known";
}

TEST(HoursUnknown, AThresholdThatCanNeverBeMetIsSaidToBeWaitedForInVain) {
  const auto request = Request(hours{10}, hours{1});
  const auto above = Decide(*MakeThreshold({250}), request, OneValue(369));
  EXPECT_EQ(above.action, GateAction::kWait);
  EXPECT_EQ(above.reason.rule, GateRule::kThresholdOutOfReach);
  EXPECT_NE(Sentence(above).find("so this waits for nothing: 369 g/kWh at every hour, and the "
                                 "threshold is 250 g/kWh"),
            std::string::npos)
      << Sentence(above);
  EXPECT_EQ(Decide(*MakeThreshold({400}), request, OneValue(369)).reason.rule,
            GateRule::kBelowThreshold);
}

TEST(LowestWindow, DoesNotStartIntoARampBecauseThisMinuteIsClean) {
  // 150 now, but 350 within the hour; tomorrow's valley stays at 160 for the whole run.
  const std::vector<double> ramp{150, 300, 350, 350, 200, 160, 160, 160, 250};
  const auto request = Request(hours{8}, hours{3});
  EXPECT_EQ(Decide(*MakeThreshold({160}), request, ViewOf(kDay, ramp)).action, GateAction::kStart);
  const auto decision = Decide(*MakeLowestWindow({}), request, ViewOf(kDay, ramp));
  EXPECT_EQ(decision.reason.rule, GateRule::kCleanerLater);
  EXPECT_EQ(decision.reason.start, kDay + hours{5});
  EXPECT_DOUBLE_EQ(decision.reason.expected->g_per_kwh, 160);
}

TEST(LowestWindow, AFlatSignalStartsAtOnce) {
  const auto decision = Decide(*MakeLowestWindow({}), Request(hours{20}, minutes{90}),
                               ViewOf(kDay + minutes{7}, std::vector<double>(24, 217.3)));
  EXPECT_EQ(decision.action, GateAction::kStart);
}

TEST(LowestWindow, DelaysOnlyForTheMinimumSaving) {
  const auto view = ViewOf(kDay, {200, 197, 197});
  const auto request = Request(hours{2}, hours{1});
  EXPECT_EQ(Decide(*MakeLowestWindow({0.02}), request, view).action, GateAction::kStart);
  EXPECT_EQ(Decide(*MakeLowestWindow({0.01}), request, view).action, GateAction::kWait);
}

TEST(LowestWindow, WaitsWithoutAForecastUntilTheLatestStart) {
  auto view = ViewOf(kDay, {200});
  const auto request = Request(hours{2}, hours{1});
  EXPECT_EQ(Decide(*MakeLowestWindow({}), {kDay, kDay + hours{2}, hours{4}}, view).action,
            GateAction::kStart)
      << "with half an hour known, now is the cleanest that can be judged";
  view.known = Hourly(kDay, {});
  EXPECT_EQ(Decide(*MakeLowestWindow({}), request, view).reason.rule, GateRule::kSignalMissing);
  view.now = kDay + hours{2};
  EXPECT_EQ(Decide(*MakeLowestWindow({}), request, view).reason.rule, GateRule::kLatestStart);
}

TEST(CleanestWindowTest, EqualsBruteForceAtOneMinute) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    std::vector<double> values;
    for (int i = 0; i < 30; ++i) values.push_back(random.Uniform(50, 500));
    const Time now = kDay + minutes{random.Below(60)};
    const auto view = ViewOf(now, values);
    const Duration length = minutes{10 + random.Below(400)};
    const Interval starts{now, now + minutes{random.Below(1200)}};
    double lowest = 1e9;
    for (Time start = starts.begin; start <= starts.end; start += minutes{1})
      lowest = std::min(lowest, view.Mean({start, start + length})->intensity.g_per_kwh);
    const auto window = CleanestWindow(view, starts, length);
    ASSERT_TRUE(window) << "seed " << seed;
    EXPECT_NEAR(window->mean.g_per_kwh, lowest, 1e-9) << "seed " << seed;
  }
}

TEST(CleanestWindowTest, SeveralWindowsDoNotOverlapAndEachIsTheCleanestThatIsLeft) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    std::vector<double> values;
    for (int i = 0; i < 24; ++i) values.push_back(random.Uniform(50, 500));
    const auto view = ViewOf(kDay, values);
    const Duration length = minutes{60 + 30 * random.Below(4)};
    const Interval starts{kDay, kDay + hours{20}};
    const auto windows = CleanestWindows(view, starts, length, 4);
    ASSERT_EQ(windows.size(), 4u);
    EXPECT_EQ(windows[0].start, CleanestWindow(view, starts, length)->start);
    for (std::size_t nth = 0; nth < windows.size(); ++nth) {
      double lowest = 1e9;
      for (Time start = starts.begin; start <= starts.end; start += minutes{1}) {
        const Interval window{start, start + length};
        const bool taken = std::any_of(
            windows.begin(), windows.begin() + static_cast<std::ptrdiff_t>(nth),
            [&](const Window& other) {
              return Overlap(window, {other.start, other.start + length}).length() > Duration{0};
            });
        if (!taken) lowest = std::min(lowest, view.Mean(window)->intensity.g_per_kwh);
      }
      EXPECT_NEAR(windows[nth].mean.g_per_kwh, lowest, 1e-9) << "seed " << seed << " " << nth;
    }
  }
  EXPECT_EQ(CleanestWindows(ViewOf(kDay, {1, 2, 3}), {kDay, kDay + hours{2}}, hours{1}, 9).size(),
            3u);
}

TEST(GatePolicies, ThoseOfRunsAreFoundByTheStoredNameAndByTheNameThatPeopleSee) {
  for (const std::string& seen : GatePolicyKindNames()) {
    const auto kind = GatePolicyKindFromName(seen);
    ASSERT_TRUE(kind) << seen;
    EXPECT_EQ(GatePolicyKindFromName(Name(*kind)), kind);
    EXPECT_EQ(PolicyNameOf(Name(*kind)), seen);
    EXPECT_FALSE(HelpOf(*kind).empty()) << seen;
    EXPECT_TRUE(MakeGatePolicy(Name(*kind), {})) << seen;
  }
  EXPECT_EQ(Name(GatePolicyKind::kNow), "now");
  EXPECT_EQ(Name(GatePolicyKind::kWindow), "window");
  EXPECT_FALSE(GatePolicyKindFromName("tiers"));
}

TEST(GatePolicies, AtTheDeadlineNamesAreReadAsTheyAreWritten) {
  for (const std::string& name : AtDeadlineNames()) {
    const auto at_deadline = AtDeadlineFromName(name);
    ASSERT_TRUE(at_deadline) << name;
    EXPECT_EQ(Name(*at_deadline), name);
  }
  EXPECT_FALSE(AtDeadlineFromName("pause"));
}

TEST(GatePolicies, ScalingTheSignalChangesNoWindow) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    std::vector<double> values, scaled;
    for (int i = 0; i < 30; ++i) {
      values.push_back(random.Uniform(50, 500));
      scaled.push_back(values.back() * 3);
    }
    const auto request = Request(hours{20}, minutes{10 + random.Below(300)});
    const auto policy = MakeLowestWindow({});
    EXPECT_EQ(Decide(*policy, request, ViewOf(kDay, values)).reason.start,
              Decide(*policy, request, ViewOf(kDay, scaled)).reason.start);
  }
}

}  // namespace
}  // namespace ebb::plan
