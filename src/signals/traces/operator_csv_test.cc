#include "signals/traces/operator_csv.h"

#include <gtest/gtest.h>

namespace ebb::signals {
namespace {

Result<OperatorForecast> Parse(const std::string& text) {
  OperatorParts parts;
  EBB_RETURN_IF_ERROR(ReadOperatorCsv(text, "o.csv", parts));
  return parts.ByHour("o.csv");
}

Time At(const char* text) { return *ParseTime(text); }

TEST(OperatorCsv, HoursAreReadAndQuartersAreJoined) {
  const auto hourly = *Parse(
      "timestamp,load_mw,wind_mw,solar_mw\n"
      "2026-05-01T00:00:00Z,41200,8100,0\n"
      "2026-05-01T01:00:00Z,40000,8000,10.5\n");
  ASSERT_EQ(hourly.size(), 2U);
  EXPECT_EQ(hourly[1], (ExpectedHour{At("2026-05-01T01:00Z"), 40'000, 8000, 10.5}));
  const auto quarters = *Parse(
      "timestamp,load_mw,wind_onshore_mw,wind_offshore_mw,solar_mw\n"
      "2026-05-01T00:00Z,100,10,1,0\n2026-05-01T00:15Z,200,20,1,0\n"
      "2026-05-01T00:30Z,300,30,1,4\n2026-05-01T00:45Z,400,40,1,4\n"
      "2026-05-01T01:00Z,100,10,1,0\n2026-05-01T01:15Z,200,20,1,0\n");
  ASSERT_EQ(quarters.size(), 1U) << "half of the second hour is missing";
  EXPECT_EQ(quarters[0], (ExpectedHour{At("2026-05-01T00:00Z"), 250, 26, 2}));
}

TEST(OperatorCsv, WhatIsNotToldIsUnknownAndNotZero) {
  const auto hours = *Parse(
      "timestamp,load_mw,wind_mw,solar_mw,published\n"
      "2026-05-01T00:00Z,41200,,0,2026-04-30T16:00Z\n"
      "2026-05-01T01:00Z,40000,n/e,0,2026-04-30T16:00Z\n"
      "2026-05-01T02:00Z,39000,7000,0,2026-04-30T16:00Z\n"
      "2026-05-01T04:00Z,38000,7000,500,2026-04-30T17:00Z\n");
  ASSERT_EQ(hours.size(), 2U);
  EXPECT_EQ(hours[0].published, At("2026-04-30T16:00Z"));
  const auto drivers = DriversOf(hours);
  ASSERT_EQ(drivers.size(), 3U);
  const std::vector<std::pair<double, double>> first_and_last{
      {39'000, 38'000}, {7000, 7000}, {0, 500}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(drivers[i].begin, At("2026-05-01T02:00Z"));
    ASSERT_EQ(drivers[i].hours.size(), 3U);
    EXPECT_EQ(drivers[i].hours[0]->value, first_and_last[i].first);
    EXPECT_FALSE(drivers[i].hours[1]);
    EXPECT_EQ(drivers[i].hours[2]->value, first_and_last[i].second);
    EXPECT_EQ(drivers[i].hours[2]->known, At("2026-04-30T17:00Z"));
  }
  EXPECT_TRUE(DriversOf({}).empty());
}

TEST(OperatorCsv, WhatCannotBeTrustedIsNamed) {
  const std::string header = "timestamp,load_mw,wind_mw,solar_mw\n";
  const auto why = [](const std::string& text) {
    const auto parsed = Parse(text);
    return parsed ? "" : parsed.error().Message();
  };
  const auto says = [&](const std::string& text, const std::string& what) {
    EXPECT_NE(why(text).find(what), std::string::npos) << why(text);
  };
  says("", "o.csv");
  says("timestamp,load_mw,wind_mw\n", "no column \"solar_mw\"");
  says("timestamp,load_mw,wind_mw,solar_gw\n", "\"solar_gw\" is in a unit that is not known");
  says("timestamp,load_mw,wind_mw,wind_onshore_mw,solar_mw\n", "more than one column");
  says("load_mw,wind_mw,solar_mw\n", "no column for the time");
  says(header, "no hour with all of load, wind and sun");
  says(header + "2026-05-01T00:00Z,1e300,1,1\n", "o.csv:2: \"1e300\" is no power in MW");
  says(header + "2026-05-01T00:00Z,many,1,1\n", "no power in MW");
  says(header + "2026-05-01T00:00Z,1,1\n", "o.csv:2");
  says(header + "2026-05-01T01:00Z,1,1,1\n2026-05-01T00:00Z,1,1,1\n", "o.csv:3");
  says(header + "2026-05-01T00:00Z,1,1,1\n2026-05-01T03:00Z,1,1,1\n2026-05-01T06:00Z,1,1,1\n",
       "more than one hour");
}

}  // namespace
}  // namespace ebb::signals
