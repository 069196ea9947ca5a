#include "sim/place_and_time.h"

#include <gtest/gtest.h>

namespace ebb::sim {
namespace {

using std::chrono::hours;

constexpr Time kStart{hours{1000}};

core::IntensitySeries Hourly(const std::vector<double>& values) {
  std::vector<core::Sample> samples;
  Time begin = kStart;
  for (const double value : values) {
    if (value >= 0) samples.push_back({{begin, begin + hours{1}}, {value}});
    begin += hours{1};
  }
  return *core::IntensitySeries::Create({"X", {}, {}, "test"}, samples);
}

class PlaceAndTimeTest : public ::testing::Test {
 protected:
  PlaceAndTimeTest() {
    cluster_ = {{{"home", "H", {1}}, {"away", "A", {1.2}}},
                {{"gpu", 0, 1, 1, 1, {}}, {"gpu", 1, 1, 1, 1, {40}}}};
    cluster_.joules_per_byte = 1e-6;
    job_.id = 1;
    job_.submitted = kStart;
    job_.duration = hours{1};
    job_.power = {1000};
    job_.start_by = kStart + hours{4};
    job_.home = "home";
  }

  std::optional<PlaceAndTime> Figures() const {
    const std::vector<TrueIntensity> truth{TrueIntensity(home_), TrueIntensity(away_)};
    return PlaceAndTimeOf({&job_, 1}, cluster_, truth, hours{24});
  }

  core::IntensitySeries home_ = Hourly({400, 300, 250, 350, 400, 400});
  core::IntensitySeries away_ = Hourly({200, 100, 150, 200, 90, 200});
  core::Cluster cluster_;
  core::Job job_;
};

TEST_F(PlaceAndTimeTest, TellsApartWhatPlaceAndTimeAreWorth) {
  const auto figures = Figures();
  ASSERT_TRUE(figures);
  EXPECT_DOUBLE_EQ(figures->home_at_once.grams, 400);
  EXPECT_DOUBLE_EQ(figures->home_best_time.grams, 250);
  EXPECT_DOUBLE_EQ(figures->best_place_at_once.grams, 1.2 * 200);
  EXPECT_DOUBLE_EQ(figures->best_place_and_time.grams, 1.2 * 90);
}

TEST_F(PlaceAndTimeTest, CountsTheMove) {
  // 450 GB at 1 Gbit/s take an hour. The network takes 0.125 kWh at home's intensity in that hour,
  // the waiting device 0.04 kWh away.
  job_.file_bytes = 450'000'000'000;
  const auto figures = Figures();
  ASSERT_TRUE(figures);
  EXPECT_NEAR(figures->best_place_at_once.grams, 0.125 * 400 + 1.2 * (0.04 * 200 + 100), 1e-6);
  EXPECT_NEAR(figures->best_place_and_time.grams, 0.125 * 350 + 1.2 * (0.04 * 200 + 90), 1e-6);
}

TEST_F(PlaceAndTimeTest, AMoveEndsByTheLatestStart) {
  job_.file_bytes = 450'000'000'000;
  job_.start_by = kStart + hours{3};
  const auto figures = Figures();
  ASSERT_TRUE(figures);
  EXPECT_NEAR(figures->best_place_and_time.grams, 0.125 * 400 + 1.2 * (0.04 * 200 + 100), 1e-6)
      << "the clean fifth hour would need a start after four hours";
  job_.start_by = kStart + hours{1} - std::chrono::minutes{10};
  EXPECT_DOUBLE_EQ(Figures()->best_place_and_time.grams, Figures()->home_best_time.grams)
      << "no time for a move";
}

TEST_F(PlaceAndTimeTest, StaysWhereTheDataMayLie) {
  job_.data = {"personal"};
  cluster_.sites[1].forbidden_data = {"personal"};
  EXPECT_DOUBLE_EQ(Figures()->best_place_and_time.grams, Figures()->home_best_time.grams);
}

TEST_F(PlaceAndTimeTest, IsUnknownWithoutAHomeOrWithoutTheIntensity) {
  job_.home.clear();
  EXPECT_FALSE(Figures());
  job_.home = "home";
  home_ = Hourly({-1, 300, 250, 350, 400, 400});
  EXPECT_FALSE(Figures()) << "the hour of the submission is unknown";
}

}  // namespace
}  // namespace ebb::sim
