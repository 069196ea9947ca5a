#include "cli/terminal_plot.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ebb::cli {
namespace {

const Time kDay = *ParseTime("2023-05-01");
const LocalTimes kUtc{std::nullopt, kDay};

core::SignalView Ramp() {
  std::vector<core::Sample> samples;
  for (int hour = 0; hour < 24; ++hour) {
    const Time begin = kDay + std::chrono::hours{hour};
    samples.push_back({{begin, begin + std::chrono::hours{1}},
                       {100.0 + 10 * hour},
                       core::SampleStatus::kMeasured});
  }
  core::SignalView view;
  view.now = kDay;
  view.known = *core::IntensitySeries::Create(
      {"Z", core::SignalKind::kAverage, core::Boundary::kUnknown, "test"}, samples);
  return view;
}

TEST(SparklineTest, SpansFromLowestToHighestAndLeavesGapsBlank) {
  const std::vector<std::optional<double>> values{100, 150, std::nullopt, 200};
  EXPECT_EQ(Sparkline(values), "▁▅ █");
}

TEST(SparklineTest, AFlatSignalIsDrawnInTheMiddle) {
  const std::vector<std::optional<double>> values{5, 5};
  EXPECT_EQ(Sparkline(values), "▅▅");
}

// The means differ only by rounding. Such differences were once drawn from the lowest block to the
// highest.
TEST(SparklineTest, TheMeansOfAConstantAreFlat) {
  std::vector<core::Sample> samples;
  for (int hour = 0; hour < 48; ++hour) {
    const Time begin = kDay + std::chrono::hours{hour};
    samples.push_back(
        {{begin, begin + std::chrono::hours{1}}, {330.718}, core::SampleStatus::kModelled});
  }
  core::SignalView view;
  view.now = kDay;
  view.known = *core::IntensitySeries::Create({}, samples);
  for (int seconds = 0; seconds < 3600; seconds += 7) {
    const Time begin = kDay + std::chrono::seconds{seconds};
    const std::string line =
        Sparkline(SampleView(view, {begin, begin + std::chrono::hours{25}}, 24));
    EXPECT_EQ(line.find("█"), std::string::npos) << line << " from " << seconds;
    EXPECT_EQ(line.find("▁"), std::string::npos) << line << " from " << seconds;
  }
}

TEST(SampleViewTest, MeansOfEqualParts) {
  const auto values = SampleView(Ramp(), {kDay, kDay + std::chrono::hours{4}}, 2);
  EXPECT_DOUBLE_EQ(*values[0], 105);
  EXPECT_DOUBLE_EQ(*values[1], 125);
}

TEST(IntensityChartTest, HasItsRowsAnAxisAndTheMarkedWindow) {
  ChartOptions options;
  options.columns = 48;
  options.marked = Interval{kDay, kDay + std::chrono::hours{2}};
  const std::string chart =
      IntensityChart(Ramp(), {kDay, kDay + std::chrono::hours{24}}, options, kUtc);
  EXPECT_EQ(std::count(chart.begin(), chart.end(), '\n'), 8 + 3);
  EXPECT_NE(chart.find("▔▔▔▔"), std::string::npos);
  EXPECT_NE(chart.find("06:00"), std::string::npos);
}

TEST(IntensityChartTest, ItsAxisIsOfTheLocalClock) {
  ChartOptions options;
  options.columns = 48;
  const LocalTimes kolkata{*prices::ZoneClock::Find("Asia/Kolkata"), kDay};
  const std::string chart =
      IntensityChart(Ramp(), {kDay, kDay + std::chrono::hours{24}}, options, kolkata);
  // 06:00 in that zone is half an hour after midnight in UTC: one of 48 columns.
  const std::string axis = chart.substr(chart.rfind('\n', chart.size() - 2) + 1);
  EXPECT_TRUE(axis.starts_with(std::string(8 + 1, ' ') + "06:00")) << axis;
}

TEST(IntensityChartTest, NothingKnownIsSaid) {
  EXPECT_NE(IntensityChart({}, {kDay, kDay + std::chrono::hours{1}}, {}, kUtc).find("no value"),
            std::string::npos);
}

}  // namespace
}  // namespace ebb::cli
