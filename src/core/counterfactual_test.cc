#include "core/counterfactual.h"

#include <gtest/gtest.h>

namespace ebb::core {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Time kDay = *ParseTime("2023-05-01");
const SignalIdentity kZone{"Z", SignalKind::kAverage, Boundary::kLifecycle, "test"};

IntensitySeries Steps(const std::vector<double>& hourly) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < hourly.size(); ++i) {
    const Time begin = kDay + hours{static_cast<int>(i)};
    samples.push_back({{begin, begin + hours{1}}, {hourly[i]}, SampleStatus::kMeasured});
  }
  return *IntensitySeries::Create(kZone, samples);
}

std::vector<LedgerRow> RunOf(Time start, Duration length, int attempt,
                             const IntensitySeries& signal) {
  const Interval interval{start, start + length};
  return MakeRows({"cpu", Component::kCpu, EnergySource::kModel, interval,
                   Energy::Joules(1000 * Seconds(length))},
                  interval, attempt, Pue{1}, signal);
}

TEST(Counterfactual, MovingARunToWhereItWasChangesNothing) {
  const IntensitySeries signal = Steps({400, 300, 100, 200});
  const auto rows = RunOf(kDay + hours{2}, minutes{90}, 1, signal);
  EXPECT_NEAR(RunAt(rows, kDay + hours{2}, signal).emissions.grams, Total(rows).emissions.grams,
              1e-9);
}

TEST(Counterfactual, AtSubmissionTheSameEnergyMeetsTheIntensityOfSubmission) {
  const IntensitySeries signal = Steps({400, 300, 100, 200});
  const auto rows = RunOf(kDay + hours{2}, hours{1}, 1, signal);
  EXPECT_DOUBLE_EQ(RunAt(rows, kDay, signal).emissions.grams, 400);
  EXPECT_DOUBLE_EQ(Total(rows).emissions.grams, 100);
}

TEST(Counterfactual, PausesAreClosedUp) {
  const IntensitySeries signal = Steps({400, 300, 100, 200});
  auto rows = RunOf(kDay, hours{1}, 1, signal);
  for (const LedgerRow& row : RunOf(kDay + hours{3}, hours{1}, 2, signal)) rows.push_back(row);
  EXPECT_DOUBLE_EQ(RunAt(rows, kDay + hours{1}, signal).emissions.grams, 300 + 100);
}

TEST(Counterfactual, TheBestStartInHindsightIsNeverWorseThanAnyOther) {
  const IntensitySeries signal = Steps({400, 300, 100, 200, 150, 500});
  const auto rows = RunOf(kDay, hours{2}, 1, signal);
  const auto best = BestStart(rows, {kDay, kDay + hours{4}}, minutes{15}, signal);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->start, kDay + hours{2});
  EXPECT_FALSE(BestStart(rows, {kDay + hours{5}, kDay + hours{9}}, hours{1}, signal))
      << "a run that leaves the known signal has no known emissions";
}

}  // namespace
}  // namespace ebb::core
