#include "meter/gpu/power_limit.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meter/gpu/fake_nvml_for_test.h"

namespace ebb::meter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PowerLimitTest : public testing::Test {
 protected:
  PowerLimitTest() : handle_(::dlopen(EBB_FAKE_NVML, RTLD_NOW)) {
    state_ = reinterpret_cast<FakeNvmlFunction*>(::dlsym(handle_, "FakeNvml"))();
    *state_ = {};
    state_->gpus = {{.uuid = "GPU-a", .limit_mw = 300'000},
                    {.uuid = "GPU-b", .limit_mw = 300'000},
                    {.uuid = "GPU-c", .mig = {{.uuid = "MIG-1"}}, .limit_mw = 300'000},
                    {.uuid = "GPU-d", .limit_mw = -1}};
    library_ = *NvmlLibrary::Open(EBB_FAKE_NVML);
  }
  ~PowerLimitTest() override {
    library_.reset();
    *state_ = {};
    ::dlclose(handle_);
  }

  void* handle_;
  FakeNvmlState* state_;
  std::unique_ptr<NvmlLibrary> library_;
};

TEST_F(PowerLimitTest, IsSetAndPutBack) {
  const PowerPlan plan = PlanPowerCap(*library_, {"GPU-a", "GPU-b"}, {0, 70});
  EXPECT_THAT(plan.notes, IsEmpty());
  ASSERT_EQ(plan.limits.size(), 2u);
  EXPECT_EQ(plan.limits[0].old_mw, 300'000u);
  EXPECT_EQ(plan.limits[0].new_mw, 210'000u);
  EXPECT_EQ(state_->gpus[0].limit_mw, 300'000) << "planned, not done";
  ASSERT_TRUE(SetPowerLimits(*library_, plan.limits));
  EXPECT_EQ(state_->gpus[0].limit_mw, 210'000);
  EXPECT_EQ(state_->gpus[1].limit_mw, 210'000);
  ASSERT_TRUE(RestorePowerLimits(*library_, plan.limits));
  EXPECT_EQ(state_->gpus[0].limit_mw, 300'000);
  EXPECT_EQ(state_->gpus[1].limit_mw, 300'000);
}

TEST_F(PowerLimitTest, StaysWithinWhatTheGpuAllows) {
  const PowerPlan low = PlanPowerCap(*library_, {"GPU-a"}, {20, 0});
  EXPECT_EQ(low.limits.at(0).new_mw, 100'000u);
  EXPECT_THAT(low.notes, ElementsAre(HasSubstr("allows 100 W to 350 W")));
  EXPECT_THAT(PlanPowerCap(*library_, {"GPU-a"}, {300, 0}).limits, IsEmpty()) << "as it is";
}

TEST_F(PowerLimitTest, APartOfAGpuIsLeftAlone) {
  for (const char* name : {"MIG-1", "GPU-c"}) {
    const PowerPlan plan = PlanPowerCap(*library_, {name}, {200, 0});
    EXPECT_THAT(plan.limits, IsEmpty());
    EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("part of a GPU")));
  }
  EXPECT_THAT(PlanPowerCap(*library_, {"GPU-d", "GPU-x"}, {200, 0}).notes,
              ElementsAre(HasSubstr("GPU-d"), HasSubstr("GPU-x")));
}

TEST_F(PowerLimitTest, WithoutPermissionNothingChanges) {
  state_->gpus[1].may_set_limit = false;
  const PowerPlan plan = PlanPowerCap(*library_, {"GPU-a", "GPU-b"}, {200, 0});
  const Status set = SetPowerLimits(*library_, plan.limits);
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().Message(), HasSubstr("root"));
  EXPECT_EQ(state_->gpus[0].limit_mw, 300'000) << "all or none";
  EXPECT_FALSE(RestorePowerLimits(*library_, plan.limits));
}

TEST_F(PowerLimitTest, ARangeInWhichALimitIsLookedForIsThatOfLikeGpus) {
  const auto both = CheckCommonPower(*library_, {"GPU-a", "GPU-b"});
  ASSERT_TRUE(both) << both.error().Message();
  EXPECT_EQ(both->model, "Fake GPU");
  EXPECT_EQ(both->now, Power{300});
  EXPECT_EQ(both->least, Power{100});
  EXPECT_EQ(state_->gpus[0].limit_mw, 300'000) << "as it was";
  const auto why_not = [&](const std::vector<std::string>& uuids) {
    const auto range = CheckCommonPower(*library_, uuids);
    return range ? "" : range.error().Message();
  };
  EXPECT_THAT(why_not({"MIG-1"}), HasSubstr("part of a GPU"));
  EXPECT_THAT(why_not({"GPU-c"}), HasSubstr("part of a GPU"));
  EXPECT_THAT(why_not({"GPU-d"}), HasSubstr("GPU-d"));
  state_->gpus[1].name = "Another GPU";
  EXPECT_THAT(why_not({"GPU-a", "GPU-b"}), HasSubstr("different models"));
  state_->gpus[0].may_set_limit = false;
  EXPECT_THAT(why_not({"GPU-a"}), HasSubstr("root"));
}

}  // namespace
}  // namespace ebb::meter
