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

}  // namespace
}  // namespace ebb::service
