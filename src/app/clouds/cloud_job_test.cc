#include "app/clouds/cloud_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::app {
namespace {

using std::chrono::hours;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

const Time kNow = *ParseTime("2026-11-27T18:00Z");

std::string MistakeIn(const std::string& json) {
  const auto sweep = SweepOfCloudJob(json, kNow);
  return sweep ? "taken" : sweep.error().Message();
}

TEST(CloudJob, IsASweepOfOneExperiment) {
  const auto sweep = SweepOfCloudJob(
      R"({"name": "big", "command": ["python", "train.py"], "duration": "3h", "power_w": 400,
          "devices": 2, "start_by": "12h", "time_limit": "5h", "environment": {"A": "b"},
          "budget": {"energy_kwh": 2, "action": "log"}})",
      kNow);
  ASSERT_TRUE(sweep) << sweep.error().Message();
  ASSERT_EQ(sweep->experiments.size(), 1u);
  const sweep::Experiment& experiment = sweep->experiments.front();
  EXPECT_EQ(experiment.name, "big");
  EXPECT_THAT(experiment.command, ElementsAre("python", "train.py"));
  const core::Job job = sweep::JobOf(*sweep, experiment, kNow);
  EXPECT_EQ(job.duration, hours{3});
  EXPECT_EQ(job.power.watts, 400);
  EXPECT_EQ(job.devices, 2);
  EXPECT_EQ(job.start_by, kNow + hours{12});
  EXPECT_EQ(sweep::TimeLimitOf(*sweep, experiment), hours{5});
  EXPECT_EQ(sweep->common.budget.action, core::BudgetAction::kLog);
  EXPECT_THAT(sweep->common.environment, ElementsAre(Pair("A", "b")));
}

TEST(CloudJob, WaitsAsLongAsItsEarliestDeadlineAllows) {
  const auto wait = [](const std::string& more) {
    const auto sweep = SweepOfCloudJob(
        R"({"name": "x", "command": ["true"], "duration": "2h")" + more + "}", kNow);
    return sweep ? FormatDuration(sweep->tiers.front().max_delay) : sweep.error().Message();
  };
  EXPECT_EQ(wait(""), FormatDuration(hours{24}));
  EXPECT_EQ(wait(R"(, "finish_by": "2026-11-28T00:00Z")"), FormatDuration(hours{4}));
  EXPECT_EQ(wait(R"(, "finish_by": "10h", "start_by": "3h")"), FormatDuration(hours{3}));
  EXPECT_EQ(wait(R"(, "tier": "2")"), FormatDuration(hours{48}));
  EXPECT_THAT(wait(R"(, "finish_by": "1h")"), HasSubstr("cannot keep its times"));
}

TEST(CloudJob, WhatOnlyTheQueueCanKeepIsRefused) {
  const std::string job = R"({"name": "x", "command": ["true"])";
  EXPECT_EQ(MistakeIn(job + "}"), "taken");
  EXPECT_THAT(MistakeIn(job + R"(, "after": [3]})"), HasSubstr("needs the queue service"));
  EXPECT_THAT(MistakeIn(job + R"(, "key": "k"})"), HasSubstr("needs the queue service"));
  EXPECT_THAT(MistakeIn(job + R"(, "trackers": {"mlflow": "http://127.0.0.1:5000"}})"),
              HasSubstr("needs the queue service"));
  EXPECT_THAT(MistakeIn("[" + job + "}," + job + "}]"), HasSubstr("a list of jobs"));
  EXPECT_THAT(MistakeIn(job + R"(, "nope": 1})"), HasSubstr("nope"));
}

}  // namespace
}  // namespace ebb::app
