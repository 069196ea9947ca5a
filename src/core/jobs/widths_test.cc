#include "core/jobs/widths.h"

#include <gtest/gtest.h>

namespace ebb::core {
namespace {

using std::chrono::hours;

Job Elastic() {
  Job job;
  job.devices = 2;
  job.duration = hours{3};
  job.power = {100};
  job.checkpointable = true;
  job.speedup = {{1, 0.6}, {4, 1.5}};
  return job;
}

TEST(Widths, TheJobsOwnWidthIsAmongThem) {
  const std::vector<WidthSpeed> expected{{1, 0.6}, {2, 1}, {4, 1.5}};
  EXPECT_EQ(WidthsOf(Elastic()), expected);
  EXPECT_EQ(SpeedAt(Elastic(), 4), 1.5);
  EXPECT_EQ(SpeedAt(Elastic(), 2), 1);
  EXPECT_EQ(WidthsOf(Job()), (std::vector<WidthSpeed>{{1, 1}}));
}

TEST(Widths, GiveTimeAndPowerOnAPool) {
  const DevicePool pool{"gpu", 0, 8, 2, 1.5, {}};
  EXPECT_EQ(TimeOn(Elastic(), pool, 4, hours{3}), hours{1});
  EXPECT_EQ(TimeOn(Elastic(), pool, 2, hours{3}), TimeOn(Elastic(), pool, hours{3}));
  EXPECT_DOUBLE_EQ(PowerOn(Elastic(), pool, 4).watts, 600);
  EXPECT_DOUBLE_EQ(PowerOn(Elastic(), pool, 2).watts, PowerOn(Elastic(), pool).watts);
}

TEST(Widths, FitAPoolThatIsLargeEnough) {
  Cluster cluster;
  cluster.sites = {{"home", "Z", {1}}};
  cluster.pools = {{"gpu", 0, 3, 1, 1, {}}};
  EXPECT_TRUE(FitsAt(Elastic(), cluster, 0, 1));
  EXPECT_TRUE(FitsAt(Elastic(), cluster, 0, 2));
  EXPECT_FALSE(FitsAt(Elastic(), cluster, 0, 4));
}

TEST(Widths, AreReadAndWrittenAsText) {
  const auto parsed = ParseSpeedup({"4=3.3", " 2 = 1.9 "});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, (std::vector<WidthSpeed>{{2, 1.9}, {4, 3.3}}));
  EXPECT_EQ(Describe(*parsed), (std::vector<std::string>{"2=1.9", "4=3.3"}));
  for (const char* const text :
       {"", "x", "=2", "4=", "0=1", "1.5=2", "2=0", "2=-1", "2=nan", "x=2"})
    EXPECT_FALSE(ParseSpeedup({text})) << text;
}

TEST(Widths, AreRefusedIfTheJobCannotHaveThem) {
  EXPECT_TRUE(CheckWidths(Elastic()));
  EXPECT_TRUE(CheckWidths(Job()));
  Job job = Elastic();
  job.checkpointable = false;
  EXPECT_NE(CheckWidths(job).error().next.find("checkpointable"), std::string::npos);
  job = Elastic();
  job.freeze = true;
  EXPECT_FALSE(CheckWidths(job));
  for (const std::vector<WidthSpeed>& wrong : {std::vector<WidthSpeed>{{4, 0.9}},
                                               {{4, 1}},
                                               {{1, 1.2}},
                                               {{4, 1.5}, {4, 1.6}},
                                               {{2, 1.1}},
                                               {{3, 1.8}, {4, 1.7}},
                                               {{0, 0.1}}}) {
    job = Elastic();
    job.speedup = wrong;
    EXPECT_FALSE(CheckWidths(job)) << wrong.front().devices << " " << wrong.front().speed;
  }
}

TEST(Widths, WithoutASpeedHaveAnAssumedOne) {
  const auto parsed = ParseSpeedup({"4", "2=1.9"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(Describe(*parsed), (std::vector<std::string>{"2=1.9", "4"}));
  Job job = Elastic();
  job.devices = 1;
  job.speedup = *parsed;
  EXPECT_TRUE(CheckWidths(job));
  EXPECT_DOUBLE_EQ(SpeedAt(job, 2), 1.9);
  EXPECT_NEAR(SpeedAt(job, 4), 1.8 * 1.8, 1e-12);
  EXPECT_DOUBLE_EQ(WidthsOf(job).back().speed, SpeedAt(job, 4));
  EXPECT_NEAR(AssumedSpeed(4, 2), 1 / 1.8, 1e-12);
}

TEST(Widths, LearnedSpeedsReplaceThoseGiven) {
  Job job = Elastic();
  job.devices = 1;
  job.speedup = {{2, 1.9}, {4, 3.3}};
  job.learned_speedup = {{2, 1.5}, {4, 1.8}};
  EXPECT_TRUE(CheckWidths(job));
  EXPECT_DOUBLE_EQ(SpeedAt(job, 4), 1.8);
  EXPECT_DOUBLE_EQ(WidthsOf(job)[1].speed, 1.5);
  job.learned_speedup = {{2, 1.5}};
  EXPECT_FALSE(CheckWidths(job)) << "a width has no speed";
  job.learned_speedup = {{2, 1.5}, {4, 1.4}};
  EXPECT_FALSE(CheckWidths(job));
}

TEST(Widths, AreASeriesForPeople) {
  EXPECT_EQ(WidthsText({}), "");
  EXPECT_EQ(WidthsText({1}), "1 device");
  EXPECT_EQ(WidthsText({2, 1, 1, 4}), "2, 1, 4 devices");
  EXPECT_EQ(WidthsText({4, 4}), "4 devices");
  EXPECT_EQ(WidthsText({1, 2, 1, 2, 1, 2, 4, 1}), "1 to 4 devices");
}

}  // namespace
}  // namespace ebb::core
