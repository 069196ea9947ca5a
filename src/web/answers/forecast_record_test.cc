#include "web/answers/forecast_record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ebb::web {
namespace {

using nlohmann::json;
using std::chrono::hours;

Time At(int hour) { return Time{} + hours{hour}; }

core::IntensitySeries Hourly(int begin, const std::vector<double>& values,
                             core::SampleStatus status = core::SampleStatus::kMeasured) {
  std::vector<core::Sample> samples;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int hour = begin + static_cast<int>(i);
    samples.push_back({{At(hour), At(hour + 1)}, {values[i]}, status});
  }
  return *core::IntensitySeries::Create({"DE", {}, {}, "test"}, std::move(samples));
}

store::IssuedForecast Issued(int at, const std::vector<double>& values, double half_band) {
  store::IssuedForecast issued{At(at), {}};
  issued.forecast.method = "test";
  issued.forecast.series = Hourly(at, values);
  std::vector<double> low = values, high = values;
  for (double& value : low) value -= half_band;
  for (double& value : high) value += half_band;
  issued.forecast.p10 = Hourly(at, low);
  issued.forecast.p90 = Hourly(at, high);
  return issued;
}

// Two forecasts; the real values are 100 at hour 0 and 200 from hour 1 on. The errors are +10 |
// -50, 0 and -20 | +100.
TEST(ForecastRecord, ErrorsByHorizonAgainstAHandComputation) {
  const core::IntensitySeries came = Hourly(0, {100, 200, 200});
  const std::vector<store::IssuedForecast> issued{Issued(0, {110, 150, 200}, 30),
                                                  Issued(1, {180, 300, 777}, 30)};
  const json record = json::parse(RecordToJson(issued, RecordOf(issued, came)));
  EXPECT_EQ(record["forecasts"], 2);
  EXPECT_EQ(record["since"], "1970-01-01T00:00:00Z");
  EXPECT_EQ(record["method"], "test");
  ASSERT_EQ(record["horizons"].size(), 2u);
  const json& first = record["horizons"][0];
  EXPECT_EQ(first["until_h"], 1);
  EXPECT_EQ(first["rows"], 2);
  EXPECT_NEAR(first["mean_absolute_error_g_per_kwh"], (10 + 20) / 2.0, 1e-9);
  EXPECT_NEAR(first["bias_g_per_kwh"], (10 - 20) / 2.0, 1e-9);
  EXPECT_NEAR(first["mean_relative_error"], (0.1 + 0.1) / 2, 1e-9);
  EXPECT_NEAR(first["inside_band"], 1, 1e-9);
  const json& second = record["horizons"][1];  // 1 to 3 hours ahead; the value for 777 is not there
                                               // yet
  EXPECT_EQ(second["rows"], 3);
  EXPECT_NEAR(second["mean_absolute_error_g_per_kwh"], (50 + 0 + 100) / 3.0, 1e-9);
  EXPECT_NEAR(second["inside_band"], 1 / 3.0, 1e-9);
}

TEST(ForecastRecord, WhatNobodySawIsNoTruth) {
  const std::vector<store::IssuedForecast> issued{Issued(0, {110, 150}, 30)};
  for (const auto status : {core::SampleStatus::kForecast, core::SampleStatus::kModelled}) {
    const auto scores = RecordOf(issued, Hourly(0, {100, 200}, status));
    EXPECT_TRUE(json::parse(RecordToJson(issued, scores))["horizons"].empty());
  }
  EXPECT_EQ(json::parse(RecordToJson({}, RecordOf({}, {})))["forecasts"], 0);
}

}  // namespace
}  // namespace ebb::web
