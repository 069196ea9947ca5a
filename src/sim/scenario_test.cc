#include "sim/scenario.h"

#include <gtest/gtest.h>

namespace ebb::sim {
namespace {

using std::chrono::hours;

Scenario Example() {
  Scenario scenario;
  scenario.cluster = {{{"s", "X", {}}}, {{"gpu", 0, 2, 1, 1, {}}}};
  core::Job job;
  job.id = 1;
  job.submitted = Time{hours{1}};
  job.duration = hours{2};
  job.start_by = Time{hours{25}};
  scenario.jobs = {job};
  return scenario;
}

TEST(Scenario, JobsMoveToTheirStartDate) {
  const Time start = *ParseTime("2023-05-01T17:00Z");
  const core::Job job = JobsAt(Example(), start).front();
  EXPECT_EQ(job.submitted, start + hours{1});
  EXPECT_EQ(*job.start_by, start + hours{25});
  EXPECT_FALSE(job.finish_by.has_value());
}

TEST(Scenario, AMakespanLimitIsADeadlineOfEveryJob) {
  Scenario scenario = Example();
  scenario.makespan_limit = hours{10};
  const Time start = *ParseTime("2023-05-01T17:00Z");
  EXPECT_EQ(*JobsAt(scenario, start).front().finish_by, start + hours{10});
  scenario.jobs.front().finish_by = Time{hours{5}};
  EXPECT_EQ(*JobsAt(scenario, start).front().finish_by, start + hours{5});
}

TEST(Scenario, TheHorizonReachesTheEndOfAJobThatStartsLast) {
  EXPECT_GE(HorizonOf(Example(), hours{24}), Duration{hours{26}});
  EXPECT_LT(HorizonOf(Example(), hours{24}), Duration{hours{30}});
  Scenario scenario = Example();
  scenario.horizon = hours{7};
  EXPECT_EQ(HorizonOf(scenario, hours{24}), Duration{hours{7}});
}

TEST(Scenario, TheTruthIsNeededUntilEveryJobHasEnded) {
  EXPECT_GE(LatestEnd(Example(), hours{24}), Duration{hours{27}});
  Scenario scenario = Example();
  scenario.jobs.front().start_by.reset();
  EXPECT_GE(LatestEnd(scenario, hours{100}), Duration{hours{103}});
}

}  // namespace
}  // namespace ebb::sim
