#include "meter/gpu_inventory.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meter/fake_nvml.h"

namespace ebb::meter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Names = std::vector<std::string>;

// Two whole GPUs of different models around one that is divided.
class GpuInventoryTest : public testing::Test {
 protected:
  GpuInventoryTest() : handle_(::dlopen(EBB_FAKE_NVML, RTLD_NOW)) {
    state_ = reinterpret_cast<FakeNvmlFunction*>(::dlsym(handle_, "FakeNvml"))();
    *state_ = {};
    state_->gpus = {{.uuid = "GPU-aaaa1111", .name = "NVIDIA L4"},
                    {.uuid = "GPU-bbbb2222",
                     .name = "NVIDIA A100-SXM4-40GB",
                     .mig = {{"MIG-1111", 1, 0, 3, "NVIDIA A100-SXM4-40GB MIG 3g.20gb"},
                             {"MIG-2222", 2, 0, 1, "NVIDIA A100-SXM4-40GB MIG 1g.5gb"}}},
                    {.uuid = "GPU-aaab3333", .name = "NVIDIA A10"}};
  }
  ~GpuInventoryTest() override {
    EXPECT_EQ(state_->initialised, 0) << "every init has its shutdown";
    *state_ = {};
    ::dlclose(handle_);
  }

  Result<GpuInventory> Find(std::optional<std::string> visible, Names names = {}) {
    return FindGpus({EBB_FAKE_NVML, std::move(visible), std::move(names)});
  }
  Names Uuids(std::optional<std::string> visible, Names names = {}) {
    const auto found = Find(std::move(visible), std::move(names));
    Names uuids;
    if (!found) return {found.error().Message()};
    for (const GpuDevice& device : found->devices) uuids.push_back(device.uuid);
    return uuids;
  }

  void* handle_;
  FakeNvmlState* state_;
};

TEST_F(GpuInventoryTest, ADividedGpuIsItsInstances) {
  const auto found = Find(std::nullopt);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->devices.size(), 4u);
  EXPECT_EQ(found->devices[0].uuid, "GPU-aaaa1111");
  EXPECT_EQ(found->devices[0].model, "NVIDIA L4");
  EXPECT_EQ(found->devices[0].share, 1);
  const GpuDevice& instance = found->devices[1];
  EXPECT_EQ(instance.uuid, "MIG-1111");
  EXPECT_EQ(instance.model, "NVIDIA A100-SXM4-40GB MIG 3g.20gb");
  EXPECT_EQ(instance.card_uuid, "GPU-bbbb2222");
  EXPECT_EQ(instance.card_model, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(instance.index, 1u);
  EXPECT_DOUBLE_EQ(*instance.share, 3.0 / 7);
  EXPECT_EQ(found->devices[3].index, 2u);
}

TEST_F(GpuInventoryTest, ADividedGpuWithoutInstancesIsNoDevice) {
  state_->gpus[1].mig.clear();
  state_->gpus[1].mig_on = true;
  const auto found = Find(std::nullopt);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->devices.size(), 2u);
  EXPECT_THAT(found->notes, ElementsAre(HasSubstr("no instances")));
}

TEST_F(GpuInventoryTest, WhatTheEnvironmentHidesIsNotThere) {
  EXPECT_THAT(Uuids("2,0"), ElementsAre("GPU-aaab3333", "GPU-aaaa1111"));
  EXPECT_THAT(Uuids("1"), ElementsAre("MIG-1111", "MIG-2222"));
  EXPECT_THAT(Uuids("MIG-2222"), ElementsAre("MIG-2222"));
  EXPECT_THAT(Uuids("MIG-GPU-bbbb2222/2/0"), ElementsAre("MIG-2222"));
  EXPECT_THAT(Uuids("1:0"), ElementsAre("MIG-1111"));
  EXPECT_THAT(Uuids(""), IsEmpty());
  EXPECT_THAT(Uuids("-1"), IsEmpty());
  EXPECT_THAT(Uuids("0,7,2"), ElementsAre("GPU-aaaa1111")) << "as CUDA reads it";
}

TEST_F(GpuInventoryTest, NamesChooseAmongWhatIsThere) {
  EXPECT_THAT(Uuids(std::nullopt, {"2", "GPU-aaaa"}), ElementsAre("GPU-aaab3333", "GPU-aaaa1111"));
  EXPECT_THAT(Uuids(std::nullopt, {"0", "GPU-aaaa1111"}), ElementsAre("GPU-aaaa1111"));
  EXPECT_THAT(Uuids(std::nullopt, {"GPU-bbbb"}), ElementsAre("MIG-1111", "MIG-2222"));
  const std::string all =
      "0 GPU-aaaa1111 (NVIDIA L4), 1 MIG-1111 (NVIDIA A100-SXM4-40GB MIG 3g.20gb)";
  for (const char* name : {"3", "GPU-aaa", "GPU-cccc", "MIG-9", "nvidia"}) {
    const auto found = Find(std::nullopt, {name});
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error().code, ExitCode::kUsage);
    EXPECT_THAT(found.error().Message(), HasSubstr(std::string("\"") + name + "\""));
    EXPECT_THAT(found.error().Message(), HasSubstr(all));
  }
  const auto hidden = Find("0", {"2"});
  ASSERT_FALSE(hidden);
  EXPECT_THAT(hidden.error().Message(), HasSubstr("CUDA_VISIBLE_DEVICES leaves: 0 GPU-aaaa1111"));
}

TEST_F(GpuInventoryTest, NoDriverIsNotNoGpu) {
  state_->driver_loaded = false;
  const auto found = Find(std::nullopt);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ExitCode::kUnavailable);
}

}  // namespace
}  // namespace ebb::meter
