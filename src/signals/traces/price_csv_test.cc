#include "signals/traces/price_csv.h"

#include <gtest/gtest.h>

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

TEST(PriceCsv, PricesPerMwhBecomePricesPerKwhAndMayBeNegative) {
  const auto prices = ParsePriceCsv(
      "timestamp,price_eur_per_mwh\n"
      "2026-05-01T00:00:00Z,85.5\n2026-05-01T01:00:00Z,-12\n2026-05-01T02:00:00Z,0\n",
      "p.csv");
  ASSERT_TRUE(prices) << prices.error().Message();
  EXPECT_EQ(prices->identity().currency, "EUR");
  ASSERT_EQ(prices->samples().size(), 3u);
  EXPECT_DOUBLE_EQ(prices->samples()[0].per_kwh, 0.0855);
  EXPECT_DOUBLE_EQ(prices->samples()[1].per_kwh, -0.012);
  EXPECT_EQ(prices->samples()[2].interval.length(), hours{1}) << "the last row holds for a step";
}

TEST(PriceCsv, GapsStayGaps) {
  const auto prices = ParsePriceCsv(
      "timestamp,price_eur_per_kwh\n"
      "2026-05-01T00:00Z,0.1\n2026-05-01T01:00Z,\n2026-05-01T02:00Z,n/e\n"
      "2026-05-01T03:00Z,0.2\n2026-05-01T05:00Z,0.3\n",
      "p.csv");
  ASSERT_TRUE(prices) << prices.error().Message();
  ASSERT_EQ(prices->samples().size(), 3u);
  EXPECT_EQ(prices->At(*ParseTime("2026-05-01T01:30Z")), nullptr);
  EXPECT_EQ(prices->At(*ParseTime("2026-05-01T04:30Z")), nullptr);
}

TEST(PriceCsv, ExportsOfOthersAreUnderstood) {
  struct Case {
    const char* what;
    const char* text;
    const char* currency;
    double first_per_kwh;
    Duration step;
  };
  const Case cases[] = {
      {"ENTSO-E, quarter hours, two auctions",
       "\"MTU (UTC)\",\"Area\",\"Sequence\",\"Day-ahead Price (EUR/MWh)\",\"Intraday Price "
       "(EUR/MWh)\"\n"
       "\"01/10/2025 00:00:00 - 01/10/2025 00:15:00\",\"BZN|DE-LU\",\"Sequence 1\",\"92.1\",\"\"\n"
       "\"01/10/2025 00:00:00 - 01/10/2025 00:15:00\",\"BZN|DE-LU\",\"Sequence 2\",\"90.0\",\"\"\n"
       "\"01/10/2025 00:15:00 - 01/10/2025 00:30:00\",\"BZN|DE-LU\",\"Sequence 1\",\"88.0\",\"\"\n",
       "EUR", 0.0921, minutes{15}},
      {"ENTSO-E before 2024",
       "\"MTU (UTC)\",\"Day-ahead Price [EUR/MWh]\",\"Currency\",\"BZN|FR\"\n"
       "\"01.01.2024 00:00 - 01.01.2024 01:00\",\"60.00\",\"EUR\",\"\"\n",
       "EUR", 0.06, hours{1}},
      {"ENTSO-E, local times, rows without the area",
       "\"MTU (CET/CEST)\",\"Day-ahead Price [EUR/MWh]\",\"Currency\",\"BZN|DE-LU\"\n"
       "\"29.03.2020 01:00 - 29.03.2020 02:00\",\"19.37\",\"EUR\"\n"
       "\"29.03.2020 02:00 - 29.03.2020 03:00\",\"\",\"\"\n"
       "\"29.03.2020 03:00 - 29.03.2020 04:00\",\"10.02\",\"EUR\"\n",
       "EUR", 0.01937, hours{1}},
      {"ENTSO-E's file library",
       "DateTime(UTC)"
       "\tResolutionCode\tAreaCode\tAreaDisplayName\tAreaTypeCode\tMapCode\tContractTyp"
       "e\tSequence\tPrice[Currency/MWh]\tCurrency\tUpdateTime(UTC)\n"
       "2025-01-01 00:00:00\tPT60M\t10YFR-RTE------C\tFR\tBZN\tFR\tDay-ahead\t1\t12.5\tEUR\t\n"
       "2025-01-01 00:00:00\tPT60M\t10YFR-RTE------C\tFR\tBZN\tFR\tIntraday\t1\t13\tEUR\t\n"
       "2025-01-01 01:00:00\tPT60M\t10YFR-RTE------C\tFR\tBZN\tFR\tDay-ahead\t1\t13.5\tEUR\t\n",
       "EUR", 0.0125, hours{1}},
      {"Ember",
       "Country,ISO3 Code,Datetime (UTC),Datetime (Local),Price (EUR/MWhe)\n"
       "Germany,DEU,2023-05-01 00:00:00,2023-05-01 02:00:00,71.2\n"
       "Germany,DEU,2023-05-01 01:00:00,2023-05-01 03:00:00,70.2\n",
       "EUR", 0.0712, hours{1}},
      {"Electricity Maps' fields",
       "zone,datetime,value,unit\nDE,2026-01-01T00:00:00.000Z,80,EUR/MWh\n"
       "DE,2026-01-01T01:00:00.000Z,81,EUR/MWh\n",
       "EUR", 0.08, hours{1}},
  };
  for (const Case& c : cases) {
    const auto prices = ParsePriceCsv(c.text, "p.csv");
    ASSERT_TRUE(prices) << c.what << ": " << prices.error().Message();
    EXPECT_EQ(prices->identity().currency, c.currency) << c.what;
    EXPECT_DOUBLE_EQ(prices->samples().front().per_kwh, c.first_per_kwh) << c.what;
    EXPECT_EQ(prices->samples().front().interval.length(), c.step) << c.what;
  }
}

