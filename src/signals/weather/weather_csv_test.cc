#include "signals/weather/weather_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::signals {
namespace {

using std::chrono::hours;
using testing::HasSubstr;

constexpr const char* kHeader =
    "issued,lead_h,wind_10m_mps,temperature_2m_k,dewpoint_2m_k,shortwave_w_m2,precipitation_mm_h\n";

Time At(const char* text) { return *ParseTime(text); }

TEST(WeatherCsv, ThreeHourlyStepsBecomeHours) {
  const auto archive = ParseWeather(std::string(kHeader) +
                                        "2021-03-01T00:00Z,0,3,280,270,0,0\n"
                                        "2021-03-01T00:00Z,3,6,283,270,60,0.3\n"
                                        "2021-03-01T00:00Z,6,9,286,270,120,0\n",
                                    "DE.csv");
  ASSERT_TRUE(archive) << archive.error().Message();
  ASSERT_EQ(archive->runs().size(), 1u);
  const forecast::WeatherRun& run = archive->runs().front();
  EXPECT_EQ(run.published, At("2021-03-01T06:00"));
  ASSERT_EQ(run.hours.size(), 9u);
  // Values at moments are interpolated between the steps: half past twelve is a sixth of the way.
  EXPECT_DOUBLE_EQ(run.hours[0]->wind_mps, 3.5);
  EXPECT_DOUBLE_EQ(run.hours[5]->temperature_k, 285.5);
  EXPECT_DOUBLE_EQ(run.hours[8]->wind_mps, 9);  // continues after the last step
  // Means over three hours are interpolated between the middles, 01:30, 04:30 and 07:30.
  EXPECT_DOUBLE_EQ(run.hours[1]->shortwave_w_m2, 0);
  EXPECT_DOUBLE_EQ(run.hours[2]->shortwave_w_m2, 20);
  EXPECT_DOUBLE_EQ(run.hours[4]->shortwave_w_m2, 60);
  EXPECT_DOUBLE_EQ(run.hours[5]->shortwave_w_m2, 80);
}

TEST(WeatherCsv, ReadsHundredMetresCelsiusAndWhenARunWasPublished) {
  const auto archive = ParseWeather(
      "issued,published,lead_h,wind_10m_mps,wind_100m_mps,temperature_2m_c,"
      "shortwave_w_m2\n"
      "2021-03-01T00:00Z,2021-03-01T03:30Z,0,3,7,10,0\n"
      "2021-03-01T00:00Z,2021-03-01T03:30Z,1,3,7,10,0\n",
      "DE.csv");
  ASSERT_TRUE(archive) << archive.error().Message();
  const forecast::WeatherRun& run = archive->runs().front();
  EXPECT_EQ(run.published, At("2021-03-01T03:30"));
  EXPECT_EQ(run.hours[0], (forecast::WeatherHour{7, 283.15, 0, 0}));
}

TEST(WeatherCsv, HolesStayHoles) {
  const auto archive = ParseWeather(std::string(kHeader) +
                                        "2021-03-01T00:00Z,0,3,280,270,0,0\n"
                                        "2021-03-01T00:00Z,1,3,280,270,0,0\n"
                                        "2021-03-01T00:00Z,2,,280,270,0,0\n"
                                        "2021-03-01T00:00Z,9,3,280,270,0,0\n"
                                        "2021-03-01T00:00Z,10,3,280,270,0,0\n",
                                    "DE.csv");
  ASSERT_TRUE(archive) << archive.error().Message();
  const forecast::WeatherRun& run = archive->runs().front();
  ASSERT_EQ(run.hours.size(), 11u);
  EXPECT_TRUE(run.hours[0]);
  EXPECT_FALSE(run.hours[1]);  // until hour nine
  EXPECT_FALSE(run.hours[8]);
  EXPECT_TRUE(run.hours[9]);
}

TEST(WeatherCsv, NoLineIsDrawnOverAnEmptyValue) {
  const auto hours_of = [](const std::string& row) {
    const auto archive =
        ParseWeather(std::string(kHeader) + "2021-03-01T00:00Z,0,3,280,270,0,0\n" + row +
                         "2021-03-01T00:00Z,6,3,280,270,0,0\n"
                         "2021-03-01T00:00Z,9,3,280,270,0,0\n",
                     "DE.csv");
    EXPECT_TRUE(archive) << archive.error().Message();
    std::string known;
    for (const auto& hour : archive->runs().front().hours) known += hour ? '1' : '0';
    return known;
  };
  EXPECT_EQ(hours_of("2021-03-01T00:00Z,3,3,280,270,0,0\n"), "111111111111");
  EXPECT_EQ(hours_of("2021-03-01T00:00Z,3,,280,270,0,0\n"), "000000111111");
  EXPECT_EQ(hours_of("2021-03-01T00:00Z,3,3,280,270,,0\n").substr(0, 6), "111000");
}

TEST(WeatherCsv, WhatCannotBeTrustedIsRefusedWithItsLine) {
  const std::string row = "2021-03-01T00:00Z,0,3,280,270,0,0\n";
  const std::vector<std::pair<std::string, const char*>> refused{
      {"", "empty"},
      {kHeader, "no weather"},
      {"issued,lead_h,wind_10m_kmh,temperature_2m_k,shortwave_w_m2\n", "unit of column"},
      {"issued,lead_h,wind_10m_mps,shortwave_w_m2\n", "no column temperature_2m_k"},
      {kHeader + row + row, "w.csv:3: the rows of a run must be in order"},
      {kHeader + row + "2021-02-01T00:00Z,0,3,280,270,0,0\n", "w.csv:3: the runs must be in order"},
      {kHeader + std::string("2021-03-01T00:00Z,0,3,10,270,0,0\n"), "w.csv:2: temperature"},
      {kHeader + std::string("2021-03-01T00:00Z,0,fast,280,270,0,0\n"), "not a number"},
      {kHeader + std::string("yesterday,0,3,280,270,0,0\n"), "not a time"},
      {kHeader + std::string("2021-03-01T00:00Z,-3,3,280,270,0,0\n"), "lead_h"},
      {kHeader + std::string("2021-03-01T00:00Z,0,3\n"), "3 fields"},
  };
  for (const auto& [text, message] : refused) {
    const auto archive = ParseWeather(text, "w.csv");
    ASSERT_FALSE(archive) << text;
    EXPECT_THAT(archive.error().Message(), HasSubstr(message));
  }
}

TEST(WeatherCsv, WhatIsWrittenReadsBackToTheLastBit) {
  const Time at = At("2021-03-01T00:00Z");
  const forecast::WeatherHour hour{1.0 / 3, 273.15 + 0.1, 1e-7, 0.25};
  forecast::WeatherRun first{at, at + hours{5}, at, {hour, std::nullopt, hour}};
  forecast::WeatherRun later{
      at + hours{6}, at + hours{7}, at + hours{8}, {forecast::WeatherHour{7, 290, 800, 0}}};
  later.published += Duration{250};
  const auto archive = forecast::WeatherArchive::Create("x", {first, later});
  ASSERT_TRUE(archive) << archive.error().Message();
  const auto again = ParseWeather(WeatherText(*archive), "x.csv");
  ASSERT_TRUE(again) << again.error().Message();
  EXPECT_EQ(again->runs(), archive->runs());
}

}  // namespace
}  // namespace ebb::signals
