#include "local/supervisor/device_lock.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "testing/scratch_directory.h"

namespace ebb::local {
namespace {

class DeviceLocksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("EBB_DEVICE_LOCKS", ScratchDirectory("device-locks").c_str(), 1);
  }
  void TearDown() override { ::unsetenv("EBB_DEVICE_LOCKS"); }
};

TEST_F(DeviceLocksTest, AGpuIsHeldByOneAtATime) {
  {
    const auto one = DeviceLocks::Take({"GPU-1", "GPU-2"}, "/jobs/1");
    ASSERT_TRUE(one);
    EXPECT_EQ(HolderOf("GPU-2"), "/jobs/1");
    const auto other = DeviceLocks::Take({"GPU-3", "GPU-2"}, "/other/7");
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, ExitCode::kTryLater) << "the job is not at fault";
    EXPECT_THAT(other.error().Message(), ::testing::HasSubstr("/jobs/1"));
    EXPECT_EQ(HolderOf("GPU-3"), std::nullopt) << "what was locked before it is free again";
  }
  EXPECT_EQ(HolderOf("GPU-2"), std::nullopt);
  EXPECT_TRUE(DeviceLocks::Take({"GPU-2"}, "/other/7"));
}

TEST_F(DeviceLocksTest, SlotsAndNumbersAreNotLocked) {
  const auto one = DeviceLocks::Take({"0", "../GPU-1"}, "/jobs/1");
  EXPECT_TRUE(one && DeviceLocks::Take({"0", "../GPU-1"}, "/jobs/2"));
}

}  // namespace
}  // namespace ebb::local
