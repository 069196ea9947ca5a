// Tests of the bits of a job that may be split, against all bits in the order of their prices.

#include "plan/bound/cheapest_bits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/random.h"

namespace ebb::plan {
namespace {

using std::chrono::minutes;

const Time kBegin = *ParseTime("2023-05-01");
constexpr std::size_t kSteps = 50, kPools = 3;
constexpr Duration kStep = minutes{15};

BoundInput RandomInput(Random& random) {
  BoundInput input;
  for (std::size_t pool = 0; pool < kPools; ++pool) {
    std::vector<double> prices;
    for (std::size_t i = 0; i < kSteps; ++i) prices.push_back(random.Uniform(50, 400));
    input.curves.emplace_back(kBegin, kStep, prices);
    input.site_of_pool.push_back(static_cast<int>(pool));
    input.devices_in_pool.push_back(4);
  }
  return input;
}

BoundJob RandomJob(Random& random) {
  BoundJob job{kBegin + minutes{random.Below(40)},
               1 + static_cast<int>(random.Below(2)),
               true,
               minutes{30 + random.Below(300)},
               {}};
  for (int pool = 0; pool < static_cast<int>(kPools); ++pool) {
    if (random.Below(3) == 0) continue;
    BoundChoice choice{pool, {}, random.Uniform(0.5, 2), random.Uniform(0.1, 0.6), {}, pool, {}, 0};
    choice.latest_end = kBegin + minutes{random.Below(60 * 15)};
    choice.least_move = random.Below(2) == 0 ? 0 : random.Uniform(0, 40);
    job.choices.push_back(choice);
  }
  if (random.Below(2) == 0) job.widths = {{1, 1}, {2, 1.8}, {4, 2.9}};
  return job;
}

struct Bit {
  double price = std::numeric_limits<double>::infinity();
  double work_hours = 0;
};

// The bit of one step for devices that add `speed`.
Bit BitOf(const BoundInput& input, const BoundJob& job,
          const std::vector<std::vector<double>>& rents, std::size_t step, double devices,
          double speed) {
  Bit bit;
  const Time edge = input.curves[0].EdgeAt(step);
  for (const BoundChoice& choice : job.choices) {
    const Interval usable = Overlap({edge, edge + kStep}, {job.earliest, choice.latest_end});
    if (usable.length() == Duration::zero()) continue;
    const auto pool = static_cast<std::size_t>(choice.pool);
    const double per_hour =
        devices *
        (choice.kilowatts / job.width * input.CurveOf(choice).PriceOf(step) + rents[pool][step]);
    bit.price = std::min(bit.price,
                         per_hour / (speed * choice.speed) + choice.least_move / Hours(job.work));
    bit.work_hours = std::max(bit.work_hours, Hours(usable.length()) * choice.speed * speed);
  }
  return bit;
}

std::vector<Bit> AllBits(const BoundInput& input, const BoundJob& job,
                         const std::vector<std::vector<double>>& rents) {
  std::vector<core::WidthSpeed> widths = job.widths;
  if (widths.empty()) widths = {{job.width, 1}};
  std::vector<Bit> bits;
  for (std::size_t step = 0; step < kSteps; ++step) {
    core::WidthSpeed narrower{0, 0};
    for (const core::WidthSpeed& width : widths) {
      const Bit bit = BitOf(input, job, rents, step, width.devices - narrower.devices,
                            width.speed - narrower.speed);
      if (bit.work_hours > 0) bits.push_back(bit);
      narrower = width;
    }
  }
  std::sort(bits.begin(), bits.end(), [](const Bit& a, const Bit& b) { return a.price < b.price; });
  return bits;
}

TEST(CheapestBits, ComeInTheOrderOfTheirPrices) {
  CheapestBits found;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const BoundInput input = RandomInput(random);
    const BoundJob job = RandomJob(random);
    std::vector<std::vector<double>> rents(kPools, std::vector<double>(kSteps));
    for (auto& row : rents)
      for (double& rent : row) rent = random.Below(2) == 0 ? 0 : random.Uniform(0, 60);
    found.Find(input, job, rents);
    for (const Bit& bit : AllBits(input, job, rents)) {
      const auto next = found.Take();
      ASSERT_TRUE(next.has_value());
      EXPECT_NEAR(next->price, bit.price, 1e-9 * bit.price);
      EXPECT_NEAR(next->work_hours, bit.work_hours, 1e-12);
    }
    EXPECT_FALSE(found.Take().has_value());
  }
}

}  // namespace
}  // namespace ebb::plan
