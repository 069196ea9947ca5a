// Plans of a queue say how many devices an elastic job has in each piece, and look as before for
// other jobs.

#include <gtest/gtest.h>

#include "report/simulation/queue_plan_json.h"
#include "report/simulation/queue_plan_page.h"
#include "testing/builders.h"

namespace ebb::report {
namespace {

constexpr Duration kHour{3'600'000};

sim::QueuePlan PlanOf(std::vector<core::WidthSpeed> speedup) {
  sim::QueuePlan plan;
  plan.policy = "planner";
  plan.cluster = testing::ClusterOf(4);
  sim::PlannedJob planned;
  planned.job.name = "train";
  planned.job.duration = 3 * kHour;
  planned.job.checkpointable = true;
  planned.job.speedup = std::move(speedup);
  const int wide = planned.job.speedup.empty() ? 0 : 4;
  planned.segments = {{0, {plan.at, plan.at + kHour}, wide},
                      {0, {plan.at + 2 * kHour, plan.at + 3 * kHour}, 0}};
  plan.jobs = {planned};
  plan.views.resize(1);
  return plan;
}

TEST(QueuePlan, SaysTheWidthsOfAnElasticJob) {
  const sim::QueuePlan plan = PlanOf({{4, 3.3}});
  const std::string json = QueuePlanJson(plan);
  EXPECT_NE(json.find("\"devices\": 4"), std::string::npos) << json;
  EXPECT_NE(json.find("\"devices\": 1"), std::string::npos) << "its own width is said too";
  const TextTable table = QueuePlanTable(plan);
  EXPECT_TRUE(table.rows.at(0).at(2).ends_with(": 4, 1 devices")) << table.rows.at(0).at(2);
  EXPECT_NE(QueuePlanPage(plan).find(" on 4 devices"), std::string::npos);
}

TEST(QueuePlan, SaysNothingOfWidthsOfOtherJobs) {
  const sim::QueuePlan plan = PlanOf({});
  EXPECT_EQ(QueuePlanJson(plan).find("\"devices\""), std::string::npos);
  EXPECT_EQ(QueuePlanTable(plan).rows.at(0).at(2), plan.cluster.pools.at(0).model);
  EXPECT_EQ(QueuePlanPage(plan).find(" on 1 device"), std::string::npos);
}

TEST(QueuePlan, SaysAllSitesOfAJobThatGoesFromOneToAnother) {
  sim::QueuePlan plan = PlanOf({});
  plan.cluster.sites.push_back({"there", "NO", {1}});
  plan.cluster.pools.push_back(plan.cluster.pools.front());
  plan.cluster.pools.back().site = 1;
  plan.views.resize(2);
  plan.jobs[0].segments[1].pool = 1;
  const std::string& model = plan.cluster.pools.front().model;
  EXPECT_EQ(QueuePlanTable(plan).rows.at(0).at(2),
            plan.cluster.sites[0].name + ", " + model + "; there, " + model);
}

}  // namespace
}  // namespace ebb::report
