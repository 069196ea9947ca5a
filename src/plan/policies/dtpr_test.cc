#include "plan/policies/dtpr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"

namespace ebb::plan {
namespace {

struct Instance {
  PriceBounds bounds;
  int units;
  double switching;
  std::vector<double> prices;
};

// The cost of buying by the start and keep thresholds, and of buying at every step once only as
// many steps are left as units. `switching` stands for on and off together and is paid when going
// on.
double OnlineCost(const Instance& it, const DtprThresholds& thresholds) {
  double cost = 0;
  int bought = 0;
  bool on = false;
  for (std::size_t step = 0; step < it.prices.size() && bought < it.units; ++step) {
    const double price = it.prices[step];
    const bool compelled = static_cast<int>(it.prices.size() - step) <= it.units - bought;
    const double limit = on ? thresholds.Keep(bought + 1) : thresholds.Start(bought + 1);
    if (!compelled && price > limit) {
      on = false;
      continue;
    }
    cost += price + (on ? 0 : it.switching);
    on = true;
    ++bought;
  }
  return cost;
}

// The cheapest purchase in hindsight, by dynamic programming over (bought, on).
double BestCost(const Instance& it) {
  constexpr double kNever = 1e300;
  const auto units = static_cast<std::size_t>(it.units);
  std::vector<double> off(units + 1, kNever), on(units + 1, kNever);
  off[0] = 0;
  for (const double price : it.prices) {
    std::vector<double> next_off(units + 1, kNever), next_on(units + 1, kNever);
    for (std::size_t i = 0; i <= units; ++i) {
      next_off[i] = std::min(off[i], on[i]);
      if (i > 0) next_on[i] = price + std::min(on[i - 1], off[i - 1] + it.switching);
    }
    off = next_off;
    on = next_on;
  }
  return std::min(off[units], on[units]);
}

TEST(DtprThresholdsTest, OneUnitWithoutSwitchingCostIsTheGeometricMean) {
  const DtprThresholds thresholds({50, 800}, 1, 0);
  EXPECT_NEAR(thresholds.Start(1), std::sqrt(50.0 * 800), 1e-6);
  EXPECT_NEAR(thresholds.alpha(), std::sqrt(800.0 / 50), 1e-6);
}

TEST(DtprThresholdsTest, SolveTheBalanceTheyAreDefinedBy) {
  const PriceBounds bounds{60, 700};
  const int k = 12;
  const double switching = 30;
  const DtprThresholds thresholds(bounds, k, switching);
  double bought = 0;
  for (int j = 0; j < k; ++j) {
    const double online = bought + (k - j) * bounds.upper + switching;
    const double best = k * thresholds.Start(j + 1) + switching;
    EXPECT_NEAR(online / best, thresholds.alpha(), 1e-6) << j;
    bought += thresholds.Start(j + 1) + switching;
  }
  EXPECT_NEAR(thresholds.Start(k + 1), bounds.lower, 1e-6);
}

TEST(DtprThresholdsTest, FallWithTheWorkLeftAndKeepIsHigherByTheSwitchingCost) {
  const DtprThresholds thresholds({60, 700}, 8, 40);
  for (int unit = 1; unit <= 8; ++unit) {
    EXPECT_GT(thresholds.Start(unit), thresholds.Start(unit + 1));
    EXPECT_DOUBLE_EQ(thresholds.Keep(unit), thresholds.Start(unit) + 40);
  }
}

TEST(DtprThresholdsTest, NoRandomSequenceExceedsTheRatio) {
  double worst = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    Instance it;
    it.bounds = {random.Uniform(20, 100), 0};
    it.bounds.upper = it.bounds.lower * random.Uniform(1.1, 20);
    it.units = 1 + static_cast<int>(random.Below(12));
    it.switching = random.Uniform(0, 0.9) * (it.bounds.upper - it.bounds.lower);
    const int steps = it.units + static_cast<int>(random.Below(60));
    double level = random.Uniform();
    for (int i = 0; i < steps; ++i) {
      // The price jumps in half of the steps and drifts in the others.
      level = random.Below(2) == 0 ? random.Uniform()
                                   : std::clamp(level + random.Uniform(-0.1, 0.1), 0.0, 1.0);
      it.prices.push_back(it.bounds.lower + level * (it.bounds.upper - it.bounds.lower));
    }
    const DtprThresholds thresholds(it.bounds, it.units, it.switching);
    const double ratio = OnlineCost(it, thresholds) / BestCost(it);
    EXPECT_LE(ratio, thresholds.alpha() * (1 + 1e-6)) << "seed " << seed;
    worst = std::max(worst, ratio / thresholds.alpha());
  }
  EXPECT_GT(worst, 0.5) << "the sequences test nothing";
}

// The worst cases of the proof: prices at the thresholds, each bought in a run of its own, then
// just above the next threshold for long, then the upper bound.
TEST(DtprThresholdsTest, TheAdversaryReachesTheRatioAndNotMore) {
  const PriceBounds bounds{50, 600};
  const double switching = 25;
  for (const int units : {1, 3, 10}) {
    const DtprThresholds thresholds(bounds, units, switching);
    double worst = 0;
    for (int stop = 0; stop <= units; ++stop) {
      Instance it{bounds, units, switching, {}};
      for (int unit = 1; unit <= stop; ++unit) {
        it.prices.push_back(thresholds.Start(unit));
        it.prices.push_back(bounds.upper);
      }
      const double tempting = stop < units
                                  ? std::max(bounds.lower, thresholds.Start(stop + 1) * (1 + 1e-9))
                                  : bounds.lower;
      // A price that must not be taken while running has to be above Keep, so the upper bound comes
      // between.
      for (int i = 0; i < units; ++i) it.prices.push_back(tempting);
      for (int i = 0; i < units - stop; ++i) it.prices.push_back(bounds.upper);
      worst = std::max(worst, OnlineCost(it, thresholds) / BestCost(it));
      EXPECT_LE(OnlineCost(it, thresholds) / BestCost(it), thresholds.alpha() * (1 + 1e-6));
    }
    EXPECT_GT(worst, 0.95 * thresholds.alpha()) << units;
  }
}

}  // namespace
}  // namespace ebb::plan
