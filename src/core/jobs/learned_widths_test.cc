#include "core/jobs/learned_widths.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "core/jobs/widths.h"

namespace ebb::core {
namespace {

// The speed-ups from which data are made, relative to two devices.
double True(int devices) {
  return devices == 1 ? 0.55 : devices == 2 ? 1 : devices == 4 ? 1.7 : 2.4;
}
constexpr int kOwn = 2;

double Noise(Random& random, double share) {
  double sum = 0;  // of uniform numbers: nearly normal
  for (int i = 0; i < 12; ++i) sum += random.Uniform(0, 1);
  return std::exp(share * (sum - 6));
}

// Attempts of programs whose own rates differ by orders of magnitude.
std::vector<WidthRate> Attempts(Random& random, int programs, int each, double noise) {
  std::vector<WidthRate> rates;
  for (int program = 0; program < programs; ++program) {
    const double own = std::exp(random.Uniform(-5, 8));
    for (int i = 0; i < each; ++i) {
      const int devices = 1 << random.Below(4);
      rates.push_back(
          {std::to_string(program), devices, own * True(devices) * Noise(random, noise), Time{}});
    }
  }
  return rates;
}

double SpeedIn(const std::vector<MeasuredWidth>& measured, int devices) {
  for (const MeasuredWidth& one : measured)
    if (one.devices == devices) return one.speed;
  return -1;
}

Job Elastic(std::vector<WidthSpeed> speedup) {
  Job job;
  job.devices = kOwn;
  job.checkpointable = true;
  job.duration = std::chrono::hours{1};
  job.speedup = std::move(speedup);
  return job;
}

TEST(MeasuredSpeedup, RecoversTheSpeedupFromWhichNoisyDataAreMade) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    const auto measured = MeasuredSpeedup(Attempts(random, 6, 10, 0.05), kOwn);
    ASSERT_EQ(measured.size(), 4u) << seed;
    for (const MeasuredWidth& one : measured)
      EXPECT_NEAR(one.speed / True(one.devices), 1, 0.08) << seed << " " << one.devices;
  }
}

TEST(MeasuredSpeedup, IsExactWithoutNoiseAlsoThroughOtherWidths) {
  // No program ran on both one and two devices.
  const std::vector<WidthRate> rates{{"a", 2, 10, {}},   {"a", 4, 17, {}},   {"a", 2, 10, {}},
                                     {"a", 4, 17, {}},   {"a", 2, 10, {}},   {"a", 4, 17, {}},
                                     {"b", 1, 0.55, {}}, {"b", 4, 1.7, {}},  {"b", 1, 0.55, {}},
                                     {"b", 4, 1.7, {}},  {"b", 1, 0.55, {}}, {"b", 4, 1.7, {}},
                                     {"c", 8, 7, {}}};
  const auto measured = MeasuredSpeedup(rates, kOwn);
  ASSERT_EQ(measured.size(), 3u) << "the program c has nothing in common with the others";
  EXPECT_NEAR(SpeedIn(measured, 1), 0.55, 1e-6);
  EXPECT_NEAR(SpeedIn(measured, 4), 1.7, 1e-6);
}

TEST(MeasuredSpeedup, DoesNotDependOnTheUnitOfAProgramsWork) {
  Random random(7);
  std::vector<WidthRate> rates = Attempts(random, 5, 8, 0.05);
  const auto before = MeasuredSpeedup(rates, kOwn);
  for (WidthRate& rate : rates)
    if (rate.program == "1" || rate.program == "3") rate.per_second *= 4096;
  const auto after = MeasuredSpeedup(rates, kOwn);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_NEAR(before[i].speed, after[i].speed, 1e-9);
}

TEST(MeasuredSpeedup, OneOddAttemptDoesNotMoveIt) {
  std::vector<WidthRate> rates;
  for (int i = 0; i < 5; ++i)
    for (const int devices : {1, 2, 4}) rates.push_back({"a", devices, 100 * True(devices), {}});
  rates.push_back({"a", 4, 5, {}});
  EXPECT_NEAR(SpeedIn(MeasuredSpeedup(rates, kOwn), 4), 1.7, 1e-9);
}

