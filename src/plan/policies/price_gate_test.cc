#include <gtest/gtest.h>

#include "plan/price_blend.h"

namespace ebb::plan {
namespace {

using core::GateAction;
using core::GateRule;
using std::chrono::hours;
using std::chrono::minutes;

const Time kNow = *ParseTime("2026-05-01T00:00Z");
const core::SignalIdentity kZone{"Z", core::SignalKind::kAverage, core::Boundary::kLifecycle, "t"};

std::shared_ptr<core::PriceSeries> Prices(const std::vector<std::optional<double>>& hourly,
                                          Time known_from = Time::min()) {
  std::vector<core::PriceSample> samples;
  for (std::size_t i = 0; i < hourly.size(); ++i) {
    const Time begin = kNow + hours{static_cast<int>(i)};
    if (hourly[i]) samples.push_back({{begin, begin + hours{1}}, *hourly[i], known_from});
  }
  return std::make_shared<core::PriceSeries>(*core::PriceSeries::Create({"EUR", "test"}, samples));
}

// The first hour is known, the rest forecast.
core::SignalView View(const std::vector<double>& hourly) {
  std::vector<core::Sample> known, ahead;
  for (std::size_t i = 0; i < hourly.size(); ++i) {
    const Time begin = kNow + hours{static_cast<int>(i)};
    (i == 0 ? known : ahead)
        .push_back({{begin, begin + hours{1}},
                    {hourly[i]},
                    i == 0 ? core::SampleStatus::kMeasured : core::SampleStatus::kForecast});
  }
  core::SignalView view;
  view.now = kNow;
  view.known = *core::IntensitySeries::Create(kZone, known);
  view.forecast.series = *core::IntensitySeries::Create(kZone, ahead);
  return view;
}

GateRequest Request() {
  GateRequest request;
  request.submitted = kNow;
  request.latest_start = kNow + hours{3};
  request.remaining = hours{1};
  return request;
}

core::GateDecision Decide(const PriceGateOptions& options, const core::SignalView& view,
                          const GateRequest& request = Request(),
                          std::unique_ptr<GatePolicy> inner = MakeLowestWindow({})) {
  return MakePriceAware(std::move(inner), options)->Decide(request, {view, kNow + hours{1}});
}

TEST(PriceBlend, SixtyFortyComputedByHand) {
  // Carbon 100, 200, 300 (mean 200), price 0.3, 0.1, 0.2 (mean 0.2), 40 % price:
  // 0.6 x 100 + 0.4 x 200 x 1.5 = 180; 0.6 x 200 + 0.4 x 200 x 0.5 = 160;
  // 0.6 x 300 + 0.4 x 200 x 1 = 260.
  const auto blended = BlendView(View({100, 200, 300}), *Prices({0.3, 0.1, 0.2}), 0.4, kNow);
  EXPECT_NEAR(blended.At(kNow)->intensity.g_per_kwh, 180, 1e-9);
  EXPECT_NEAR(blended.At(kNow + hours{1})->intensity.g_per_kwh, 160, 1e-9);
  EXPECT_NEAR(blended.At(kNow + hours{2})->intensity.g_per_kwh, 260, 1e-9);
  EXPECT_NEAR(blended.Mean({kNow, kNow + hours{3}})->intensity.g_per_kwh, 200, 1e-9)
      << "the mean stays that of carbon";
}

TEST(PriceBlend, NegativePricesAreCountedFromTheLowest) {
  // -0.1, 0.1, 0.3: from the lowest 0, 0.2, 0.4, mean 0.2.
  const auto blended = BlendView(View({100, 100, 100}), *Prices({-0.1, 0.1, 0.3}), 0.5, kNow);
  EXPECT_NEAR(blended.At(kNow)->intensity.g_per_kwh, 50, 1e-9);
  EXPECT_NEAR(blended.At(kNow + hours{1})->intensity.g_per_kwh, 100, 1e-9);
  EXPECT_NEAR(blended.At(kNow + hours{2})->intensity.g_per_kwh, 150, 1e-9);
}

TEST(PriceBlend, AFlatPriceChangesNothingEvenAtZero) {
  const core::SignalView view = View({100, 200, 300});
  for (const double price : {0.25, 0.0, -0.25}) {
    const auto blended = BlendView(view, *Prices({price, price, price}), 0.5, kNow);
    const double step =
        blended.At(kNow + hours{1})->intensity.g_per_kwh - blended.At(kNow)->intensity.g_per_kwh;
    EXPECT_NEAR(step, 50, 1e-9) << price;
  }
}

TEST(PriceBlend, WhatIsNotKnownOfEitherIsAGapAndPriceAloneNeedsNoCarbon) {
  const auto prices = Prices({0.3, std::nullopt, 0.2, 0.1});
  const auto half = BlendView(View({100, 200, 300}), *prices, 0.5, kNow);
  EXPECT_EQ(half.At(kNow + minutes{90}), nullptr);
  EXPECT_EQ(half.At(kNow + minutes{210}), nullptr);
  const auto alone = BlendView(View({100}), *prices, 1, kNow);
  EXPECT_NE(alone.At(kNow + minutes{210}), nullptr);
  EXPECT_EQ(alone.At(kNow + minutes{90}), nullptr);
}

TEST(PriceGate, TheWeightDecidesBetweenTheCleanAndTheCheapHour) {
  // Cleanest in hour 1, cheapest in hour 2.
  const core::SignalView view = View({300, 100, 280, 300, 300});
  const auto prices = Prices({0.4, 0.4, 0.1, 0.4, 0.4});
  const auto start_at = [&](double weight) {
    return *Decide({prices, weight, {}}, view).reason.start;
  };
  EXPECT_EQ(start_at(0), kNow + hours{1});
  EXPECT_EQ(start_at(0.1), kNow + hours{1});
  EXPECT_EQ(start_at(0.9), kNow + hours{2});
  EXPECT_EQ(start_at(1), kNow + hours{2});
  const auto decision = Decide({prices, 0.9, {}}, view);
  EXPECT_EQ(decision.action, GateAction::kWait);
  EXPECT_EQ(decision.reason.rule, GateRule::kBetterLater);
  EXPECT_EQ(decision.reason.current->g_per_kwh, 300) << "told with the true intensity";
  EXPECT_EQ(decision.reason.expected->g_per_kwh, 280);
  EXPECT_NE(Sentence(decision).find("0.4 EUR/kWh now"), std::string::npos) << Sentence(decision);
  EXPECT_NE(Sentence(decision).find("0.1 EUR/kWh on average"), std::string::npos)
      << Sentence(decision);
}

TEST(PriceGate, TheThresholdAdmitsAtEqualityAndWaitsAbove) {
  const core::SignalView view = View({300, 300, 300, 300});
  const auto now = [] { return MakeRunNow(); };
  const auto at = Decide({Prices({0.2, 0.1}), 0, 0.2}, view, Request(), now());
  EXPECT_EQ(at.action, GateAction::kStart);
  const auto above = Decide({Prices({0.3, 0.25, 0.2}), 0, 0.2}, view, Request(), now());
  EXPECT_EQ(above.action, GateAction::kWait);
  EXPECT_EQ(above.reason.rule, GateRule::kPriceAboveThreshold);
  EXPECT_EQ(above.reason.start, kNow + hours{2});
  EXPECT_EQ(above.wake_at, kNow + hours{1});
}

TEST(PriceGate, AnUnknownPriceWaitsAndTheLatestStartEndsEveryWait) {
  core::SignalView view = View({300, 300, 300, 300});
  const auto decision = Decide({Prices({}), 0, 0.2}, view, Request(), MakeRunNow());
  EXPECT_EQ(decision.action, GateAction::kWait);
  EXPECT_EQ(decision.reason.rule, GateRule::kPriceMissing);
  GateRequest due = Request();
  due.latest_start = kNow;
  EXPECT_EQ(Decide({Prices({0.9}), 0, 0.2}, view, due, MakeRunNow()).action, GateAction::kStart);
  due.at_deadline = AtDeadline::kStop;
  EXPECT_EQ(Decide({Prices({0.9}), 0, 0.2}, view, due, MakeRunNow()).action, GateAction::kStop);
}

TEST(PriceGate, APriceThatIsNotYetPublishedIsNotUsedAndItsPublicationWakes) {
  const core::SignalView view = View({300, 300, 300, 300});
  auto samples = Prices({0.4, 0.4})->samples();
  samples.push_back({{kNow + hours{2}, kNow + hours{3}}, 0.01, kNow + minutes{30}});
  const auto prices =
      std::make_shared<core::PriceSeries>(*core::PriceSeries::Create({"EUR", "test"}, samples));
  const auto decision = Decide({prices, 0.5, {}}, view);
  EXPECT_EQ(decision.action, GateAction::kStart) << "nothing cheaper is known";
  const auto waiting = Decide({prices, 0, 0.2}, view, Request(), MakeRunNow());
  EXPECT_FALSE(waiting.reason.start);
  EXPECT_EQ(waiting.wake_at, kNow + minutes{30});
}

}  // namespace
}  // namespace ebb::plan
