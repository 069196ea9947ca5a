#include "forecast/hourly_grid.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "forecast/series_for_test.h"

namespace ebb::forecast {
namespace {

using std::chrono::minutes;

// Compares the common beginning. The rest of `found` comes from a later question.
void ExpectBeginsLike(const HourlyGrid& found, const HourlyGrid& expected) {
  ASSERT_GE(found.size(), expected.size());
  for (std::size_t hour = 0; hour < expected.size(); ++hour) {
    ASSERT_EQ(found.value(hour), expected.value(hour)) << hour;
    ASSERT_EQ(found.days().typical(hour), expected.days().typical(hour)) << hour;
    ASSERT_EQ(found.UnknownBefore(hour + 1), expected.UnknownBefore(hour + 1)) << hour;
  }
}

// Changes, removes and adds values anywhere, with steps of an hour and less, and with gaps.
TEST(HourlyGrid, AfterAnyRevisionItIsAsOneMadeAnew) {
  Random random(3);
  for (int round = 0; round < 60; ++round) {
    const Duration step = minutes{round % 3 == 0 ? 60 : round % 3 == 1 ? 30 : 5};
    HourlyGrid grid;
    std::vector<core::Sample> samples;
    for (int turn = 0; turn < 12; ++turn) {
      const double kind = random.Uniform();
      const auto at = samples.empty() ? 0 : random.Below(samples.size());
      if (kind < 0.3 && !samples.empty()) samples[at].intensity.g_per_kwh += 10;
      if (kind > 0.8 && !samples.empty())
        samples.erase(samples.begin() + static_cast<std::ptrdiff_t>(at));
      if (kind > 0.6 && kind < 0.7) samples.resize(at);
      for (int more = static_cast<int>(random.Uniform() * 60); more > 0; --more) {
        const Time end = samples.empty() ? kBegin : samples.back().interval.end;
        const Time begin = end + (random.Uniform() < 0.05 ? 13 * step : Duration{0});
        samples.push_back({{begin, begin + step}, Intensity{400 * random.Uniform()}});
      }
      if (samples.empty()) continue;
      const std::size_t before = grid.size();
      const std::size_t stayed = grid.Extend(samples);
      EXPECT_LE(stayed, before);
      HourlyGrid anew;
      anew.Extend(samples);
      ASSERT_NO_FATAL_FAILURE(ExpectBeginsLike(grid, anew)) << round << " " << turn;
    }
  }
}

TEST(HourlyGrid, SaysHowManyHoursStayedAsTheyWere) {
  auto samples = Series(48, [](int i) { return 100 + i; }).samples();
  HourlyGrid grid;
  EXPECT_EQ(grid.Extend(samples), 0u);
  EXPECT_EQ(grid.Extend(samples), 48u);
  samples[40].intensity.g_per_kwh = 7;
  EXPECT_EQ(grid.Extend(samples), 40u);
  EXPECT_EQ(grid.value(40), 7);
  samples[0].intensity.g_per_kwh = 7;
  EXPECT_EQ(grid.Extend(samples), 0u);
}

}  // namespace
}  // namespace ebb::forecast
