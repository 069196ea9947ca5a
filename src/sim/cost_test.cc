#include "sim/cost.h"

#include <gtest/gtest.h>

namespace ebb::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr Time kStart{hours{1000}};

std::shared_ptr<const core::PriceSeries> Hourly(const std::vector<double>& prices) {
  std::vector<core::PriceSample> samples;
  for (std::size_t i = 0; i < prices.size(); ++i) {
    const Time begin = kStart + hours{static_cast<int>(i)};
    samples.push_back({{begin, begin + hours{1}}, prices[i]});
  }
  return std::make_shared<core::PriceSeries>(*core::PriceSeries::Create({"EUR", "test"}, samples));
}

// A 500 W job of an hour and a half that pauses for an hour and goes on at another site.
Simulation TwoStretches() {
  Simulation simulation;
  core::Job job;
  job.id = 1;
  job.duration = minutes{90};
  job.power = {500};
  simulation.jobs = {job};
  JobOutcome outcome;
  outcome.segments = {{0, {kStart + minutes{30}, kStart + minutes{90}}},
                      {1, {kStart + minutes{150}, kStart + minutes{180}}}};
  simulation.outcomes = {outcome};
  return simulation;
}

core::Cluster TwoSites() {
  return {{{"a", "A", {1.2}}, {"b", "B", {1.0}}},
          {{"gpu", 0, 1, 1, 1, {}}, {"gpu", 1, 1, 1, 2, {}}}};
}

TEST(SimulatedCost, IsEnergyTimesPueTimesThePriceOfItsSiteMinuteByMinute) {
  const plan::SitePrices prices{Hourly({0.3, -0.1, 0.2}), Hourly({0.5, 0.5, 0.05})};
  const Simulation simulation = TwoStretches();
  const core::Cluster cluster = TwoSites();
  double brute = 0;
  for (const plan::Segment& segment : simulation.outcomes[0].segments) {
    const auto site = static_cast<std::size_t>(segment.pool);
    const double watts = 500 * cluster.pools[site].power_factor * cluster.sites[site].pue.ratio;
    for (Time t = segment.time.begin; t < segment.time.end; t += minutes{1})
      brute += watts / 1000 / 60 * prices[site]->At(t)->per_kwh;
  }
  const core::Cost cost = CostOf(simulation, cluster, prices);
  EXPECT_NEAR(cost.amount, brute, 1e-9);
  EXPECT_EQ(cost.kwh_without_price, 0);
}

TEST(SimulatedCost, ASiteWithoutPricesIsUnknownNotFree) {
  const plan::SitePrices prices{nullptr, Hourly({0.5, 0.5, 0.05})};
  const core::Cost cost = CostOf(TwoStretches(), TwoSites(), prices);
  EXPECT_NEAR(cost.kwh_without_price, 0.5 * 1.2, 1e-9);
  EXPECT_NEAR(cost.amount, 0.5 * 0.5 * 2 * 0.05, 1e-9);
  EXPECT_FALSE(HasMoney({}));
  EXPECT_EQ(CurrencyOf(prices), "EUR");
}

}  // namespace
}  // namespace ebb::sim
