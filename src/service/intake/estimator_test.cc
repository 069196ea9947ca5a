#include "service/intake/estimator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/service_store.h"
#include "testing/builders.h"
#include "testing/scratch_directory.h"

namespace ebb::service {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class EstimatorTest : public ::testing::Test {
 protected:
  Submit First() {
    Submit submit;
    submit.submission.job = testing::AJob(1);
    submit.submission.job.power = Power{100};  // the default
    submit.submission.command = {"python3", "train.py"};
    return submit;
  }
  core::Cluster Of(const std::string& model, double power_factor = 1) {
    core::Cluster cluster;
    cluster.sites = {{"here", "DE", Pue{1}}};
    cluster.pools = {{model, 0, 1, 1, power_factor, Power{0}}};
    return cluster;
  }
  Estimator On(core::Cluster cluster, std::vector<core::DeviceProfile> profiles = {}) {
    return {store_, [cluster] { return cluster; }, std::move(profiles)};
  }
  store::ServiceStore store_ = *store::ServiceStore::Open(ScratchDirectory("estimator") / "ebb.db");
};

TEST_F(EstimatorTest, AFirstJobIsExpectedToDrawWhatItsModelUsuallyDraws) {
  const core::DeviceProfile h200 = core::ProfileOf("NVIDIA H200");
  const double usual = core::EstimatedPower(h200, 0.7)->watts;
  EXPECT_GT(usual, 400);
  EXPECT_LT(usual, h200.max->watts);
  Submit submit = First();
  const std::string told = On(Of("NVIDIA H200")).Refine(submit);
  EXPECT_DOUBLE_EQ(submit.submission.job.power.watts, usual);
  EXPECT_THAT(told, AllOf(HasSubstr("a guess"), HasSubstr("NVIDIA H200 at 70 % of its load")));

  submit = First();
  On(Of("NVIDIA H200", 2)).Refine(submit);
  EXPECT_DOUBLE_EQ(submit.submission.job.power.watts, usual / 2) << "of the reference device";
}

TEST_F(EstimatorTest, WhatItsOwnerSaysAndWhatNobodyKnowsStays) {
  Submit said = First();
  said.power_given = true;
  EXPECT_EQ(On(Of("NVIDIA H200")).Refine(said), "");
  EXPECT_EQ(said.submission.job.power, Power{100});
  Submit unknown = First();
  EXPECT_EQ(On(Of("cpu")).Refine(unknown), "");
  EXPECT_EQ(unknown.submission.job.power, Power{100});
  core::DeviceProfile own;
  own.model = "Abacus 9";
  own.max = Power{1000};
  On(Of("Abacus 9"), {own}).Refine(unknown);
  EXPECT_GT(unknown.submission.job.power.watts, 700) << "by the user's own table";
}

// An hour on one device and an hour on four, three times as fast: four hours of work on one.
TEST_F(EstimatorTest, EarlierRunsOfAnElasticJobCountTheirWidths) {
  Submit earlier = First();
  earlier.submission.job.id = 0;
  earlier.submission.job.checkpointable = true;
  earlier.submission.job.speedup = {{2, 1.9}, {4, 3}};
  const auto job = store_.AddJob(earlier.submission);
  ASSERT_TRUE(job && store_.Commit());
  const Energy used = Energy::Joules(200.0 * 5 * 3600);  // 200 W in each of five device-hours
  ASSERT_TRUE(store_.database().Run(
      "UPDATE jobs SET stage = 'succeeded', ended_ms = 9000000, energy_uj = ? WHERE id = ?",
      {used.microjoules(), job->id}));
  for (const auto& [attempt, devices] :
       {std::pair<std::int64_t, const char*>{1, "0"}, {2, "0,1,2,3"}})
    ASSERT_TRUE(store_.database().Run(
        "INSERT INTO attempts(job, attempt, pool, began_ms, ended_ms, phase, devices)"
        " VALUES(?, ?, 0, ?, ?, 'succeeded', ?)",
        {job->id, attempt, 4'000'000 * attempt, 4'000'000 * attempt + 3'600'000,
         std::string(devices)}));
  Submit next = earlier;
  Estimator estimator = On(Of("cpu"));
  estimator.Refine(next);
  EXPECT_NEAR(Seconds(next.submission.job.duration), 4 * 3600, 0.01);
  EXPECT_NEAR(next.submission.job.power.watts, 200, 0.01);
  // An attempt whose devices are not known says nothing.
  ASSERT_TRUE(store_.database().Run("UPDATE attempts SET devices = '' WHERE attempt = 2", {}));
  next = earlier;
  On(Of("cpu")).Refine(next);
  EXPECT_EQ(next.submission.job.duration, earlier.submission.job.duration);
}

}  // namespace
}  // namespace ebb::service
