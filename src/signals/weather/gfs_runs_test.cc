#include "signals/weather/gfs_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ebb::signals {
namespace {

using std::chrono::hours;
using testing::HasSubstr;

const Time kIssued = *ParseTime("2026-05-06T00:00Z");
constexpr Duration kLag{hours{5}};

GribField Field(GribQuantity quantity, int from_h, int to_h, std::vector<double> values,
                int height_m = 10) {
  return {quantity, height_m, kIssued, hours{from_h}, hours{to_h}, std::move(values)};
}

// Fields with wind of 5 m/s and 280 K at these hours.
std::vector<GribField> Moments(const std::vector<int>& leads_h, std::size_t places = 1) {
  std::vector<GribField> fields;
  for (const int lead : leads_h) {
    fields.push_back(Field(GribQuantity::kWindEast, lead, lead, std::vector(places, 3.0)));
    fields.push_back(Field(GribQuantity::kWindNorth, lead, lead, std::vector(places, -4.0)));
    fields.push_back(Field(GribQuantity::kTemperature, lead, lead, std::vector(places, 280.0), 2));
  }
  return fields;
}

forecast::WeatherRun RunOf(const std::vector<GribField>& fields, std::size_t places = 1) {
  const auto runs = RunsOfGfs(fields, {0, places}, 10, kLag);
  EXPECT_TRUE(runs) << runs.error().Message();
  return runs && runs->size() == 1 ? runs->front() : forecast::WeatherRun{};
}

// The mean from one hour of the run to another.
double MeanOf(const forecast::WeatherRun& run, double forecast::WeatherHour::*value, int from,
              int to) {
  double sum = 0;
  for (int hour = from; hour < to; ++hour) {
    const auto& at = run.hours.at(static_cast<std::size_t>(hour));
    sum += at ? (*at).*value : NAN;
  }
  return sum / (to - from);
}

// The sun follows an hourly course; GFS gives its means over 0-3, 0-6, 6-9, 6-12 h and so on.
TEST(GfsRuns, MeansThatBeginAnewBecomeWhatFellInBetween) {
  const auto sun = [](int hour) { return 100.0 * (hour % 12); };
  std::vector<GribField> fields = Moments({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  for (int to = 1; to <= 12; ++to) {
    const int from = (to - 1) / 6 * 6;
    double sum = 0;
    for (int hour = from; hour < to; ++hour) sum += sun(hour);
    fields.push_back(Field(GribQuantity::kShortwave, from, to, {sum / (to - from)}, 0));
  }
  const forecast::WeatherRun run = RunOf(fields);
  EXPECT_EQ(run.issued, kIssued);
  EXPECT_EQ(run.published, kIssued + kLag);
  EXPECT_EQ(run.begin, kIssued);
  ASSERT_EQ(run.hours.size(), 12u);
  for (int hour = 0; hour < 12; ++hour) {
    const auto& at = run.hours[static_cast<std::size_t>(hour)];
    ASSERT_TRUE(at) << hour;
    EXPECT_NEAR(at->shortwave_w_m2, sun(hour), 1e-9) << hour;
    EXPECT_DOUBLE_EQ(at->wind_mps, 5);
    EXPECT_DOUBLE_EQ(at->temperature_k, 280);
    EXPECT_EQ(at->precipitation_mm_h, 0) << "there is no field of it";
  }
}

TEST(GfsRuns, SumsFromTheStartOfTheRunGiveRatesAndRatesWinOverThem) {
  std::vector<GribField> fields = Moments({0, 3, 6, 9});
  for (const int to : {3, 6, 9}) {
    fields.push_back(Field(GribQuantity::kShortwave, to - 3, to, {50}, 0));
    fields.push_back(Field(GribQuantity::kRainSum, 0, to, {to == 3 ? 0.0 : 6.0}, 0));
  }
  const auto rain = &forecast::WeatherHour::precipitation_mm_h;
  forecast::WeatherRun run = RunOf(fields);
  ASSERT_EQ(run.hours.size(), 9u);
  EXPECT_DOUBLE_EQ(MeanOf(run, rain, 4, 5), 2);
  EXPECT_DOUBLE_EQ(MeanOf(run, rain, 0, 1), 0);
  for (const int to : {3, 6, 9}) fields.push_back(Field(GribQuantity::kRain, to - 3, to, {0.5}, 0));
  run = RunOf(fields);
  EXPECT_DOUBLE_EQ(MeanOf(run, rain, 0, 9), 0.5);
}

TEST(GfsRuns, RoundingMakesNoNegativeSun) {
  std::vector<GribField> fields = Moments({0, 3, 6});
  fields.push_back(Field(GribQuantity::kShortwave, 0, 3, {10.0}, 0));
  fields.push_back(Field(GribQuantity::kShortwave, 0, 6, {4.9}, 0));
  const forecast::WeatherRun run = RunOf(fields);
  for (const auto& hour : run.hours) EXPECT_GE(hour->shortwave_w_m2, 0);
}

TEST(GfsRuns, AHourThatLacksAFieldIsUnknown) {
  std::vector<GribField> fields = Moments({0, 3, 6, 9, 12});
  for (const int to : {3, 6, 12})  // the file of hour 9 has no sun
    fields.push_back(Field(GribQuantity::kShortwave, to - 3, to, {50}, 0));
  const forecast::WeatherRun run = RunOf(fields);
  ASSERT_EQ(run.hours.size(), 12u);
  EXPECT_TRUE(run.hours[2]);
  EXPECT_FALSE(run.hours[6]);
  EXPECT_FALSE(run.hours[8]);
  EXPECT_TRUE(run.hours[11]);
}

TEST(GfsRuns, AMissingStepLeavesAHole) {
  std::vector<GribField> fields = Moments({0, 3, 12, 15});
  for (const int to : {3, 15})
    fields.push_back(Field(GribQuantity::kShortwave, to - 3, to, {50}, 0));
  const forecast::WeatherRun run = RunOf(fields);
  ASSERT_EQ(run.hours.size(), 15u);
  EXPECT_TRUE(run.hours[2]);
  for (std::size_t hour = 3; hour < 12; ++hour) EXPECT_FALSE(run.hours[hour]) << hour;
  EXPECT_TRUE(run.hours[14]);
}

TEST(GfsRuns, PlacesWithoutAValueAreLeftOutUpToAQuarter) {
  const auto with_missing = [](std::size_t missing) {
    std::vector<GribField> fields = Moments({0, 3}, 4);
    std::vector<double> sun{100, 200, 300, 400};
    for (std::size_t i = 0; i < missing; ++i) sun[i] = NAN;
    fields.push_back(Field(GribQuantity::kShortwave, 0, 3, sun, 0));
    return RunsOfGfs(fields, {0, 4}, 10, kLag);
  };
  EXPECT_DOUBLE_EQ(with_missing(0)->front().hours[0]->shortwave_w_m2, 250);
  EXPECT_DOUBLE_EQ(with_missing(1)->front().hours[0]->shortwave_w_m2, 300);
  EXPECT_THAT(with_missing(2).error().Message(), HasSubstr("has no hour with all of its fields"));
}

TEST(GfsRuns, EachZoneHasItsOwnPlaces) {
  std::vector<GribField> fields = Moments({0, 3}, 3);
  fields.push_back(Field(GribQuantity::kShortwave, 0, 3, {100, 200, 400}, 0));
  const auto second = RunsOfGfs(fields, {1, 2}, 10, kLag);
  ASSERT_TRUE(second);
  EXPECT_DOUBLE_EQ(second->front().hours[0]->shortwave_w_m2, 300);
}

TEST(GfsRuns, WindAtHundredMetresIsTakenWhereAllStepsHaveIt) {
  std::vector<GribField> fields = Moments({0, 3});
  EXPECT_EQ(WindHeightOf(fields), 10);
  fields.push_back(Field(GribQuantity::kWindEast, 0, 0, {6.0}, 100));
  EXPECT_EQ(WindHeightOf(fields), 10);
  fields.push_back(Field(GribQuantity::kWindEast, 3, 3, {6.0}, 100));
  EXPECT_EQ(WindHeightOf(fields), 100);
  for (const int lead : {0, 3})
    fields.push_back(Field(GribQuantity::kWindNorth, lead, lead, {8.0}, 100));
  fields.push_back(Field(GribQuantity::kShortwave, 0, 3, {50}, 0));
  const auto runs = RunsOfGfs(fields, {0, 1}, 100, kLag);
  ASSERT_TRUE(runs);
  EXPECT_DOUBLE_EQ(runs->front().hours[0]->wind_mps, 10);
}

TEST(GfsRuns, AFieldThatIsThereTwiceHasToSayTheSame) {
  std::vector<GribField> fields = Moments({0, 3});
  fields.push_back(Field(GribQuantity::kShortwave, 0, 3, {50}, 0));
  fields.push_back(Field(GribQuantity::kShortwave, 0, 3, {50}, 0));
  EXPECT_TRUE(RunsOfGfs(fields, {0, 1}, 10, kLag));
  fields.push_back(Field(GribQuantity::kShortwave, 0, 3, {60}, 0));
  EXPECT_THAT(RunsOfGfs(fields, {0, 1}, 10, kLag).error().Message(),
              HasSubstr("a field of hour 3 twice, with different values"));
}

}  // namespace
}  // namespace ebb::signals
