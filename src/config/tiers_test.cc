#include "config/tiers.h"

#include <gtest/gtest.h>

#include "config/scenario/scenario_config.h"

namespace ebb::config {
namespace {

using std::chrono::hours;

TEST(Tiers, AreReadFromAFileOfTheirOwn) {
  const auto tiers = ParseTiers(
      "tiers:\n  - {name: urgent, max_delay: 1h, priority: 5}\n"
      "  - {name: calm, threshold: 120, max_delay: 72h}\n",
      "t.yaml");
  ASSERT_TRUE(tiers) << tiers.error().Message();
  ASSERT_EQ(tiers->size(), 2u);
  EXPECT_EQ((*tiers)[0].name, "urgent");
  EXPECT_FALSE((*tiers)[0].threshold);
  EXPECT_EQ((*tiers)[0].priority, 5);
  EXPECT_EQ((*tiers)[1].threshold, Intensity{120});
  EXPECT_EQ((*tiers)[1].max_delay, hours{72});
}

TEST(Tiers, ReadTheSpellingsOfEarlierVersions) {
  for (const std::string text : {"tiers: [{tier: 1, threshold: 90, max_delay: 2h}]",
                                 "tiers: [{name: 1, threshold_g_per_kwh: 90, max_delay: 2h}]"}) {
    const auto tiers = ParseTiers(text, "t.yaml");
    ASSERT_TRUE(tiers) << text << ": " << tiers.error().Message();
    EXPECT_EQ(tiers->at(0).name, "1");
    EXPECT_EQ(tiers->at(0).threshold, Intensity{90});
  }
}

TEST(Tiers, WhatIsWrongIsSaidWithItsLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "tiers is missing"},
      {"tiers: []", "t.yaml:1"},
      {"other: 1\n", "t.yaml:1: unknown key \"other\""},
      {"tiers:\n  - {name: a}\n", "t.yaml:2: a tier needs name and max_delay"},
      {"tiers:\n  - {name: a, max_delay: 1h}\n  - {name: a, max_delay: 2h}\n",
       "t.yaml:3: tier a is given twice"},
      {"tiers:\n  - {name: a, tier: b, max_delay: 1h}\n", "t.yaml:2"},
      {"tiers:\n  - {name: a, max_delay: 1h, threshold: -1}\n", "t.yaml:2"}};
  for (const auto& [text, said] : cases) {
    const auto tiers = ParseTiers(text, "t.yaml");
    ASSERT_FALSE(tiers) << text;
    EXPECT_NE(tiers.error().Message().find(said), std::string::npos) << tiers.error().Message();
  }
}

// Tiers apply as in the service: options that the job sets itself take precedence.
TEST(Tiers, SayWhatAJobOfAScenarioDoesNotSay) {
  ScenarioContext context;
  context.path = "q.yaml";
  context.tiers = {{"calm", Intensity{120}, hours{72}, 4}};
  const auto file = ParseScenario(R"(
sites: [{name: here, profile: DE}]
devices: [{model: A5000, count: 1}]
start_dates: [2026-01-01T00:00Z]
jobs:
  - {name: a, duration: 1h, power_w: 100, tier: calm}
  - {name: b, duration: 1h, power_w: 100, tier: calm, threshold_g_per_kwh: 50, max_delay: 6h, priority: 1}
  - {name: c, duration: 1h, power_w: 100, tier: other}
)",
                                  context);
  ASSERT_TRUE(file) << file.error().Message();
  const auto& jobs = file->scenario.jobs;
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(jobs[0].threshold, Intensity{120});
  EXPECT_EQ(jobs[0].start_by, jobs[0].submitted + hours{72});
  EXPECT_EQ(jobs[0].priority, 4);
  EXPECT_EQ(jobs[1].threshold, Intensity{50});
  EXPECT_EQ(jobs[1].start_by, jobs[1].submitted + hours{6});
  EXPECT_EQ(jobs[1].priority, 1);
  EXPECT_FALSE(jobs[2].threshold || jobs[2].start_by);
}

}  // namespace
}  // namespace ebb::config
