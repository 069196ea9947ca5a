#include "meter/gpu/rocm.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "meter/gpu/fake_rocm_for_test.h"

namespace ebb::meter {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

// Keeps the fake library loaded, so that every later load meets the same state.
class Rocm : public testing::Test {
 protected:
  Rocm() : handle_(::dlopen(EBB_FAKE_ROCM, RTLD_NOW)) {
    auto* function = reinterpret_cast<FakeRocmFunction*>(::dlsym(handle_, "FakeRocm"));
    state_ = function();
    *state_ = {};
    state_->gpus = {
        {.unique_id = 0xaaaa111122223333, .name = "MI250X", .count = 1'000'000},
        {.unique_id = 0xbbbb111122223333, .name = "MI250X", .count = 5'000'000},
        {.pci_id = 0x0000'0001'0000'c108, .name = "MI50", .average_microwatts = 90'000'000}};
  }
  ~Rocm() override {
    EXPECT_EQ(state_->initialised, 0) << "every init has its shutdown";
    *state_ = {};
    ::dlclose(handle_);
  }
  Names Visible(RocmVisible visible) {
    Names names;
    for (const GpuHolding& holding : ScanRocmGpus({EBB_FAKE_ROCM}, visible).holdings)
      names.push_back(holding.device);
    return names;
  }
  static IntervalUsage Usage(Instant begin, Instant end) {
    IntervalUsage usage;
    usage.begin = begin;
    usage.end = end;
    usage.wall = {Time{std::chrono::floor<Duration>(begin)},
                  Time{std::chrono::floor<Duration>(end)}};
    return usage;
  }

  void* handle_;
  FakeRocmState* state_;
};

constexpr char kFirst[] = "gpu:GPU-aaaa111122223333";
constexpr char kSecond[] = "gpu:GPU-bbbb111122223333";
constexpr char kThird[] = "gpu:PCI-0001:c1:01.0";

TEST_F(Rocm, CountsTheCounterTimesItsResolution) {
  GpuScan scan = ScanRocmGpus({EBB_FAKE_ROCM}, {"0,1", {}});
  ASSERT_TRUE(scan.meter);
  EXPECT_EQ(scan.meter->Description(), "gpu: ROCm SMI, 2 x MI250X (counter), whole GPUs");
  scan.meter->Start(0s);
  state_->gpus[0].count += 10'000'000;
  state_->gpus[1].count += 1;
  state_->gpus[0].busy_percent = 60;
  const auto readings = scan.meter->Sample(Usage(0s, 1s));
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].device, kFirst);
  EXPECT_NEAR(readings[0].energy.joules(), 153.0, 1e-5 * 153);
  EXPECT_NEAR(static_cast<double>(readings[1].energy.microjoules()), 15.3, 1);
  EXPECT_EQ(readings[0].source, core::EnergySource::kCounter);
  ASSERT_EQ(scan.meter->utilisation().size(), 2u);
  EXPECT_EQ(scan.meter->utilisation()[0], (DeviceUtilisation{kFirst, 60}));
  EXPECT_EQ(scan.meter->utilisation()[1].percent, 0);
}

TEST_F(Rocm, WithoutACounterPowerIsIntegrated) {
  GpuScan scan = ScanRocmGpus({EBB_FAKE_ROCM}, {"2", {}});
  ASSERT_TRUE(scan.meter);
  ASSERT_EQ(scan.meter->poll_interval(), 100ms);
  scan.meter->Start(0s);
  const auto readings = scan.meter->Sample(Usage(0s, 2s));
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].device, kThird);
  EXPECT_EQ(readings[0].energy, Energy::Joules(180));
  EXPECT_EQ(readings[0].source, core::EnergySource::kPowerIntegral);
  state_->gpus[2].average_microwatts = -1;
  state_->gpus[2].socket_microwatts = 120'000'000;
  EXPECT_TRUE(ScanRocmGpus({EBB_FAKE_ROCM}, {"2", {}}).meter) << "newer cards know the socket only";
}

TEST_F(Rocm, HonoursTheVariablesInTheirOrder) {
  EXPECT_EQ(Visible({}), (Names{kFirst, kSecond, kThird}));
  EXPECT_EQ(Visible({"1,2", {}}), (Names{kSecond, kThird}));
  EXPECT_EQ(Visible({"GPU-BBBB111122223333,0", {}}), (Names{kFirst, kSecond}));
  EXPECT_EQ(Visible({"GPU-bbbb", {}}), Names{kSecond}) << "a unique beginning is enough";
  EXPECT_EQ(Visible({{}, "1"}), Names{kSecond});
  EXPECT_EQ(Visible({"2,1", "0"}), Names{kThird}) << "an index into what ROCr left";
  EXPECT_EQ(Visible({"1", "1"}), Names{});
  EXPECT_EQ(Visible({"", {}}), Names{});
  EXPECT_EQ(Visible({{}, "-1"}), Names{});
  EXPECT_EQ(Visible({"0,7,1", {}}), Names{kFirst}) << "what names no GPU ends the list";
  EXPECT_EQ(Visible({{}, "GPU-aaaa"}), Names{}) << "HIP takes numbers only";
  EXPECT_NE(ScanRocmGpus({EBB_FAKE_ROCM}, {"0,7,1", {}}).notes[0].find("\"7\""), std::string::npos);
}

TEST_F(Rocm, LossesAreNamedAndNeverFilledIn) {
  GpuScan scan = ScanRocmGpus({EBB_FAKE_ROCM}, {"0", {}});
  scan.meter->Start(0s);
  state_->gpus[0].count = 3;
  EXPECT_TRUE(scan.meter->Sample(Usage(0s, 1s)).empty()) << "the driver was reset";
  state_->gpus[0].error = 3;
  EXPECT_TRUE(scan.meter->Sample(Usage(1s, 2s)).empty());
  const auto gaps = scan.meter->Gaps();
  ASSERT_EQ(gaps.size(), 2u);
  EXPECT_NE(gaps[0].find("the GPU is lost"), std::string::npos) << gaps[0];
  EXPECT_NE(gaps[1].find("backwards"), std::string::npos) << gaps[1];
}

TEST_F(Rocm, ACardThatSaysNothingIsNamed) {
  state_->gpus = {{.unique_id = 1, .name = "W5000"}, {.unique_id = 2, .count = 5, .error = 4}};
  const GpuScan scan = ScanRocmGpus({EBB_FAKE_ROCM}, {});
  EXPECT_FALSE(scan.meter);
  ASSERT_EQ(scan.notes.size(), 2u);
  EXPECT_NE(scan.notes[0].find("neither energy nor power"), std::string::npos);
  EXPECT_NE(scan.notes[1].find("permission is denied"), std::string::npos);
}

TEST_F(Rocm, PartitionsOfOneCardAreItOnce) {
  state_->gpus = {{.unique_id = 7, .count = 1}, {.unique_id = 7, .count = 1}};
  EXPECT_EQ(Visible({}).size(), 1u);
}

TEST_F(Rocm, AMissingLibraryOrDriverIsSaid) {
  EXPECT_NE(ScanRocmGpus({"libebb-no-such-library.so.1"}, {}).notes[0].find("not installed"),
            std::string::npos);
  state_->init_status = 8;
  EXPECT_NE(ScanRocmGpus({EBB_FAKE_ROCM}, {}).notes[0].find("driver not loaded"),
            std::string::npos);
}

}  // namespace
}  // namespace ebb::meter
