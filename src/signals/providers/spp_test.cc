#include "signals/providers/spp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/http/scripted_http_for_test.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr const char* kHeader =
    "GMT MKT Interval,BAA,Coal,Diesel Fuel Oil,Hydro,Natural Gas,Nuclear,Solar,"
    "Waste Disposal Services,Wind,Waste Heat,Energy Storage,Other,Load\n";
constexpr const char* kRow =
    "2026-09-14T15:55:00Z,SPP,7761.80,0.00,976.70,9519.40,1857.10,2256.10,11.50,20211.00,0.00,"
    "-18.10,65.70,41852.580\n";

TEST(Spp, StampsStandAtTheEndOfTheirFiveMinutesAndLoadIsNoFuel) {
  const auto rows = ParseSpp(std::string(kHeader) + kRow, "x");
  ASSERT_TRUE(rows) << rows.error().Message();
  EXPECT_EQ(rows->front().begin, *ParseTime("2026-09-14T15:50Z"));
  const auto points = IntensityOf(*rows, minutes{5}, core::Boundary::kLifecycle, "x");
  ASSERT_TRUE(points);
  const double grams = 7761.8 * 820 + 976.7 * 24 + 9519.4 * 490 + 1857.1 * 12 + 2256.1 * 48 +
                       11.5 * 230 + 20211 * 11.0;
  EXPECT_NEAR(*points->front().value,
              grams / (7761.8 + 976.7 + 9519.4 + 1857.1 + 2256.1 + 11.5 + 20211), 1e-9);
}

TEST(Spp, WhatPlantsOfferThemselvesCountsBesideWhatTheMarketCallsUp) {
  const auto rows = ParseSpp(
      "GMT MKT Interval, Coal Market, Coal Self, Natural Gas Market, Gas Self, Wind Market, "
      "Wind Self, Load\n2025-01-01T06:05:00Z,100,300,200,50,250,100,1000\n",
      "x");
  ASSERT_TRUE(rows) << rows.error().Message();
  const auto points = IntensityOf(*rows, minutes{5}, core::Boundary::kLifecycle, "x");
  EXPECT_NEAR(*points->front().value, (400 * 820.0 + 250 * 490 + 350 * 11) / 1000, 1e-9);
}

TEST(Spp, RowsOfAnotherAuthorityAndRowsWithoutValuesAreNoValues) {
  std::string other(kRow), blank = "2026-09-14T16:05:00Z,SPP,,,,,,,,,,,,\n";
  other.replace(other.find("SPP"), 3, "SWPW");
  const auto rows = ParseSpp(std::string(kHeader) + other + kRow + blank, "x");
  ASSERT_TRUE(rows) << rows.error().Message();
  const auto points = IntensityOf(*rows, minutes{5}, core::Boundary::kLifecycle, "x");
  ASSERT_EQ(points->size(), 2u);
  EXPECT_TRUE(points->front().value);
  EXPECT_FALSE(points->back().value);
}

TEST(Spp, WhatIsNoSuchFileIsRefused) {
  for (const std::string& body :
       {std::string(), std::string("<html>"), std::string("[]"), std::string("GMT MKT Interval\n"),
        std::string(kHeader) + "2026-09-14T15:55:00Z,SPP,1\n",
        std::string("GMT MKT Interval,Coal,Wind\nyesterday,1,2\n"),
        std::string("GMT MKT Interval,Coal,Wind\n2026-09-14T15:55:00Z,much,2\n")})
    EXPECT_FALSE(ParseSpp(body, "x")) << body;
}

TEST(Spp, OneFileOfTwoHoursIsAskedFor) {
  ScriptedHttp http;
  http.Say("generation-mix-historical", std::string(kHeader) + kRow);
  const auto provider =
      MakeOperatorMix(*SppMix("https://spp.example", core::Boundary::kLifecycle), http.Get());
  const Time now = *ParseTime("2026-09-14T16:00Z");
  const auto reading = provider->Read({now, hours{48}, {}, true});
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(reading->known.back().interval.end, *ParseTime("2026-09-14T15:55Z"));
  ASSERT_EQ(http.requests.size(), 1u);
  EXPECT_EQ(http.requests[0].url,
            "https://spp.example/file-browser-api/download/generation-mix-historical"
            "?path=%2FSPP%2FGenMix2Hour_SPP.csv");
}

}  // namespace
}  // namespace ebb::signals
