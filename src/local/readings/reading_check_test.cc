#include "local/readings/reading_check.h"

#include <gtest/gtest.h>

#include <limits>

namespace ebb::local {
namespace {

const Time kBegin = *ParseTime("2026-05-01T12:00:00Z");

core::EnergyReading Reading(double from_s, double to_s, double joules,
                            const std::string& device = "cpu:package-0") {
  core::EnergyReading reading;
  reading.device = device;
  reading.wall = {kBegin + DurationFromSeconds(from_s), kBegin + DurationFromSeconds(to_s)};
  reading.energy = Energy::Joules(joules);
  return reading;
}

class ReadingCheckTest : public ::testing::Test {
 protected:
  bool Believes(const core::EnergyReading& reading) {
    return check_.WhyNot(reading, kBegin, kBegin + std::chrono::hours{1}).empty();
  }
  ReadingCheck check_;
};

TEST_F(ReadingCheckTest, WhatASupervisorWritesIsBelieved) {
  for (int second = 0; second < 600; ++second) {
    EXPECT_TRUE(Believes(Reading(second, second + 1, 300)));
    for (const char* gpu : {"gpu:0", "gpu:1", "gpu:2", "gpu:3", "gpu:4", "gpu:5", "gpu:6", "gpu:7"})
      EXPECT_TRUE(Believes(Reading(second, second + 1, 1000, gpu)));
  }
  EXPECT_TRUE(Believes(Reading(700, 700.001, 70))) << "a counter that is updated in steps";
  EXPECT_TRUE(Believes(Reading(701, 701, 0)));
}

TEST_F(ReadingCheckTest, WhatCannotBeIsNot) {
  EXPECT_TRUE(Believes(Reading(0, 1, 50)));
  EXPECT_FALSE(Believes(Reading(1, 2, 3.6e9))) << "1,000 kWh in a second";
  EXPECT_FALSE(Believes(Reading(1, 2, -1)));
  EXPECT_FALSE(Believes(Reading(0.5, 1.5, 50))) << "twice";
  EXPECT_FALSE(Believes(Reading(-100, -99, 50))) << "before it began";
  EXPECT_FALSE(Believes(Reading(7200, 7201, 50))) << "in an hour from now";
  auto most = Reading(1, 2, 0);
  most.energy = Energy::Microjoules(std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(Believes(most));
  most.wall.end = Time::max();
  EXPECT_FALSE(check_.WhyNot(most, std::nullopt, std::nullopt).empty());
  EXPECT_TRUE(Believes(Reading(1, 2, 50))) << "what is not believed changes nothing";
}

// Names of devices are the forger's choice.
TEST_F(ReadingCheckTest, AllDevicesTogetherAreOneMachine) {
  double believed = 0;
  for (int device = 0; device < 1000; ++device)
    if (Believes(Reading(0, 60, 600'000, "gpu:" + std::to_string(device)))) believed += 600'000;
  EXPECT_LE(believed, 20'000 * 61);
  EXPECT_GE(believed, 600'000);
}

}  // namespace
}  // namespace ebb::local
