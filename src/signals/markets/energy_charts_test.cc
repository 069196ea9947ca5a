#include "signals/markets/energy_charts.h"

#include <gtest/gtest.h>

namespace ebb::signals {
namespace {

TEST(EnergyCharts, PricesOfQuartersAndHours) {
  const auto prices = ParseEnergyCharts(
      R"({"license_info": "CC BY 4.0", "unix_seconds": [1777593600, 1777597200, 1777600800, 1777601700],
          "price": [80.5, null, -4, 12], "unit": "EUR / MWh", "deprecated": false})",
      "x");
  ASSERT_TRUE(prices) << prices.error().Message();
  ASSERT_EQ(prices->samples().size(), 3U);
  EXPECT_EQ(prices->samples()[0].interval,
            (Interval{*ParseTime("2026-05-01T00:00Z"), *ParseTime("2026-05-01T01:00Z")}));
  EXPECT_DOUBLE_EQ(prices->samples()[0].per_kwh, 0.0805);
  EXPECT_EQ(prices->samples()[1].interval.begin, *ParseTime("2026-05-01T02:00Z"));
  EXPECT_EQ(prices->samples()[2].interval.length(), std::chrono::minutes{15});
}

TEST(EnergyCharts, WhatIsNoSuchAnswerIsRefused) {
  for (const char* body : {"", "[]", "{}", R"({"unix_seconds": [1], "price": []})",
                           R"({"unix_seconds": [0, 3600], "price": [1, 2], "unit": "ct / kWh"})",
                           R"({"unix_seconds": [3600, 0], "price": [1, 2], "unit": "EUR / MWh"})",
                           R"({"unix_seconds": ["a"], "price": [1], "unit": "EUR / MWh"})",
                           R"({"unix_seconds": [0], "price": [1e9], "unit": "EUR / MWh"})"})
    EXPECT_FALSE(ParseEnergyCharts(body, "x")) << body;
}

TEST(EnergyCharts, ZonesHaveItsNames) {
  EXPECT_EQ(EnergyChartsZone("DE"), "DE-LU");
  EXPECT_EQ(EnergyChartsZone("DK-DK1"), "DK1");
  EXPECT_EQ(EnergyChartsZone("IT-NO"), "IT-North");
  EXPECT_EQ(EnergyChartsZone("FR"), "FR");
  EXPECT_EQ(EnergyChartsZone("SE"), "") << "several bidding zones";
  EXPECT_EQ(EnergyChartsZone("US-CAL-CISO"), "");
}

}  // namespace
}  // namespace ebb::signals
