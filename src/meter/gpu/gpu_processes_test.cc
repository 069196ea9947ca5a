#include "meter/gpu/gpu_processes.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "meter/gpu/fake_nvml_for_test.h"

namespace ebb::meter {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Processes = std::vector<pid_t>;

// Two GPUs: a whole one and a divided one.
class GpuProcessesTest : public testing::Test {
 protected:
  GpuProcessesTest() : handle_(::dlopen(EBB_FAKE_NVML, RTLD_NOW)) {
    state_ = reinterpret_cast<FakeNvmlFunction*>(::dlsym(handle_, "FakeNvml"))();
    *state_ = {};
    state_->gpus = {{.uuid = "GPU-aaaa1111"},
                    {.uuid = "GPU-bbbb2222",
                     .name = "NVIDIA A100-SXM4-40GB",
                     .mig = {{"MIG-1111", 1, 0, 3, "NVIDIA A100-SXM4-40GB MIG 3g.20gb"},
                             {"MIG-2222", 2, 0, 1, "NVIDIA A100-SXM4-40GB MIG 1g.5gb"}}}};
    processes_ = GpuProcesses::Open(EBB_FAKE_NVML);
  }
  ~GpuProcessesTest() override {
    processes_.reset();
    EXPECT_EQ(state_->initialised, 0) << "every init has its shutdown";
    *state_ = {};
    ::dlclose(handle_);
  }
  FakeGpu& Whole() { return state_->gpus[0]; }
  FakeGpu& Divided() { return state_->gpus[1]; }

  void* handle_;
  FakeNvmlState* state_;
  std::unique_ptr<GpuProcesses> processes_;
};

TEST_F(GpuProcessesTest, OnlyWhatSomebodyUsesIsNamed) {
  EXPECT_THAT(processes_->Look(), IsEmpty());
  Whole().pids = {41, 7, 41};
  const auto users = processes_->Look();
  ASSERT_EQ(users.size(), 1U);
  EXPECT_EQ(users[0].device, "gpu:GPU-aaaa1111");
  EXPECT_EQ(users[0].share, 1);
  EXPECT_THAT(users[0].processes, ElementsAre(7, 41)) << "each once";
  Whole().pids.clear();
  EXPECT_THAT(processes_->Look(), IsEmpty()) << "it looks anew";
}

TEST_F(GpuProcessesTest, ASliceIsItsPartOfTheGpuThatItBelongsTo) {
  Divided().mig[0].pids = {10};
  Divided().mig[1].pids = {20, 21};
  const auto users = processes_->Look();
  ASSERT_EQ(users.size(), 2U);
  EXPECT_EQ(users[0].device, "gpu:GPU-bbbb2222");
  EXPECT_EQ(users[1].device, "gpu:GPU-bbbb2222");
  EXPECT_THAT(users[0].processes, ElementsAre(10));
  EXPECT_THAT(users[1].processes, ElementsAre(20, 21));
  EXPECT_NEAR(users[0].share / users[1].share, 3, 1e-9);
  EXPECT_LE(users[0].share + users[1].share, 1);
}

TEST_F(GpuProcessesTest, SlicesOfUnknownSizeAreEqualParts) {
  for (FakeMig& slice : Divided().mig) {
    slice.compute_slices = 0;
    slice.name = "a slice";
    slice.pids = {30};
  }
  const auto users = processes_->Look();
  ASSERT_EQ(users.size(), 2U);
  EXPECT_EQ(users[0].share, 0.5);
  EXPECT_EQ(users[1].share, 0.5);
}

TEST_F(GpuProcessesTest, ManyProcessesAreAllThere) {
  Whole().pids.resize(100);
  std::iota(Whole().pids.begin(), Whole().pids.end(), 1000);
  const auto users = processes_->Look();
  ASSERT_EQ(users.size(), 1U);
  EXPECT_EQ(users[0].processes.size(), 100U);
  EXPECT_EQ(users[0].processes.back(), 1099);
}

TEST_F(GpuProcessesTest, AGpuThatDoesNotAnswerHidesNoOther) {
  Whole().answers = false;
  Divided().mig[0].pids = {10};
  EXPECT_EQ(processes_->Look().size(), 1U);
}

TEST(GpuProcesses, WhereNoLibraryIsThereIsNothingToAsk) {
  EXPECT_EQ(GpuProcesses::Open("/nowhere/libnvidia-ml.so.1"), nullptr);
}

}  // namespace
}  // namespace ebb::meter
