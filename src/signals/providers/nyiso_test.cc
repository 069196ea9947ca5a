#include "signals/providers/nyiso.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/http/scripted_http_for_test.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;

constexpr const char* kHeader = "Time Stamp,Time Zone,Fuel Category,Gen MW\r\n";

std::string Rows(const std::string& stamp) {
  std::string text;
  for (const char* fuel :
       {"Dual Fuel,4521", "Natural Gas,3200", "Nuclear,3100", "Other Fossil Fuels,50",
        "Other Renewables,200", "Wind,1500", "Hydro,2800"})
    text += stamp + "," + fuel + "\r\n";
  return text;
}

TEST(Nyiso, StampsStandAtTheEndOfTheirFiveMinutes) {
  const auto rows = ParseNyiso(kHeader + Rows("01/15/2024 00:05:00,EST"), "x");
  ASSERT_TRUE(rows) << rows.error().Message();
  ASSERT_EQ(rows->size(), 7u);
  EXPECT_EQ(rows->front().begin, *ParseTime("2024-01-15T05:00Z"));
  const auto points = IntensityOf(*rows, minutes{5}, core::Boundary::kLifecycle, "x");
  ASSERT_TRUE(points);
  const double grams =
      (4521 + 3200) * 490.0 + 3100 * 12 + 50 * 650 + 200 * 230 + 1500 * 11 + 2800 * 24;
  EXPECT_NEAR(*points->front().value, grams / 15371, 1e-9);
}

TEST(Nyiso, TheHourThatIsTwiceIsToldApartByItsZone) {
  const auto rows =
      ParseNyiso(kHeader + Rows("11/01/2026 01:05:00,EDT") + Rows("11/01/2026 01:05:00,EST"), "x");
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->front().begin, *ParseTime("2026-11-01T05:00Z"));
  EXPECT_EQ(rows->back().begin, *ParseTime("2026-11-01T06:00Z"));
}

TEST(Nyiso, ATimeOfWhichAPartIsPublishedIsAGap) {
  const auto rows = ParseNyiso(
      kHeader + Rows("01/15/2024 00:05:00,EST") + "01/15/2024 00:10:00,EST,Wind,1500\r\n", "x");
  ASSERT_TRUE(rows);
  const auto points = IntensityOf(*rows, minutes{5}, core::Boundary::kLifecycle, "x");
  ASSERT_EQ(points->size(), 2u);
  EXPECT_FALSE(points->back().value);
}

TEST(Nyiso, WhatIsNoSuchFileIsRefused) {
  for (const std::string& body :
       {std::string(), std::string("<html>"), std::string("Time Stamp,Time Zone,Name\r\n"),
        kHeader + std::string("01/15/2024 00:05:00,EST,Wind"),
        kHeader + std::string("01/15/2024 00:05:00,CST,Wind,1\r\n"),
        kHeader + std::string("2024-01-15 00:05:00,EST,Wind,1\r\n"),
        kHeader + std::string("01/15/2024 00:05:00,EST,Wind,much\r\n")})
    EXPECT_FALSE(ParseNyiso(body, "x")) << body;
  EXPECT_TRUE(ParseNyiso("Time Stamp,Time Zone,Fuel Category,Gen MWh\r\n", "x")) << "older files";
}

TEST(Nyiso, TheFileOfADayThatHasJustBegunMayBeMissingAndLaterItMayNot) {
  ScriptedHttp http;
  http.Say("20260505rtfuelmix.csv", kHeader + Rows("05/05/2026 23:50:00,EDT"));
  const auto provider =
      MakeOperatorMix(*NyisoMix("http://ny.example", core::Boundary::kLifecycle), http.Get());
  const Time now = *ParseTime("2026-05-06T04:10Z");
  const auto reading = provider->Read({now, hours{48}, now, true});
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(reading->known.back().interval.end, *ParseTime("2026-05-06T03:50Z"));
  EXPECT_EQ(http.requests[1].url, "http://ny.example/rtfuelmix/20260506rtfuelmix.csv");
  const auto later = provider->Read({now + hours{2}, hours{48}, now, true});
  ASSERT_FALSE(later);
  EXPECT_THAT(later.error().what, HasSubstr("404"));
}

}  // namespace
}  // namespace ebb::signals