TEST(MeasuredSpeedup, IsCautiousAfterFewAttempts) {
  const auto few = MeasuredSpeedup({{"a", 2, 100, {}}, {"a", 4, 170, {}}, {"a", 8, 900, {}}}, kOwn);
  EXPECT_LT(SpeedIn(few, 4), 1.7);
  EXPECT_GT(SpeedIn(few, 4), 1.5);
  EXPECT_LE(SpeedIn(few, 8), 4) << "better than linear is not believed at once";
  std::vector<WidthRate> many;
  for (int i = 0; i < 3; ++i)
    for (const auto& [devices, rate] : {std::pair{2, 100.0}, {8, 900.0}})
      many.push_back({"a", devices, rate, {}});
  EXPECT_NEAR(SpeedIn(MeasuredSpeedup(many, kOwn), 8), 9, 1e-9) << "but once it is measured";
}

TEST(MeasuredSpeedup, NeedsTheOwnWidth) {
  EXPECT_TRUE(MeasuredSpeedup({}, kOwn).empty());
  EXPECT_TRUE(MeasuredSpeedup({{"a", 1, 1, {}}, {"a", 4, 3, {}}}, kOwn).empty());
}

TEST(LearnedSpeedup, IsAlwaysAValidSpeedup) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    std::vector<WidthRate> rates;
    for (int i = 0; i < 12; ++i)
      rates.push_back({std::to_string(random.Below(3)), 1 << random.Below(4),
                       random.Uniform(0.01, 100), Time{}});
    const auto measured = MeasuredSpeedup(rates, kOwn);
    Job job = Elastic({{1, 0.6}, {3, 1.4}, {4, 0}, {8, 0}});
    ASSERT_TRUE(CheckWidths(job));
    job.learned_speedup = LearnedSpeedup(job, measured);
    EXPECT_TRUE(CheckWidths(job)) << seed;
  }
}

TEST(LearnedSpeedup, OfAWidthThatWasNotMeasuredIsInProportion) {
  const Job job = Elastic({{1, 0.6}, {4, 1.9}, {8, 3.8}});
  const auto learned = LearnedSpeedup(job, {{2, 1, 3}, {4, 1.5, 3}});
  ASSERT_EQ(learned.size(), 3u);
  EXPECT_NEAR(learned[1].speed, 1.5, 1e-9);
  EXPECT_NEAR(learned[2].speed, 3.0, 1e-9) << "twice that on four, as given";
  EXPECT_NEAR(learned[0].speed, 0.6, 1e-9) << "its own width is the nearest";
  EXPECT_TRUE(LearnedSpeedup(job, {{2, 1, 3}}).empty());
  EXPECT_TRUE(LearnedSpeedup(job, {}).empty());
}

TEST(LearnedSpeedup, IsSaidBesideTheGivenOne) {
  const Job job = Elastic({{4, 1.9}, {8, 0}});
  const std::vector<MeasuredWidth> measured{{2, 1, 3}, {4, 1.5, 1}};
  const auto learned = LearnedSpeedup(job, measured);
  EXPECT_NEAR(LargestChange(job, job.speedup, learned), 0.4 / 1.9, 1e-3);
  EXPECT_EQ(LearnedText(job, learned, measured),
            "1.50 times as fast on 4 devices (given 1.90; 1 attempt), 2.70 times as fast on 8 "
            "devices (not given; not measured)");
}

std::vector<ProgressPoint> Steps(double seconds, double per_second, double start_up_s) {
  std::vector<ProgressPoint> points;
  double count = 100;
  for (double t = 0; t <= seconds; t += 0.5) {
    points.push_back({Time{DurationFromSeconds(1000 + t)}, count});
    if (t >= start_up_s) count += per_second / 2;
  }
  return points;
}

TEST(SteadyRate, LeavesOutTheStartUp) {
  EXPECT_NEAR(*SteadyRate(Steps(60, 8, 10)), 8, 1e-9);
  EXPECT_FALSE(SteadyRate(Steps(10, 8, 1))) << "too short";
  EXPECT_FALSE(SteadyRate({})) << "no report";
}

TEST(SteadyRate, OneLongEvaluationDoesNotMoveIt) {
  std::vector<ProgressPoint> points = Steps(60, 8, 0);
  for (std::size_t i = 80; i < points.size(); ++i) points[i].at += std::chrono::seconds{30};
  EXPECT_NEAR(*SteadyRate(points), 8, 1e-9);
}

TEST(SteadyRate, ACountThatFallsBeginsAnew) {
  std::vector<ProgressPoint> points = Steps(60, 8, 0);
  for (std::size_t i = 60; i < points.size(); ++i) points[i].count -= 200;
  EXPECT_NEAR(*SteadyRate(points), 8, 1e-9);
}

}  // namespace
}  // namespace ebb::core
