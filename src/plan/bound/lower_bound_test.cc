#include "plan/bound/lower_bound.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "plan/bound/relaxation.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Time kBegin = *ParseTime("2023-05-01");
constexpr int kSteps = 48;  // steps of 15 minutes

// Jobs of one piece on one or two pools, all submitted at the begin, that prefer much the same
// hours.
BoundInput RandomInput(std::uint64_t seed, int jobs) {
  Random random(seed);
  BoundInput input;
  for (int site = 0; site < 2; ++site) {
    std::vector<double> prices;
    for (int i = 0; i < kSteps; ++i) prices.push_back(random.Uniform(50, 400));
    input.curves.emplace_back(kBegin, minutes{15}, prices);
    input.site_of_pool.push_back(site);
    input.devices_in_pool.push_back(1 + jobs / 6);
  }
  for (int i = 0; i < jobs; ++i) {
    BoundJob job{kBegin, static_cast<int>(1 + random.Below(2)), false, {}, {}};
    job.work = minutes{10 + 10 * random.Below(15)};
    for (int pool = 0; pool < 1 + static_cast<int>(random.Below(2)); ++pool)
      job.choices.push_back({pool, job.work * (10 + pool) / 10, 1, random.Uniform(0.1, 0.5),
                             kBegin + hours{6} + minutes{random.Below(300)}, pool});
    input.jobs.push_back(job);
  }
  return input;
}

PoolSteps RandomRents(Random& random) {
  PoolSteps rents(2, std::vector<double>(kSteps));
  for (auto& row : rents)
    for (double& rent : row) rent = random.Below(2) == 0 ? 0 : random.Uniform(0, 60);
  return rents;
}

double IntegralOf(const std::vector<double>& rates, Time from, Time to) {
  double sum = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const Time begin = kBegin + minutes{15} * static_cast<int>(i);
    sum += rates[i] * Hours(Overlap({begin, begin + minutes{15}}, {from, to}).length());
  }
  return sum;
}

// Compares with a search that tries every begin, minute by minute.
TEST(Relaxation, EachJobTakesItsCheapestPlaceUnderPriceAndRent) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const BoundInput input = RandomInput(seed, 1);
    Random random(seed);
    const PoolSteps rents = RandomRents(random);
    double rent_of_all = 0;
    for (std::size_t pool = 0; pool < 2; ++pool)
      for (const double rent : rents[pool]) rent_of_all += rent * input.devices_in_pool[pool] / 4;
    double best = 1e300;
    const BoundJob& job = input.jobs.front();
    for (const BoundChoice& choice : job.choices) {
      const auto pool = static_cast<std::size_t>(choice.pool);
      for (Time begin = kBegin; begin + choice.length <= choice.latest_end; begin += minutes{1}) {
        const Time end = begin + choice.length;
        best =
            std::min(best, choice.kilowatts * IntegralOf(input.curves[pool].prices(), begin, end) +
                               job.width * IntegralOf(rents[pool], begin, end));
      }
    }
    Relaxation relaxation(input);
    EXPECT_NEAR(relaxation.Evaluate(rents) + rent_of_all, best, 1e-9 * best) << "seed " << seed;
    double asked = 0;
    for (std::size_t pool = 0; pool < 2; ++pool)
      for (const double excess : relaxation.excess()[pool])
        asked += excess + input.devices_in_pool[pool] / 4.0;
    const Duration shortest = job.choices.front().length;
    EXPECT_GE(asked, job.width * Hours(shortest) - 1e-9);
  }
}

// Rents other than the best ones never give a higher bound, and the climb is never worse than no
// rents, whatever rents it begins with.
TEST(LowerBound, RisesAboveTheOneWithoutCapacityAndBeginsFromAnyRents) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const BoundInput input = RandomInput(seed, 40);
    const double free = CapacityFreeBound(input);
    const RentedBound best = LagrangianBound(input, std::nullopt, {100'000'000});
    EXPECT_GT(best.price, free * 1.001);
    Random random(seed);
    for (int i = 0; i < 20; ++i)
      EXPECT_LE(Relaxation(input).Evaluate(RandomRents(random)), best.price * 1.002);
    const RentedBound carried = LagrangianBound(input, best.rents, {});
    EXPECT_NEAR(carried.price, best.price, 1e-9 * best.price);
    Rents other = best.rents;
    other.by_pool.pop_back();
    EXPECT_NEAR(LagrangianBound(input, other, {}).price, free, 1e-9 * free);
    other.by_pool = std::vector<std::vector<double>>(2, std::vector<double>(kSteps, 1e6));
    EXPECT_NEAR(LagrangianBound(input, other, {}).price, free, 1e-9 * free);
  }
}

// The climb makes most of its steps with a sample of the jobs, and still nearly reaches the bound
// of a long climb.
TEST(LowerBound, OfManyJobsIsFoundWithSomeOfThem) {
  const BoundInput input = RandomInput(3, 4'000);
  const std::int64_t places = Relaxation(input).places();
  const RentedBound quick = LagrangianBound(input, std::nullopt, {25 * places});
  const RentedBound slow = LagrangianBound(input, std::nullopt, {500 * places, 400});
  EXPECT_GT(quick.price, CapacityFreeBound(input) * 1.01);
  EXPECT_GT(quick.price, slow.price * 0.99);
  EXPECT_LE(quick.price, slow.price * 1.001);
}

}  // namespace
}  // namespace ebb::plan