TEST(PriceCsv, OneOfSeveralZonesIsChosenByName) {
  const char* text =
      "Country,ISO3 Code,Datetime (UTC),Price (EUR/MWhe)\n"
      "Austria,AUT,2023-05-01 00:00:00,10\nAustria,AUT,2023-05-01 01:00:00,11\n"
      "Germany,DEU,2023-05-01 00:00:00,20\nGermany,DEU,2023-05-01 01:00:00,21\n";
  const auto any = ParsePriceCsv(text, "p.csv");
  ASSERT_FALSE(any);
  EXPECT_NE(any.error().what.find("holds zone \"Germany\" beside \"Austria\""), std::string::npos);
  EXPECT_EQ(any.error().where, "p.csv:4");
  const auto germany = ParsePriceCsv(text, "p.csv", {{}, {}, "DEU"});
  ASSERT_TRUE(germany) << germany.error().Message();
  EXPECT_DOUBLE_EQ(germany->samples().front().per_kwh, 0.02);
  EXPECT_FALSE(ParsePriceCsv(text, "p.csv", {{}, {}, "FRA"}));
}

TEST(PriceCsv, WhatCannotBeTrustedIsRefusedWithItsLine) {
  struct Case {
    const char* text;
    const char* where;
    const char* what;
  };
  const Case cases[] = {
      {"", "p.csv", "empty"},
      {"timestamp,price_eur_per_kwh\n", "p.csv", "no rows"},
      {"when,price_eur_per_kwh\n2026-01-01,1\n", "p.csv:1", "no column for the time"},
      {"timestamp,cost\n2026-01-01,1\n", "p.csv:1", "no column for the price"},
      {"timestamp,price\n2026-01-01,1\n", "p.csv:2", "the unit of the prices is not said"},
      {"timestamp,price_per_kwh\n2026-01-01,1\n", "p.csv:2", "the currency"},
      {"timestamp,price_eur_per_kwh\n2026-01-01,x\n", "p.csv:2", "\"x\" is not a number"},
      {"timestamp,price_eur_per_kwh\n2026-01-01,nan\n", "p.csv:2", "is not a number"},
      {"timestamp,price_eur_per_kwh\n2026-01-01,1e9\n", "p.csv:2", "cannot be a price"},
      {"timestamp,price_eur_per_kwh\n2026-01-01,0.1\n2026-01-01,0.2\n", "p.csv:3", "twice"},
      {"timestamp,price_eur_per_kwh\n2026-01-02,0.1\n2026-01-01,0.2\n", "p.csv:3", "order of time"},
      {"timestamp,price_eur_per_kwh\n2026-01-01\n", "p.csv:2", "columns"},
      {"timestamp,price_eur_per_kwh\n2026-01-01,\n", "p.csv", "no price at all"},
      {"timestamp,price_eur_per_kwh\n2026-01-01,85\n", "p.csv", "prices per MWh"},
      {"time,value,unit\n2026-01-01,85,EUR/MWh\n2026-01-02,85,GBP/MWh\n", "p.csv:3",
       "unit changes"},
      {"\"MTU (BRT)\",\"Day-ahead Price [EUR/MWh]\"\n\"01.01.2024 00:00 - 01.01.2024 "
       "01:00\",\"1\"\n",
       "p.csv:1", "clock of column"},
      {"MTU (UTC),Day-ahead Price [EUR/MWh]\n01.01.2024 00:00,1\n", "p.csv:2", "not an interval"},
  };
  for (const Case& c : cases) {
    const auto prices = ParsePriceCsv(c.text, "p.csv");
    ASSERT_FALSE(prices) << c.text;
    EXPECT_EQ(prices.error().where, c.where) << c.text;
    EXPECT_NE(prices.error().what.find(c.what), std::string::npos) << prices.error().Message();
  }
}

}  // namespace
}  // namespace ebb::signals
