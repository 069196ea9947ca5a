#include "plan/bound/crowds.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "plan/bound/lowest_prices.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Time kBegin = *ParseTime("2023-05-01");
constexpr int kSteps = 64;  // steps of 15 minutes

// Jobs that may run on one to three pools, all submitted at the begin. The latest begin of each is
// an edge. `moves`: on every pool but one, a job begins with a move.
BoundInput RandomInput(std::uint64_t seed, int jobs, bool moves) {
  Random random(seed);
  BoundInput input;
  for (int site = 0; site < 3; ++site) {
    std::vector<double> prices;
    for (int i = 0; i < kSteps; ++i) prices.push_back(random.Uniform(50, 400));
    input.curves.emplace_back(kBegin, minutes{15}, prices);
    input.site_of_pool.push_back(site);
    input.devices_in_pool.push_back(1 + jobs / 30);
  }
  for (int i = 0; i < jobs; ++i) {
    BoundJob job{kBegin, static_cast<int>(1 + random.Below(2)), false, {}, {}};
    job.work = minutes{10 + 7 * random.Below(15)};
    const double kilowatts = job.width * random.Uniform(0.1, 0.5);
    const Duration wait = minutes{15} * static_cast<int>(random.Below(40));
    const int home = static_cast<int>(random.Below(3));
    for (int pool = 0; pool < 1 + static_cast<int>(random.Below(3)); ++pool) {
      BoundChoice choice{pool, job.work * (10 + pool) / 10, 1, kilowatts, {}, pool, {}, 0};
      if (moves && pool != home) choice.move = {minutes{4}, 0.05, 0.02, home};
      choice.length += choice.move.takes;
      choice.latest_end = kBegin + wait + choice.length;
      job.choices.push_back(choice);
    }
    input.jobs.push_back(job);
  }
  return input;
}

PoolSteps RandomRents(std::uint64_t seed) {
  Random random(seed);
  PoolSteps rents(3, std::vector<double>(kSteps));
  for (auto& row : rents)
    for (double& rent : row) rent = random.Below(2) == 0 ? 0 : random.Uniform(0, 60);
  return rents;
}

double AskedOf(const Relaxed& relaxed) {
  double asked = 0;
  for (std::size_t pool = 0; pool < relaxed.excess().size(); ++pool)
    for (std::size_t i = 0; i < kSteps; ++i)
      asked += relaxed.excess()[pool][i] + relaxed.capacity()[pool][i];
  return asked;
}

// A job that is a crowd of its own keeps its length and power. Only its deadline is a little later:
// it may begin at any moment of the step in which it must begin.
TEST(Crowds, OfOneJobEachCostAsMuchAsTheJobs) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    BoundInput input = RandomInput(seed, 1, false);
    const PoolSteps rents = RandomRents(seed);
    Relaxation exact(input);
    const auto crowds = Crowds::Of(input, exact.capacity(), 1);
    ASSERT_TRUE(crowds);
    const double value = crowds->Evaluate(rents);
    EXPECT_LE(value, exact.Evaluate(rents) + 1e-9);
    for (BoundChoice& choice : input.jobs.front().choices) choice.latest_end += minutes{15};
    Relaxation later(input);
    EXPECT_GE(value, later.Evaluate(rents) - 1e-9);
    double longest = 0;
    for (const BoundChoice& choice : input.jobs.front().choices)
      longest = std::max(longest, Hours(choice.length));
    EXPECT_GE(AskedOf(*crowds), input.jobs.front().width * Hours(input.jobs.front().work) - 1e-9);
    EXPECT_LE(AskedOf(*crowds), input.jobs.front().width * longest + 1e-9);
  }
}

TEST(Crowds, OfManyJobsCostNearlyAsMuchAsTheJobs) {
  for (const bool moves : {false, true})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const BoundInput input = RandomInput(seed, 3'000, moves);
      Relaxation exact(input);
      const auto few = Crowds::Of(input, exact.capacity(), 100);
      const auto crowds = Crowds::Of(input, exact.capacity(), 300);
      ASSERT_TRUE(few && crowds);
      EXPECT_LT(few->places(), exact.places() / 5);
      const PoolSteps rents = RandomRents(seed);
      const double value = exact.Evaluate(rents);
      double cost = value;
      for (std::size_t pool = 0; pool < 3; ++pool)
        for (std::size_t i = 0; i < kSteps; ++i) cost += rents[pool][i] * exact.capacity()[pool][i];
      EXPECT_NEAR(crowds->Evaluate(rents), value, 0.03 * cost);
      EXPECT_NEAR(AskedOf(*crowds), AskedOf(exact), 0.02 * AskedOf(exact));
    }
}

TEST(Crowds, AreNotMadeOfJobsThatMayBeSplitOrBeginLaterOrAreTooUnlike) {
  BoundInput input = RandomInput(1, 100, false);
  const PoolSteps capacity = Relaxation(input).capacity();
  EXPECT_TRUE(Crowds::Of(input, capacity, 10));
  EXPECT_FALSE(Crowds::Of(input, capacity, 2)) << "on one, two or three pools";
  input.jobs.back().earliest += minutes{15};
  EXPECT_FALSE(Crowds::Of(input, capacity, 10));
  input.jobs.back().earliest -= minutes{15};
  input.jobs.back().split = true;
  EXPECT_FALSE(Crowds::Of(input, capacity, 10));
}

TEST(LowestPrices, AreThoseOfTheStepsThatAWindowTouches) {
  Random random(3);
  std::vector<double> prices;
  for (int i = 0; i < 37; ++i) prices.push_back(random.Uniform(50, 400));
  const PriceCurve curve(kBegin, minutes{15}, prices);
  const LowestPrices lowest(curve);
  for (int from = -30; from < 37 * 15; from += 7)
    for (int to = from + 1; to < 37 * 15 + 40; to += 11) {
      const Interval window{kBegin + minutes{from}, kBegin + minutes{to}};
      double expected = to <= 0 ? prices.front() : 1e300;
      for (std::size_t i = 0; i < prices.size(); ++i)
        if (Overlap(window, {curve.EdgeAt(i), curve.EdgeAt(i + 1)}).length() > Duration::zero())
          expected = std::min(expected, prices[i]);
      ASSERT_EQ(lowest.In(window), expected) << from << " to " << to;
    }
  EXPECT_EQ(lowest.In({curve.end(), curve.end() + hours{1}}), 0);
}

}  // namespace
}  // namespace ebb::plan
