#include "web/answers/job_series.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ebb::web {
namespace {

using nlohmann::json;

Time At(std::int64_t seconds) { return Time{std::chrono::seconds{seconds}}; }

// One second of grid time is a tenth of a real second, from 1,000,000 on; pauses take no real time.
core::LedgerRow Row(const char* device, std::int64_t begin, std::int64_t end, double watts,
                    std::int64_t wall_tenths) {
  core::LedgerRow row;
  row.device = device;
  row.grid = {At(begin), At(end)};
  const Duration tenth{100};
  row.wall = {At(1'000'000) + wall_tenths * tenth,
              At(1'000'000) + (wall_tenths + end - begin) * tenth};
  row.energy = Energy::Joules(watts * static_cast<double>(end - begin) / 10);
  return row;
}

core::IntensitySeries Signal(const std::vector<double>& values, std::int64_t step) {
  std::vector<core::Sample> samples;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto begin = static_cast<std::int64_t>(i) * step;
    samples.push_back({{At(begin), At(begin + step)}, {values[i]}});
  }
  return *core::IntensitySeries::Create({"DE", {}, {}, "test"}, std::move(samples));
}

TEST(JobSeries, PowerIsThatOfAllDevicesAndPausesAreGaps) {
  JobSeriesInput input;
  input.window = {At(0), At(100)};
  input.rows = {Row("cpu", 10, 20, 50, 0), Row("gpu", 10, 20, 200, 0), Row("cpu", 60, 70, 40, 10)};
  input.signal = Signal({100, 200}, 50);
  const json series = json::parse(JobSeriesToJson(input));
  EXPECT_EQ(series["window_ms"], json({0, 100'000}));
  EXPECT_EQ(series["power"], json::parse("[[10000,20000,250.0,250.0,250.0],"
                                         "[60000,70000,40.0,40.0,40.0]]"));
  EXPECT_EQ(series["intensity"], json::parse("[[0,50000,100.0,100.0,100.0],"
                                             "[50000,100000,200.0,200.0,200.0]]"));
  EXPECT_TRUE(series["loss"].empty());
}

// Thinning keeps the energy and the lowest and highest values.
TEST(JobSeries, LongSeriesAreThinnedWithTheirExtremes) {
  JobSeriesInput input;
  input.points = 100;
  input.window = {At(0), At(20'000)};
  double joules = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double watts = i == 4321 ? 900 : 100 + i % 7;
    input.rows.push_back(Row("cpu", 2 * i, 2 * i + 1, watts, i));
    joules += watts;
  }
  std::vector<double> values(2000, 300);
  values[777] = 5;
  input.signal = Signal(values, 10);
  const json series = json::parse(JobSeriesToJson(input));
  ASSERT_LE(series["power"].size(), 100u);
  double high = 0, mean_sum = 0;
  for (const json& point : series["power"]) {
    EXPECT_LE(point[3], point[2]);
    EXPECT_LE(point[2], point[4]);
    high = std::max(high, point[4].get<double>());
    mean_sum += point[2].get<double>();
  }
  EXPECT_EQ(high, 900);
  EXPECT_NEAR(mean_sum / 100, joules / 10'000, 1e-9);
  double low = 1e9;
  for (const json& point : series["intensity"]) low = std::min(low, point[3].get<double>());
  EXPECT_EQ(low, 5);
}

TEST(JobSeries, LossesAreTakenFromTheFileAndLieOnTheGridsTime) {
  JobSeriesInput input;
  input.window = {At(0), At(100)};
  input.rows = {Row("cpu", 10, 20, 50, 0), Row("cpu", 60, 70, 40, 10)};
  input.progress = LossesOf(
      "{\"time_ms\":1000000500,\"event\":\"step\",\"step\":1,\"loss\":2.5}\n"
      "{\"time_ms\":1000000600,\"event\":\"step\",\"step\":2,\"loss\":NaN}\n"
      "{\"event\":\"step\",\"step\":3\n not json at all \n"
      "{\"time_ms\":1000001500,\"event\":\"epoch_end\",\"epoch\":1,\"step\":938,\"train_loss\":1.5,"
      "\"test_loss\":1.25}\n"
      "{\"time_ms\":1000001600,\"event\":\"step\",\"step\":4,\"lo");
  const json series = json::parse(JobSeriesToJson(input));
  EXPECT_EQ(series["loss"], json::parse("[[15000,1,2.5,2.5,2.5]]"));
  EXPECT_EQ(series["train_loss"], json::parse("[[65000,1,1.5,1.5,1.5]]"));
  EXPECT_EQ(series["test_loss"], json::parse("[[65000,1,1.25,1.25,1.25]]"));
}

TEST(JobSeries, ManyLossesAreThinnedInARow) {
  JobSeriesInput input;
  input.points = 10;
  input.window = {At(0), At(100)};
  for (int i = 0; i < 95; ++i) {
    report::ProgressEvent event;
    event.time = At(i);
    event.step = i;
    event.loss = i == 50 ? 1000 : i;
    input.progress.push_back(event);
  }
  const json series = json::parse(JobSeriesToJson(input));
  ASSERT_EQ(series["loss"].size(), 10u);
  EXPECT_EQ(series["loss"][5][4], 1000);
  EXPECT_EQ(series["loss"][9][1], 94);
  EXPECT_EQ(series["loss"][0], json::parse("[9000,9,4.5,0.0,9.0]"));
}

TEST(JobSeries, AJobThatNeverRanHasOnlyIntensity) {
  JobSeriesInput input;
  input.window = {At(0), At(0)};
  const json series = json::parse(JobSeriesToJson(input));
  for (const char* name : {"power", "intensity", "loss", "train_loss", "test_loss"})
    EXPECT_TRUE(series[name].empty()) << name;
}

}  // namespace
}  // namespace ebb::web
