#include "signals/providers/caiso.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/http/scripted_http_for_test.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;

constexpr const char* kHeader =
    "Time,Solar,Wind,Geothermal,Biomass,Biogas,Small hydro,Coal,Nuclear,Natural Gas,Large "
    "Hydro,Batteries,Imports,Other\r\n";
constexpr const char* kNight = ",-62,5119,645,123,141,271,0,2277,2670,3126,2760,4792,0\r\n";
constexpr const char* kBlank = ",,,,,,,,,,,,,\r\n";

std::string Day(std::initializer_list<std::pair<const char*, const char*>> rows) {
  std::string text = kHeader;
  for (const auto& [time, fields] : rows) text += std::string(time) + fields;
  return text;
}
// The begins of a file's rows.
std::set<std::string> Begins(const std::string& body, const char* day) {
  const auto rows = ParseCaiso(body, day, "x");
  EXPECT_TRUE(rows) << rows.error().Message();
  std::set<std::string> begins;
  for (const GenerationRow& row : rows.value_or(std::vector<GenerationRow>{}))
    begins.insert(FormatTime(row.begin));
  return begins;
}

TEST(Caiso, ReadsLocalTimesAndLeavesOutRowsThatAreNotThereYet) {
  const auto rows =
      ParseCaiso(Day({{"00:00", kNight}, {"00:05", kNight}, {"00:10", kBlank}}), "20260506", "x");
  ASSERT_TRUE(rows) << rows.error().Message();
  EXPECT_EQ(rows->size(), 26u);
  EXPECT_EQ(rows->front().begin, *ParseTime("2026-05-06T07:00Z"));
  EXPECT_EQ(rows->front().megawatts, -62);
  EXPECT_EQ(rows->back().begin, *ParseTime("2026-05-06T07:05Z"));
  const auto points = IntensityOf(*rows, minutes{5}, core::Boundary::kLifecycle, "x");
  ASSERT_TRUE(points);
  const double made = 5119 + 645 + 123 + 141 + 271 + 2277 + 2670 + 3126;
  const double grams =
      5119 * 11 + 645 * 38 + (123 + 141) * 230 + (271 + 3126) * 24.0 + 2277 * 12 + 2670 * 490;
  EXPECT_NEAR(*(*points)[0].value, grams / made, 1e-9) << "no imports, no batteries";
}

TEST(Caiso, TheHourThatIsTwiceCountsOnlyWhereTheFileHasItTwice) {
  EXPECT_EQ(Begins(Day({{"00:55", kNight},
                        {"01:00", kNight},
                        {"01:55", kNight},
                        {"01:00", kNight},
                        {"01:55", kNight},
                        {"02:00", kNight}}),
                   "20261101"),
            (std::set<std::string>{"2026-11-01T07:55:00Z", "2026-11-01T08:00:00Z",
                                   "2026-11-01T08:55:00Z", "2026-11-01T09:00:00Z",
                                   "2026-11-01T09:55:00Z", "2026-11-01T10:00:00Z"}));
  EXPECT_EQ(Begins(Day({{"00:55", kNight}, {"01:00", kNight}, {"02:00", kNight}}), "20261101"),
            (std::set<std::string>{"2026-11-01T07:55:00Z", "2026-11-01T10:00:00Z"}))
      << "which of the two it is, nobody knows";
}

TEST(Caiso, TheHourThatIsSkippedHasNoValues) {
  EXPECT_EQ(Begins(Day({{"01:55", kNight}, {"02:00", kNight}, {"03:00", kNight}}), "20260308"),
            (std::set<std::string>{"2026-03-08T09:55:00Z", "2026-03-08T10:00:00Z"}));
}

TEST(Caiso, WhatIsNoSuchFileIsRefused) {
  const std::string row = std::string("00:05") + kNight;
  for (const std::string& body :
       {std::string(), std::string("<html>"), std::string("Time,Solar\r\n"),
        kHeader + std::string("25:00") + kNight, kHeader + row + "00:10,1,2",
        kHeader + std::string("00:05,x,1,1,1,1,1,1,1,1,1,1,1,1\r\n"),
        Day({{"05:00", kNight}, {"04:00", kNight}, {"03:00", kNight}})})
    EXPECT_FALSE(ParseCaiso(body, "20260506", "x")) << body;
}

TEST(Caiso, AsksForTodayAndForThePastDaysThatAreMissing) {
  ScriptedHttp http;
  http.Say("/current/", Day({{"00:00", kNight}, {"00:05", kNight}}));
  http.Say("/history/", Day({{"23:50", kNight}, {"23:55", kNight}}));
  const auto provider =
      MakeOperatorMix(*CaisoMix("https://caiso.example", core::Boundary::kLifecycle), http.Get());
  const Time now = *ParseTime("2026-05-06T07:12Z");
  const auto reading = provider->Read({now, hours{48}, now - hours{2}, true});
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(reading->known.size(), 4u);
  ASSERT_EQ(http.requests.size(), 2u);
  EXPECT_EQ(http.requests[0].url, "https://caiso.example/history/20260505/fuelsource.csv");
  EXPECT_EQ(http.requests[1].url, "https://caiso.example/current/fuelsource.csv");
  EXPECT_EQ(provider->identity().zone, "US-CAL-CISO");
}

TEST(Caiso, YesterdaysFileInThePlaceOfTodaysIsNoValue) {
  ScriptedHttp http;
  http.Say("fuelsource", Day({{"00:00", kNight}, {"23:55", kNight}}));
  const auto provider =
      MakeOperatorMix(*CaisoMix("https://caiso.example", core::Boundary::kLifecycle), http.Get());
  const Time now = *ParseTime("2026-05-06T07:02Z");
  const auto reading = provider->Read({now, hours{48}, now, true});
  ASSERT_FALSE(reading);
  EXPECT_THAT(reading.error().what, HasSubstr("that of the day before"));
}

}  // namespace
}  // namespace ebb::signals
