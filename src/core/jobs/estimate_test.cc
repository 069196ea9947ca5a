#include "core/jobs/estimate.h"

#include <gtest/gtest.h>

namespace ebb::core {
namespace {

using std::chrono::hours;

std::vector<EarlierRun> Runs(std::vector<int> times_h) {
  std::vector<EarlierRun> runs;
  for (const int time : times_h) runs.push_back({hours{time}, Power{100}});
  return runs;
}

TEST(Estimate, WithoutEarlierRunsThereIsNone) {
  EXPECT_FALSE(EstimateFrom({}, {hours{1}, Power{100}}));
  EXPECT_FALSE(EstimateFrom({{Duration{0}, Power{100}}}, {}));
}

TEST(Estimate, IsTheGeometricMeanWithTheHintAsOneRun) {
  EXPECT_EQ(EstimateFrom(Runs({4}), {hours{1}, {}})->duration, hours{2});
  EXPECT_EQ(EstimateFrom(Runs({4, 4, 4}), {})->duration, hours{4});
  // (1 x 8 x 8)^(1/3) = 4
  EXPECT_EQ(EstimateFrom(Runs({8, 8}), {hours{1}, {}})->duration, hours{4});
  const auto estimate =
      EstimateFrom({{hours{1}, Power{0}}, {hours{1}, Power{400}}}, {{}, Power{100}});
  EXPECT_NEAR(estimate->power.watts, 200, 1e-9) << "an unknown power counts for nothing";
  EXPECT_EQ(EstimateFrom({{hours{1}, Power{0}}}, {})->power.watts, 0);
}

// A law: if all times are twice as long, the estimate is twice as long with the same spread.
TEST(Estimate, ScalesAndSettlesOnTheTruth) {
  const auto once = EstimateFrom(Runs({1, 2, 4}), {hours{3}, {}});
  const auto twice = EstimateFrom(Runs({2, 4, 8}), {hours{6}, {}});
  EXPECT_NEAR(Seconds(twice->duration), 2 * Seconds(once->duration), 0.01);
  EXPECT_NEAR(once->spread, 2, 1e-9) << "1, 2, 4: a standard deviation of ln 2";
  EXPECT_NEAR(twice->spread, once->spread, 1e-9);
  // The weight of a hint goes away, however wrong the hint is.
  double last_error = 1e9;
  for (int n = 1; n <= 16; n *= 2) {
    const auto estimate =
        EstimateFrom(Runs(std::vector<int>(static_cast<std::size_t>(n), 2)), {hours{50}, {}});
    const double error = Hours(estimate->duration) / 2 - 1;
    EXPECT_LT(error, last_error);
    last_error = error;
  }
  EXPECT_LT(last_error, 0.25);
}

}  // namespace
}  // namespace ebb::core
