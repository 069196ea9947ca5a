#include "meter/gpu/gpu_inventory.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meter/gpu/fake_nvml_for_test.h"
#include "meter/gpu/nvml_library.h"

namespace ebb::meter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Names = std::vector<std::string>;

// Three GPUs: two whole ones of different models, and a divided one between them.
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

TEST_F(GpuInventoryTest, CountersAreThoseOfCards) {
  state_->gpus[0].millijoules = 7'000;
  state_->gpus[1].millijoules = 9'000;
  const auto found = Find(std::nullopt);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->energies.size(), 2u);
  EXPECT_EQ(found->energies[0].uuid, "GPU-aaaa1111");
  EXPECT_EQ(found->energies[0].microjoules, 7'000'000);
  EXPECT_EQ(found->energies[1].uuid, "GPU-bbbb2222") << "of the card, not of its instances";
}

TEST_F(GpuInventoryTest, NoDriverIsNotNoGpu) {
  state_->driver_loaded = false;
  const auto found = Find(std::nullopt);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ExitCode::kUnavailable);
}

TEST_F(GpuInventoryTest, WhatDoesNotAnswerKeepsItsNumber) {
  state_->gpus[0].answers = false;
  EXPECT_THAT(Uuids(std::nullopt, {"2"}), ElementsAre("GPU-aaab3333"));
  const auto found = Find(std::nullopt);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->notes, ElementsAre(HasSubstr("GPU 0 does not answer")));
  EXPECT_THAT(found->cards, ElementsAre("GPU-bbbb2222", "GPU-aaab3333"));
}

TEST_F(GpuInventoryTest, AGpuThatIsLostOrHasToBeResetSaysSo) {
  state_->gpus[0].error = 15;
  state_->gpus[2].error = 16;
  const auto found = Find(std::nullopt);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->devices[0].fault, HasSubstr("lost"));
  EXPECT_EQ(found->devices[1].fault, "");
  EXPECT_THAT(found->devices[3].fault, HasSubstr("reset"));
}

TEST_F(GpuInventoryTest, ALookAtAllRemembersWhatNamesMean) {
  const auto all = FindAllGpus({EBB_FAKE_NVML, std::nullopt, {"2", "1"}});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->devices.size(), 4u);
  EXPECT_THAT(all->chosen, ElementsAre("GPU-aaab3333", "GPU-bbbb2222", "GPU-bbbb2222"));
  EXPECT_TRUE(FindAllGpus({EBB_FAKE_NVML, std::nullopt, {"7"}})->unknown_name);
}

TEST_F(GpuInventoryTest, ADriverAfterAnUpgradeIsToldFromNoDriver) {
  state_->init_error = 18;
  const auto found = Find(std::nullopt);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().Message(), HasSubstr("Driver/library version mismatch"));
  EXPECT_THAT(found.error().next, HasSubstr("reboot"));
  EXPECT_TRUE(NvmlLibrary::IsInstalled(EBB_FAKE_NVML));
  EXPECT_FALSE(NvmlLibrary::IsInstalled("libnvidia-ml-that-is-not-there.so"));
}

TEST_F(GpuInventoryTest, ErrorsOfTheDriverAreToldToWhoListens) {
  state_->xids = {{"GPU-aaaa1111", 79}};
  auto library = *NvmlLibrary::Open(EBB_FAKE_NVML);
  const auto gpu = *library->Find("GPU-aaaa1111");
  const auto slice = *library->Find("MIG-2222");
  EXPECT_THAT(library->TakeXids({}), IsEmpty());
  ASSERT_TRUE(library->ListenForXids({gpu, library->WholeOf(slice)}));
  EXPECT_THAT(library->TakeXids({}), IsEmpty()) << "what was before";
  state_->xids.push_back({"GPU-aaab3333", 79});
  state_->xids.push_back({"GPU-aaaa1111", 31});
  state_->xids.push_back({"GPU-bbbb2222", 48, 2, 0});
  const auto xids = library->TakeXids({});
  ASSERT_EQ(xids.size(), 2u);
  EXPECT_EQ(xids[0].uuid, "GPU-aaaa1111");
  EXPECT_FALSE(IsFaultOfGpu(xids[0]));
  EXPECT_FALSE(xids[0].gpu_and_compute_instance);
  EXPECT_TRUE(IsFaultOfGpu(xids[1]));
  EXPECT_EQ(xids[1].gpu_and_compute_instance, library->InstanceOf(slice));
  EXPECT_FALSE(library->InstanceOf(gpu));
  EXPECT_EQ(library->WholeOf(gpu), gpu);
}

}  // namespace
}  // namespace ebb::meter
