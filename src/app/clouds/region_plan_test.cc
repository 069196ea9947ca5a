#include "app/clouds/region_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "app/slurm/start_choice.h"
#include "plan/hourly_for_test.h"
#include "testing/builders.h"

namespace ebb::app {
namespace {

using ebb::testing::AJob;
using plan::testing::Hourly;
using std::chrono::hours;
using ::testing::ElementsAre;

const Time kNow = *ParseTime("2026-11-27T18:00Z");
constexpr int kHours = 48;

// A region with these values from now on, one per hour; the first one is known.
RegionGrid Region(const std::string& name, const std::vector<double>& values) {
  RegionGrid grid;
  grid.region = name;
  grid.view.now = kNow;
  grid.view.known = Hourly(kNow, {values.front()});
  grid.view.forecast.issued = kNow;
  grid.view.forecast.method = "test";
  grid.view.forecast.series =
      Hourly(kNow + hours{1}, std::vector<double>(values.begin() + 1, values.end()));
  return grid;
}

RegionGrid Flat(const std::string& name, double value) {
  return Region(name, std::vector<double>(kHours, value));
}

// 300 g/kWh, but for `clean` in two hours from `hour` on.
RegionGrid CleanAt(const std::string& name, int hour, double clean) {
  std::vector<double> values(kHours, 300);
  values[static_cast<std::size_t>(hour)] = values[static_cast<std::size_t>(hour) + 1] = clean;
  return Region(name, values);
}

core::Job TwoHours(core::JobId id) {
  return AJob(id).Submitted(kNow).Runs(hours{2}).Within(hours{24});
}

std::vector<std::string> NamesOf(const sweep::CloudStart& start) {
  std::vector<std::string> names;
  for (const sweep::RegionOutlook& each : start.regions) names.push_back(each.region);
  return names;
}

TEST(RegionPlan, StartsInTheCleanestHoursOfAllRegions) {
  const auto starts = PlanRegions(
      {TwoHours(1)}, {Flat("aws/a", 200), CleanAt("gcp/b", 8, 40), CleanAt("azure/c", 20, 60)}, 0);
  ASSERT_TRUE(starts) << starts.error().Message();
  const sweep::CloudStart& start = starts->front();
  EXPECT_EQ(start.start, kNow + hours{8});
  EXPECT_EQ(start.latest, kNow + hours{24});
  // The others are in the order of what is expected there at that time, not at their own best.
  EXPECT_THAT(NamesOf(start), ElementsAre("gcp/b", "aws/a", "azure/c"));
  EXPECT_DOUBLE_EQ(start.regions[0].expected->g_per_kwh, 40);
  EXPECT_DOUBLE_EQ(start.regions[1].expected->g_per_kwh, 200);
}

TEST(RegionPlan, ARegionOfWhichThoseHoursAreUnknownComesLast) {
  RegionGrid unknown = Flat("aws/u", 500);
  unknown.view.forecast = {};
  const auto starts =
      PlanRegions({TwoHours(1)}, {unknown, CleanAt("gcp/b", 8, 40), Flat("aws/a", 600)}, 0);
  ASSERT_TRUE(starts) << starts.error().Message();
  EXPECT_THAT(NamesOf(starts->front()), ElementsAre("gcp/b", "aws/a", "aws/u"));
  EXPECT_FALSE(starts->front().regions.back().expected);
}

TEST(RegionPlan, NoRegionRunsMoreAtOnceThanItMay) {
  std::vector<core::Job> jobs;
  for (int id = 1; id <= 6; ++id) jobs.push_back(TwoHours(id));
  const std::vector<RegionGrid> regions{CleanAt("aws/a", 4, 40), CleanAt("gcp/b", 8, 60)};
  const auto all = PlanRegions(jobs, regions, 0);
  ASSERT_TRUE(all) << all.error().Message();
  for (const sweep::CloudStart& start : *all) EXPECT_EQ(start.regions.front().region, "aws/a");
  const auto limited = PlanRegions(jobs, regions, 2);
  ASSERT_TRUE(limited) << limited.error().Message();
  for (const sweep::CloudStart& one : *limited)
    EXPECT_LE(std::ranges::count_if(*limited,
                                    [&](const sweep::CloudStart& other) {
                                      return other.regions.front().region ==
                                                 one.regions.front().region &&
                                             other.start <= one.start &&
                                             one.start < other.start + hours{2};
                                    }),
              2);
}

TEST(RegionPlan, NoHourOfAnyRegionWouldHaveBeenCleaner) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> grams(20, 600);
  for (int round = 0; round < 40; ++round) {
    std::vector<RegionGrid> regions;
    for (const char* name : {"aws/a", "gcp/b", "azure/c"}) {
      std::vector<double> values;
      for (int hour = 0; hour < kHours; ++hour) values.push_back(grams(random));
      regions.push_back(Region(name, values));
    }
    const auto starts = PlanRegions({TwoHours(1)}, regions, 0);
    ASSERT_TRUE(starts) << starts.error().Message();
    double best = 1e9;
    for (const RegionGrid& each : regions)
      for (int hour = 0; hour <= 24; ++hour)
        best = std::min(best, MeanOfRun(each.view, kNow + hours{hour}, hours{2})->g_per_kwh);
    EXPECT_NEAR(starts->front().regions.front().expected->g_per_kwh, best, 1e-9) << round;
  }
}

TEST(RegionPlan, AGpuModelOfTheQueueIsNotAskedOfARegion) {
  core::Job job = TwoHours(1);
  job.models = {"RTX 3090"};
  job.sites = {"here"};
  EXPECT_TRUE(PlanRegions({job}, {Flat("aws/a", 200)}, 0));
}

TEST(RegionPlan, AJobThatCannotKeepItsTimesIsAnError) {
  core::Job job = TwoHours(1);
  job.duration = {};
  const auto starts = PlanRegions({job}, {Flat("aws/a", 200)}, 0);
  ASSERT_FALSE(starts);
  EXPECT_EQ(starts.error().where, "job-1");
}

}  // namespace
}  // namespace ebb::app
