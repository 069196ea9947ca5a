#include "signals/providers/open_electricity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/http/scripted_http_for_test.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

std::string Series(const std::string& technology, const std::string& values,
                   const std::string& type = "power", const std::string& interval = "5m") {
  return R"({"id": "au.nem.nsw1.fuel_tech.)" + technology + "." + type + R"(", "type": ")" + type +
         R"(", "fuel_tech": ")" + technology +
         R"(", "network": "nem", "region": "NSW1", "units": ")" +
         (type == "power" ? "MW" : "tCO2e") +
         R"(", "history": {"start": "2026-05-06T21:15:00+10:00", "last": "2026-05-06T21:20:00+10:00",)" +
         R"( "interval": ")" + interval + R"(", "data": [)" + values + "]}}";
}

std::string Answer(const std::string& series) {
  return R"({"type": "power", "version": "4.0.14", "network": "nem", "data": [)" + series + "]}";
}

std::string Mix() {
  return Series("coal_black", "7400, 7390") + "," +
         Series("coal_black", "6000, 6000", "emissions") + "," + Series("wind", "1600, 1640") +
         "," + Series("solar_rooftop", "120", "power", "30m") + "," +
         Series("battery_charging", "-3, null") + "," + Series("imports", "541, 546") +
         R"(,{"id": "au.nem.nsw1.demand", "type": "power", "units": "MW",
              "history": {"start": "2026-05-06T21:15:00+10:00", "interval": "5m", "data": [9000, 9010]}})";
}

TEST(OpenElectricity, PowerByTechnologyIsReadAndWhatElseIsThereIsNot) {
  const auto rows = ParseOpenElectricity(Answer(Mix()), "x");
  ASSERT_TRUE(rows) << rows.error().Message();
  const auto points = IntensityOf(*rows, minutes{5}, core::Boundary::kLifecycle, "x");
  ASSERT_TRUE(points);
  EXPECT_EQ(points->front().begin, *ParseTime("2026-05-06T11:15Z"));
  EXPECT_NEAR(*(*points)[0].value, (7400 * 820.0 + 1600 * 11 + 120 * 48) / 9120, 1e-9);
  EXPECT_NEAR(*(*points)[1].value, (7390 * 820.0 + 1640 * 11 + 120 * 48) / 9150, 1e-9);
  ASSERT_EQ(points->size(), 6u) << "half an hour is six times five minutes";
  EXPECT_FALSE(points->back().value) << "of which coal is not known yet";
}

TEST(OpenElectricity, ATechnologyThatIsNotThereYetMakesAGap) {
  const auto rows = ParseOpenElectricity(
      Answer(Series("coal_black", "7400, null") + "," + Series("wind", "1600, 1640")), "x");
  const auto points = IntensityOf(*rows, minutes{5}, core::Boundary::kLifecycle, "x");
  EXPECT_TRUE(points->front().value);
  EXPECT_FALSE(points->back().value);
}

TEST(OpenElectricity, WhatIsNoSuchAnswerIsRefused) {
  for (const std::string& body :
       {std::string(), std::string("<html>"), std::string("{}"), std::string(R"({"data": {}})"),
        Answer(Series("wind", "1", "power", "1M")), Answer(Series("wind", "1", "power", "1m")),
        Answer(Series("wind", "\"much\"")),
        Answer(R"({"type": "power", "fuel_tech": "wind", "units": "MW"})"),
        Answer(R"({"type": "power", "fuel_tech": "wind", "units": "GWh", "history": {}})")})
    EXPECT_FALSE(ParseOpenElectricity(body, "x")) << body;
}

TEST(OpenElectricity, ARegionOfTheMarketIsAskedForAndTheWestHasItsOwnNetwork) {
  ScriptedHttp http;
  http.Say("7d.json", Answer(Mix()));
  const Time now = *ParseTime("2026-05-06T11:30Z");
  for (const auto& [zone, url] : std::vector<std::pair<std::string, std::string>>{
           {"AU-NSW", "https://au.example/v4/stats/au/NEM/NSW1/power/7d.json"},
           {"AU-WA", "https://au.example/v4/stats/au/WEM/power/7d.json"}}) {
    const auto provider =
        MakeOperatorMix(OpenElectricityMix("https://au.example", zone, *OpenElectricityPath(zone),
                                           core::Boundary::kLifecycle),
                        http.Get());
    const auto reading = provider->Read({now, hours{48}, {}, true});
    ASSERT_TRUE(reading) << reading.error().Message();
    EXPECT_EQ(http.requests.back().url, url);
    EXPECT_EQ(provider->identity().zone, zone);
  }
  EXPECT_FALSE(OpenElectricityPath("AU-NT"));
  EXPECT_FALSE(OpenElectricityPath("NZ"));
}

}  // namespace
}  // namespace ebb::signals
