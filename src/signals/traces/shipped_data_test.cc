// Tests that the series in data/carbon have the figures that data/README.md states.
#include <gtest/gtest.h>

#include <algorithm>

#include "signals/traces/trace_csv.h"
#include "testing/source_tree.h"

namespace ebb::signals {
namespace {

struct Shipped {
  const char* name;
  const char* zone;
  core::Boundary boundary;
  std::chrono::minutes step;
  Interval span;
  std::size_t rows;
  double mean, lowest, highest;  ///< g/kWh
};

class ShippedData : public ::testing::TestWithParam<Shipped> {};

TEST_P(ShippedData, IsWhatItsDocumentSays) {
  const Shipped& expected = GetParam();
  const auto trace = LoadTrace(SourceTree() + "/data/carbon/" + expected.name);
  ASSERT_TRUE(trace) << trace.error().Message();
  const core::IntensitySeries& series = trace->series;
  EXPECT_EQ(series.identity().zone, expected.zone);
  EXPECT_EQ(series.identity().boundary, expected.boundary);
  EXPECT_EQ(trace->step, Duration{expected.step});
  EXPECT_EQ(series.span(), expected.span);
  EXPECT_EQ(series.samples().size(), expected.rows);
  EXPECT_NEAR(series.Mean(series.span())->intensity.g_per_kwh, expected.mean, 0.05);
  const auto less = [](const core::Sample& a, const core::Sample& b) {
    return a.intensity.g_per_kwh < b.intensity.g_per_kwh;
  };
  const auto [low, high] =
      std::minmax_element(series.samples().begin(), series.samples().end(), less);
  EXPECT_EQ(low->intensity.g_per_kwh, expected.lowest);
  EXPECT_EQ(high->intensity.g_per_kwh, expected.highest);
}

Interval Years(const char* from, const char* to) { return {*ParseTime(from), *ParseTime(to)}; }

INSTANTIATE_TEST_SUITE_P(
    All, ShippedData,
    ::testing::Values(Shipped{"US-CAL-CISO_carboncast_2020-2021_hourly_lifecycle.csv.gz",
                              "US-CAL-CISO", core::Boundary::kLifecycle, std::chrono::minutes{60},
                              Years("2020-01-01", "2022-01-01"), 17544, 272.9, 84.03, 450.88},
                      Shipped{"US-TEX-ERCO_carboncast_2020-2021_hourly_lifecycle.csv.gz",
                              "US-TEX-ERCO", core::Boundary::kLifecycle, std::chrono::minutes{60},
                              Years("2020-01-01", "2022-01-01"), 17544, 366.2, 153.06, 544.96},
                      Shipped{"GB_neso_2023_30min_direct.csv.gz", "GB", core::Boundary::kDirect,
                              std::chrono::minutes{30}, Years("2023-01-01", "2024-01-01"), 17419,
                              152.2, 26, 309}));

}  // namespace
}  // namespace ebb::signals
