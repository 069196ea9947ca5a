#include "core/ledger/cost.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ebb::core {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Time kDay = *ParseTime("2026-05-01");

PriceSeries Hourly(const std::vector<double>& prices) {
  std::vector<PriceSample> samples;
  for (std::size_t i = 0; i < prices.size(); ++i) {
    const Time begin = kDay + hours{static_cast<int>(i)};
    samples.push_back({{begin, begin + hours{1}}, prices[i]});
  }
  return *PriceSeries::Create({"EUR", "test"}, samples);
}

LedgerRow Row(Interval time, double kwh, double pue, int attempt = 1) {
  LedgerRow row;
  row.attempt = attempt;
  row.grid = row.wall = time;
  row.energy = Energy::Joules(kwh * 3.6e6);
  row.pue = {pue};
  return row;
}

TEST(Cost, IsTheIntegralOfPowerTimesPriceTimesPue) {
  const PriceSeries prices = Hourly({0.30, 0.10, -0.05, 0.20});
  // 2 kWh over 3 h from half past: 1/6, 1/3, 1/3, 1/6 of it at the four prices. By hand:
  // 2 x 1.5 x (0.30/6 + 0.10/3 - 0.05/3 + 0.20/6) = 0.30.
  const Interval run{kDay + minutes{30}, kDay + minutes{210}};
  const Cost cost = CostOf({Row(run, 2, 1.5)}, prices);
  EXPECT_NEAR(cost.amount, 0.30, 1e-12);
  EXPECT_NEAR(cost.priced_kwh, 3, 1e-12);
  EXPECT_EQ(cost.kwh_without_price, 0);
  EXPECT_NEAR(*cost.MeanPerKwh(), 0.10, 1e-12);
}

TEST(Cost, OfPiecesAddsUpToTheWholeSecondBySecond) {
  const PriceSeries prices = Hourly({0.31, 0.07, -0.02, 0.19});
  const Interval run{kDay + minutes{17}, kDay + minutes{203}};
  double brute = 0;
  for (Time t = run.begin; t < run.end; t += std::chrono::seconds{1})
    brute += prices.At(t)->per_kwh * 1.7 / Seconds(run.length());
  EXPECT_NEAR(CostOver(1.7, run, prices).amount, brute, 1e-9);
}

TEST(Cost, EnergyOfUnknownPriceIsKeptApartAndNeverFree) {
  std::vector<PriceSample> samples{{{kDay, kDay + hours{1}}, 0.2}};
  const PriceSeries prices = *PriceSeries::Create({"EUR", "test"}, samples);
  const Cost cost = CostOver(4, {kDay, kDay + hours{4}}, prices);
  EXPECT_NEAR(cost.amount, 0.2, 1e-12);
  EXPECT_NEAR(cost.kwh_without_price, 3, 1e-12);
  EXPECT_NEAR(cost.UnknownShare(), 0.75, 1e-12);
  const Cost nothing = CostOver(4, {kDay + hours{5}, kDay + hours{6}}, prices);
  EXPECT_EQ(nothing.UnknownShare(), 1);
  EXPECT_FALSE(nothing.MeanPerKwh());
}

TEST(Cost, AtAnotherStartMovesTheSameEnergyAndClosesPauses) {
  const PriceSeries prices = Hourly({0.40, 0.30, 0.20, 0.10});
  const std::vector<LedgerRow> rows{Row({kDay + hours{1}, kDay + hours{2}}, 1, 1, 1),
                                    Row({kDay + hours{3}, kDay + hours{4}}, 1, 1, 2)};
  EXPECT_NEAR(CostOf(rows, prices).amount, 0.40, 1e-12);
  EXPECT_NEAR(CostIfStarted(rows, kDay, prices).amount, 0.70, 1e-12);
}

TEST(PriceSeries, KeepsGapsAndHidesWhatWasNotYetPublished) {
  std::vector<PriceSample> samples{{{kDay, kDay + hours{1}}, 0.1, kDay - hours{12}},
                                   {{kDay + hours{2}, kDay + hours{3}}, 0.3, kDay + hours{1}}};
  const PriceSeries prices = *PriceSeries::Create({"EUR", "test"}, samples);
  EXPECT_EQ(prices.At(kDay + minutes{90}), nullptr);
  EXPECT_EQ(prices.NextAfter(kDay)->per_kwh, 0.3);
  EXPECT_NEAR(prices.Mean({kDay, kDay + hours{3}})->coverage, 2.0 / 3, 1e-12);
  EXPECT_EQ(prices.KnownAt(kDay, {kDay, kDay + hours{9}}).samples().size(), 1u);
  EXPECT_EQ(prices.KnownAt(kDay + hours{1}, {kDay, kDay + hours{9}}).samples().size(), 2u);
}

TEST(PriceSeries, RefusesDisorderAndWhatIsNoNumber) {
  const Interval hour{kDay, kDay + hours{1}};
  EXPECT_FALSE(PriceSeries::Create({}, {{hour, 0.1}, {hour, 0.2}}));
  EXPECT_FALSE(PriceSeries::Create({}, {{hour, std::nan("")}}));
  EXPECT_FALSE(PriceSeries::Create({}, {{{kDay, kDay}, 0.1}}));
}

}  // namespace
}  // namespace ebb::core
