#include "core/ledger/counterfactual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

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

TEST(Counterfactual, AShareOfAGpuStaysOneWhereverItIsMoved) {
  const IntensitySeries signal = Steps({400, 300, 200});
  std::vector<LedgerRow> rows = RunOf(kDay, hours{2}, 1, signal);
  for (LedgerRow& row : rows) row.shared = true;
  for (const LedgerRow& row : RowsAt(rows, kDay + hours{1}, signal)) EXPECT_TRUE(row.shared);
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

// Ranks of one job, two of them paused together, with rows in any order.
TEST(Counterfactual, AttemptsSideBySideStaySo) {
  const IntensitySeries signal = Steps({400, 300, 100, 200, 150, 500});
  std::vector<LedgerRow> rows;
  const auto add = [&](int attempt, Duration begin, Duration length) {
    for (const LedgerRow& row : RunOf(kDay + begin, length, attempt, signal)) rows.push_back(row);
  };
  add(1, minutes{0}, minutes{60});
  add(2, minutes{10}, minutes{60});
  add(3, minutes{190}, minutes{20});  // after the pause
  add(4, minutes{200}, minutes{30});
  const std::vector<Interval> stay = MovedTo({rows.begin(), rows.begin() + 3}, kDay);
  for (std::size_t i = 0; i < stay.size(); ++i) EXPECT_EQ(stay[i], rows[i].grid);
  for (int order = 0; order < 4; ++order) {
    std::rotate(rows.begin(), rows.begin() + 1, rows.end());
    const std::vector<Interval> moved = MovedTo(rows, kDay + hours{1});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Duration closed = rows[i].attempt > 2 ? Duration{minutes{120}} : Duration{0};
      EXPECT_EQ(moved[i].begin, rows[i].grid.begin + hours{1} - closed);
      EXPECT_EQ(moved[i].length(), rows[i].grid.length());
    }
  }
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

// Compares the quick search with every start, computed in full.
TEST(Counterfactual, TheBestStartIsTheOneThatTryingAllFinds) {
  std::mt19937 random(7);
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 200; ++round) {
    std::vector<double> values;
    for (int hour = 0; hour < 12; ++hour) values.push_back(50 + upto(400));
    const IntensitySeries signal = Steps(values);
    std::vector<LedgerRow> rows;
    for (int i = 0, at = upto(60); i < 1 + upto(8); ++i) {
      const int length = upto(40);
      LedgerRow row;
      row.attempt = 1 + i / 3;
      row.grid = row.wall = {kDay + minutes{at}, kDay + minutes{at + length}};
      row.energy = Energy::Joules(1000 + upto(100'000));
      rows.push_back(row);
      at += length + upto(30);
    }
    const Interval starts{kDay - minutes{upto(90)}, kDay + minutes{upto(700)}};
    std::optional<Counterfactual> brute;
    for (Time start = starts.begin; start <= starts.end; start += minutes{5}) {
      const Counterfactual one = RunAt(rows, start, signal);
      if (one.energy_without_intensity > Energy{}) continue;
      if (!brute || one.emissions.grams < brute->emissions.grams - 1e-9) brute = one;
    }
    const auto best = BestStart(rows, starts, minutes{5}, signal);
    ASSERT_EQ(best.has_value(), brute.has_value()) << round;
    if (!best) continue;
    EXPECT_NEAR(best->emissions.grams, brute->emissions.grams, 1e-6) << round;
  }
}

// Compares with every way to lay a few stretches into a few places.
TEST(Counterfactual, TheBestWithPausesIsTheOneThatTryingAllFinds) {
  std::mt19937 random(11);
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 100; ++round) {
    std::vector<double> values;
    for (int hour = 0; hour < 9; ++hour) values.push_back(50 + upto(400));
    const IntensitySeries signal = Steps(values);
    // Three hours of different power. The search has finer stretches than hours, so the test has
    // finer places too.
    std::vector<LedgerRow> rows;
    for (int hour = 0; hour < 3; ++hour) {
      LedgerRow row;
      row.grid = row.wall = {kDay + hours{hour}, kDay + hours{hour + 1}};
      row.energy = Energy::Joules(1000 + upto(100'000));
      rows.push_back(row);
    }
    double fewest = 1e99;
    for (std::size_t a = 0; a < 9; ++a)
      for (std::size_t b = a + 1; b < 9; ++b)
        for (std::size_t c = b + 1; c < 9; ++c)
          fewest =
              std::min(fewest, rows[0].energy.kwh() * values[a] + rows[1].energy.kwh() * values[b] +
                                   rows[2].energy.kwh() * values[c]);
    const auto best = BestWithPauses(rows, {kDay, kDay + hours{9}}, signal);
    ASSERT_TRUE(best);
    EXPECT_LE(best->emissions.grams, fewest + 1e-9) << "whole hours are among its places";
    const auto lowest = *std::min_element(values.begin(), values.end());
    EXPECT_GE(best->emissions.grams, Total(rows).energy.kwh() * lowest - 1e-9);
    const auto unpaused = BestStart(rows, {kDay, kDay + hours{6}}, minutes{5}, signal);
    EXPECT_LE(best->emissions.grams, unpaused->emissions.grams + 1e-9);
  }
}

TEST(Counterfactual, WithoutRoomOrKnownValuesThereIsNoBestWithPauses) {
  const IntensitySeries signal = Steps({400, 300});
  const auto rows = RunOf(kDay, hours{2}, 1, signal);
  EXPECT_TRUE(BestWithPauses(rows, {kDay, kDay + hours{2}}, signal));
  EXPECT_FALSE(BestWithPauses(rows, {kDay, kDay + hours{1}}, signal));
  EXPECT_FALSE(BestWithPauses(rows, {kDay + hours{1}, kDay + hours{9}}, signal));
  EXPECT_FALSE(BestWithPauses({}, {kDay, kDay + hours{2}}, signal));
}

}  // namespace
}  // namespace ebb::core
