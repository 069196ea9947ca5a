#include "core/signal/intensity.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/signal/signal_choices.h"

namespace ebb::core {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Time kDay = *ParseTime("2023-05-01");
const SignalIdentity kZone{"Z", SignalKind::kAverage, Boundary::kLifecycle, "test"};

Sample Hour(int begin, double value) {
  return {{kDay + hours{begin}, kDay + hours{begin + 1}}, {value}, SampleStatus::kMeasured};
}

IntensitySeries SeriesWithGap() {
  return *IntensitySeries::Create(kZone, {Hour(0, 100), Hour(1, 200), Hour(3, 50)});
}

TEST(SignalChoices, AreNamesThatAreReadAsTheyAreWritten) {
  for (const std::string& name : SignalKindNames()) {
    const auto kind = SignalKindFromName(name);
    ASSERT_TRUE(kind) << name;
    EXPECT_EQ(Name(*kind), name);
  }
  // "unknown" is a boundary that a signal may have, and none to ask for.
  EXPECT_EQ(BoundaryChoices(), (std::vector<std::string>{"lifecycle", "direct"}));
}

TEST(IntensitySeries, IntervalsAreHalfOpen) {
  const IntensitySeries series = SeriesWithGap();
  EXPECT_EQ(series.At(kDay + hours{1})->intensity.g_per_kwh, 200);
  EXPECT_EQ(series.At(kDay + hours{1} - Duration{1})->intensity.g_per_kwh, 100);
  EXPECT_EQ(series.At(kDay - Duration{1}), nullptr);
  EXPECT_EQ(series.At(kDay + hours{4}), nullptr);
}

TEST(IntensitySeries, AGapIsUnknownAndNeverZero) {
  const IntensitySeries series = SeriesWithGap();
  EXPECT_EQ(series.At(kDay + hours{2}), nullptr);
  EXPECT_FALSE(series.Mean({kDay + hours{2}, kDay + hours{3}}));
  const auto mean = series.Mean({kDay, kDay + hours{4}});
  EXPECT_DOUBLE_EQ(mean->intensity.g_per_kwh, 350.0 / 3);
  EXPECT_DOUBLE_EQ(mean->coverage, 0.75);
}

TEST(IntensitySeries, MeanWeighsByTime) {
  const auto mean = SeriesWithGap().Mean({kDay + minutes{45}, kDay + minutes{105}});
  EXPECT_DOUBLE_EQ(mean->intensity.g_per_kwh, 0.25 * 100 + 0.75 * 200);
}

TEST(IntensitySeries, RefusesWhatCannotBe) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(IntensitySeries::Create(kZone, {Hour(0, -1)}));
  EXPECT_FALSE(IntensitySeries::Create(kZone, {Hour(0, nan)}));
  EXPECT_FALSE(IntensitySeries::Create(kZone, {Hour(1, 1), Hour(0, 1)}));
  EXPECT_FALSE(IntensitySeries::Create(kZone, {Hour(0, 1), Hour(0, 1)}));
  EXPECT_FALSE(IntensitySeries::Create(kZone, {{{kDay, kDay}, {1}, SampleStatus::kMeasured}}));
}

TEST(IntensitySeries, ASliceKnowsWhichSourceKnewIt) {
  SignalIdentity chain = kZone;
  chain.links = {"first", "second"};
  Sample sample = Hour(0, 100);
  sample.link = 1;
  const auto slice = IntensitySeries::Create(chain, {sample})->Slice({kDay, kDay + minutes{5}});
  EXPECT_EQ(LinkOf(slice.identity(), slice.samples()[0]), "second");
}

TEST(IntensitySeries, SliceCutsSamplesAtItsEnds) {
  const IntensitySeries slice = SeriesWithGap().Slice({kDay + minutes{30}, kDay + minutes{90}});
  ASSERT_EQ(slice.samples().size(), 2u);
  EXPECT_EQ(slice.span().length(), Duration{hours{1}});
}

TEST(SignalView, AMeanMayReachIntoTheForecast) {
  SignalView view;
  view.now = kDay + minutes{30};
  view.known = *IntensitySeries::Create(kZone, {Hour(0, 100)});
  view.forecast.series = *IntensitySeries::Create(kZone, {Hour(1, 300)});
  EXPECT_EQ(view.Current()->intensity.g_per_kwh, 100);
  EXPECT_DOUBLE_EQ(view.Mean({kDay + minutes{30}, kDay + minutes{90}})->intensity.g_per_kwh, 200);
}

}  // namespace
}  // namespace ebb::core
