#include "signals/traces/entsoe_csv.h"

#include <gtest/gtest.h>

#include "signals/traces/operator_text.h"

namespace ebb::signals {
namespace {

Time At(const char* text) { return *ParseTime(text); }

Status Read(const std::string& text, OperatorParts& parts, const std::string& path = "e.csv",
            const std::string& zone = "DE") {
  return ReadOperatorText(text, path, zone, parts);
}

constexpr const char* kLoad =
    "\"Time (CET/CEST)\",\"Day-ahead Total Load Forecast [MW] - BZN|DE-LU\",\"Actual Total Load "
    "[MW] - BZN|DE-LU\"\n";
constexpr const char* kWindAndSun =
    "\"MTU (CET/CEST)\",\"Generation - Solar  [MW] Day Ahead/ BZN|DE-LU\",\"Generation - Solar  "
    "[MW] Intraday / BZN|DE-LU\",\"Generation - Wind Offshore  [MW] Day Ahead/ "
    "BZN|DE-LU\",\"Generation - Wind Onshore  [MW] Day Ahead/ BZN|DE-LU\"\n";

TEST(EntsoeCsv, ExportsOfLoadAndOfWindAndSunGoTogether) {
  OperatorParts parts;
  EXPECT_TRUE(Read(std::string(kLoad) +
                       "\"01.01.2020 00:00 - 01.01.2020 00:30\",\"46000\",\"44333\"\n"
                       "\"01.01.2020 00:30 - 01.01.2020 01:00\",\"47000\",\"n/e\"\n"
                       "\"01.01.2020 01:00 - 01.01.2020 02:00\",\"N/A\",\"44333\"\n",
                   parts));
  EXPECT_TRUE(Read(std::string(kWindAndSun) +
                       "\"01.01.2020 00:00 - 01.01.2020 01:00\",\"1\",\"900\",\"2\",\"30\"\n"
                       "\"01.01.2020 01:00 - 01.01.2020 02:00\",\"1\",\"900\",\"2\",\"30\"\n",
                   parts));
  const auto hours = parts.ByHour("folder");
  ASSERT_TRUE(hours) << hours.error().Message();
  ASSERT_EQ(hours->size(), 1U) << "the load of the second hour is not known";
  EXPECT_EQ(hours->at(0), (ExpectedHour{At("2019-12-31T23:00Z"), 46'500, 32, 1}));
}

TEST(EntsoeCsv, AnHourThatIsThereTwiceIsTwoHours) {
  OperatorParts parts;
  EXPECT_TRUE(Read(std::string(kLoad) + "\"25.10.2020 02:00 - 25.10.2020 03:00\",\"1\",\"\"\n"
                                        "\"25.10.2020 02:00 - 25.10.2020 03:00\",\"2\",\"\"\n",
                   parts));
  EXPECT_TRUE(Read(std::string(kWindAndSun) +
                       "\"25.10.2020 02:00 - 25.10.2020 03:00\",\"0\",\"\",\"0\",\"0\"\n"
                       "\"25.10.2020 02:00 - 25.10.2020 03:00\",\"0\",\"\",\"0\",\"0\"\n",
                   parts));
  const auto hours = *parts.ByHour("folder");
  ASSERT_EQ(hours.size(), 2U);
  EXPECT_EQ(hours[0], (ExpectedHour{At("2020-10-25T00:00Z"), 1, 0, 0}));
  EXPECT_EQ(hours[1], (ExpectedHour{At("2020-10-25T01:00Z"), 2, 0, 0}));
}

TEST(EntsoeCsv, OneColumnBesideTheKindOfPlants) {
  OperatorParts parts;
  EXPECT_TRUE(
      Read("\"MTU (UTC)\",\"Area\",\"Production Type\",\"Day-ahead (MW)\",\"Intraday "
           "(MW)\"\n"
           "\"01/07/2025 00:00:00 - 01/07/2025 01:00:00\",\"BZN|FR\",\"Solar\",\"5\",\"\"\n"
           "\"01/07/2025 00:00:00 - 01/07/2025 01:00:00\",\"BZN|FR\",\"Wind "
           "Onshore\",\"7\",\"8\"\n",
           parts));
  EXPECT_TRUE(
      Read("\"MTU (UTC)\",\"Area\",\"Actual Total Load (MW)\",\"Day-ahead Total Load "
           "Forecast (MW)\"\n"
           "\"01/07/2025 00:00:00 - 01/07/2025 01:00:00\",\"BZN|FR\",\"-\",\"50\"\n",
           parts));
  EXPECT_EQ(parts.ByHour("folder")->at(0), (ExpectedHour{At("2025-07-01T00:00Z"), 50, 7, 5}));
}

constexpr const char* kLibraryLoad =
    "DateTime(UTC)\tResolutionCode\tAreaCode\tAreaDisplayName\tAreaTypeCode\tMapCode\tTotalLoad[MW]"
    "\tUpdateTime(UTC)\n";
constexpr const char* kLibraryPlants =
    "DateTime(UTC)\tResolutionCode\tAreaCode\tAreaDisplayName\tAreaTypeCode\tMapCode\tProductionTyp"
    "e\tAggregatedGenerationForecast[MW]\tUpdateTime(UTC)\n";

TEST(EntsoeCsv, FilesOfTheLibraryHoldAllAreas) {
  OperatorParts parts;
  const std::string load =
      std::string(kLibraryLoad) +
      "2025-01-01 00:00:00\tPT60M\t10YFR-RTE------C\tFrance\tCTY\tFR\t70000\t2024-12-31 09:00:00\n"
      "2025-01-01 00:00:00\tPT60M\t10Y1001A1001A83F\tGermany\tCTY\tDE\t50000\t2024-12-31 "
      "09:00:00\n";
  EXPECT_TRUE(Read(load, parts));
  EXPECT_TRUE(Read(std::string(kLibraryPlants) +
                       "2025-01-01 00:00:00\tPT60M\t10Y1001A1001A83F\tGermany\tCTY\tDE\tSolar\t0\t"
                       "2024-12-31 16:30:00\n"
                       "2025-01-01 00:00:00\tPT60M\t10Y1001A1001A83F\tGermany\tCTY\tDE\tWind "
                       "Onshore\t9000\t2024-12-31 16:00:00\n",
                   parts));
  const auto hours = *parts.ByHour("folder");
  ASSERT_EQ(hours.size(), 1U);
  EXPECT_EQ(hours[0],
            (ExpectedHour{At("2025-01-01T00:00Z"), 50'000, 9000, 0, At("2024-12-31T16:30Z")}));
  const auto of_no_zone = Read(load, parts, "e.csv", "");
  ASSERT_FALSE(of_no_zone);
  EXPECT_EQ(of_no_zone.error().where, "e.csv:3");
  EXPECT_FALSE(Read(load, parts, "e.csv", "ES")) << "no row of it";
  EXPECT_FALSE(Read(load, parts, "2025_01_ActualTotalLoad_6.1.A.csv"));
}

TEST(EntsoeCsv, WhatCannotBeTrustedIsRefusedWithItsLine) {
  const struct {
    std::string text;
    const char* where;
  } cases[] = {
      {std::string(kLoad) + "\"01.01.2020 00:00\",\"1\",\"1\"\n", "e.csv:2"},
      {std::string(kLoad) + "\"01.01.2020 00:00 - 01.01.2020 01:00\",\"many\",\"1\"\n", "e.csv:2"},
      {std::string(kLoad) + "\"01.01.2020 00:00 - 02.01.2020 00:00\",\"1\",\"1\"\n", "e.csv:2"},
      {std::string(kLoad) + "\"01.01.2020 00:00 - 01.01.2020 01:00\"\n", "e.csv:2"},
      {"\"MTU (CET/CEST)\",\"Actual Total Load [MW] - BZN|FR\"\n", "e.csv:1"},
      {"\"MTU (BRT)\",\"Day-ahead Total Load Forecast [MW] - BZN|FR\"\n", "e.csv:1"},
      {std::string(kLibraryLoad) +
           "2025-01-01\tP1D\t10Y1001A1001A83F\tGermany\tCTY\tDE\t1\t2025-01-01\n",
       "e.csv:2"},
  };
  for (const auto& c : cases) {
    OperatorParts parts;
    const auto read = Read(c.text, parts);
    ASSERT_FALSE(read) << c.text;
    EXPECT_EQ(read.error().where, c.where) << read.error().Message();
  }
}

}  // namespace
}  // namespace ebb::signals
