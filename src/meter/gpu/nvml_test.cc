#include "meter/gpu/nvml.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "meter/gpu/fake_nvml_for_test.h"

namespace ebb::meter {
namespace {

using namespace std::chrono_literals;

// Keeps the fake library loaded, so that every later load meets the same state.
class Nvml : public testing::Test {
 protected:
  Nvml() : handle_(::dlopen(EBB_FAKE_NVML, RTLD_NOW)) {
    auto* function = reinterpret_cast<FakeNvmlFunction*>(::dlsym(handle_, "FakeNvml"));
    state_ = function();
    *state_ = {};
  }
  ~Nvml() override {
    EXPECT_EQ(state_->initialised, 0) << "every init has its shutdown";
    *state_ = {};
    ::dlclose(handle_);
  }

  void TwoCounters() {
    state_->gpus = {{.uuid = "GPU-aaaa1111", .name = "A100", .millijoules = 1'000'000},
                    {.uuid = "GPU-bbbb2222", .name = "A100", .millijoules = 5'000'000}};
  }
  GpuScan Scan(std::optional<std::string> visible = std::nullopt) {
    return ScanGpus(EBB_FAKE_NVML, visible);
  }
  // The UUIDs of the GPUs that are metered with this CUDA_VISIBLE_DEVICES.
  std::vector<std::string> Visible(const std::string& value) {
    GpuScan scan = Scan(value);
    std::vector<std::string> devices;
    if (!scan.meter) return devices;
    for (const GpuHolding& holding : scan.holdings) devices.push_back(holding.device);
    return devices;
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
  FakeNvmlState* state_;
};

using Devices = std::vector<std::string>;

TEST_F(Nvml, CountsTheDifferenceOfTheEnergyCounters) {
  TwoCounters();
  GpuScan scan = Scan();
  ASSERT_TRUE(scan.meter);
  EXPECT_EQ(scan.gpu_models, (Devices{"A100", "A100"}));
  EXPECT_EQ(scan.meter->Description(), "gpu: NVML, 2 x A100 (counter), whole GPUs");
  EXPECT_EQ(scan.meter->poll_interval(), std::nullopt);
  scan.meter->Start(0s);
  state_->gpus[0].millijoules += 250'000;
  state_->gpus[1].millijoules += 30'000;
  state_->gpus[0].utilisation_percent = 80;
  const auto readings = scan.meter->Sample(Usage(0s, 1s));
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].device, "gpu:GPU-aaaa1111");
  EXPECT_EQ(readings[0].energy, Energy::Joules(250));
  EXPECT_EQ(readings[0].source, core::EnergySource::kCounter);
  EXPECT_EQ(readings[1].energy, Energy::Joules(30));
  EXPECT_EQ(scan.meter->utilisation(),
            (std::vector<DeviceUtilisation>{{"gpu:GPU-aaaa1111", 80}, {"gpu:GPU-bbbb2222", 0}}));
}

TEST_F(Nvml, ACounterThatFailsForAWhileLosesNothing) {
  TwoCounters();
  GpuScan scan = Scan("0");
  scan.meter->Start(0s);
  state_->gpus[0].millijoules = -1;
  EXPECT_TRUE(scan.meter->Sample(Usage(0s, 1s)).empty());
  EXPECT_EQ(scan.meter->Gaps().size(), 1u) << "so far it is missing";
  state_->gpus[0].millijoules = 1'300'000;
  const auto readings = scan.meter->Sample(Usage(1s, 2s));
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].energy, Energy::Joules(300));
  EXPECT_EQ(readings[0].wall, (Interval{Time{0s}, Time{2s}}));
  EXPECT_TRUE(scan.meter->Gaps().empty());
}

TEST_F(Nvml, ACounterThatGoesBackwardsIsDroppedAndNamed) {
  TwoCounters();
  GpuScan scan = Scan("0");
  scan.meter->Start(0s);
  state_->gpus[0].millijoules = 10;
  EXPECT_TRUE(scan.meter->Sample(Usage(0s, 1s)).empty());
  state_->gpus[0].millijoules = 2010;
  const auto readings = scan.meter->Sample(Usage(1s, 2s));
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].energy, Energy::Joules(2));
  EXPECT_EQ(readings[0].wall, (Interval{Time{1s}, Time{2s}}));
  ASSERT_EQ(scan.meter->Gaps().size(), 1u);
  EXPECT_NE(scan.meter->Gaps()[0].find("backwards"), std::string::npos);
}

TEST_F(Nvml, WithoutACounterPowerIsIntegrated) {
  state_->gpus = {{.uuid = "GPU-old", .name = "K80", .milliwatts = 100'000}};
  GpuScan scan = Scan();
  EXPECT_EQ(scan.meter->Description(),
            "gpu: NVML, 1 x K80 (power, 10 readings per second), whole GPUs");
  ASSERT_EQ(scan.meter->poll_interval(), 100ms);
  scan.meter->Start(0s);
  // A ramp from 100 W to 200 W in one second.
  for (int i = 1; i <= 9; ++i) {
    state_->gpus[0].milliwatts = 100'000 + 10'000 * i;
    scan.meter->Poll(i * 100ms);
  }
  state_->gpus[0].milliwatts = 200'000;
  const auto readings = scan.meter->Sample(Usage(0s, 1s));
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].source, core::EnergySource::kPowerIntegral);
  EXPECT_NEAR(readings[0].energy.joules(), 150, 1e-5);
}

TEST_F(Nvml, ASensorThatStopsAnsweringIsNamedAndNotFilledIn) {
  state_->gpus = {{.uuid = "GPU-old", .name = "K80", .milliwatts = 100'000}};
  GpuScan scan = Scan();
  scan.meter->Start(0s);
  EXPECT_EQ(scan.meter->Sample(Usage(0s, 1s))[0].energy, Energy::Joules(100));
  state_->gpus[0].milliwatts = -1;
  EXPECT_TRUE(scan.meter->Sample(Usage(1s, 2s)).empty());
  ASSERT_EQ(scan.meter->Gaps().size(), 1u);
  state_->gpus[0].milliwatts = 50'000;
  scan.meter->Poll(3s);
  EXPECT_EQ(scan.meter->Sample(Usage(2s, 4s))[0].energy, Energy::Joules(50));
  ASSERT_EQ(scan.meter->Gaps().size(), 1u);
  EXPECT_NE(scan.meter->Gaps()[0].find("1 interval, 2.0 s"), std::string::npos);
}

TEST_F(Nvml, AGpuThatReportsNothingIsNotMeteredAndNamed) {
  state_->gpus = {{.uuid = "GPU-mute", .name = "GT 710"}};
  const GpuScan scan = Scan();
  EXPECT_FALSE(scan.meter);
  ASSERT_EQ(scan.notes.size(), 1u);
  EXPECT_NE(scan.notes[0].find("neither energy nor power"), std::string::npos);
}

TEST_F(Nvml, CudaVisibleDevicesSelectsByIndexAndUuid) {
  TwoCounters();
  EXPECT_EQ(Visible("0"), Devices{"gpu:GPU-aaaa1111"});
  EXPECT_EQ(Visible("1"), Devices{"gpu:GPU-bbbb2222"});
  EXPECT_EQ(Visible("1,0").size(), 2u);
  EXPECT_EQ(Visible("0,0"), Devices{"gpu:GPU-aaaa1111"});
  EXPECT_EQ(Visible("GPU-bbbb2222"), Devices{"gpu:GPU-bbbb2222"});
  EXPECT_EQ(Visible("GPU-b"), Devices{"gpu:GPU-bbbb2222"}) << "a unique beginning is enough";
  EXPECT_EQ(Visible("GPU-"), Devices{}) << "an ambiguous one is not";
  EXPECT_EQ(Visible(""), Devices{});
  EXPECT_EQ(Visible("-1"), Devices{});
  EXPECT_EQ(Visible("NoDevFiles"), Devices{});
}

TEST_F(Nvml, AnEntryThatNamesNoGpuEndsTheListAsInCuda) {
  TwoCounters();
  EXPECT_EQ(Visible("0,7,1"), Devices{"gpu:GPU-aaaa1111"});
  EXPECT_EQ(Visible("gpu0,1"), Devices{});
  const GpuScan scan = Scan("0,7,1");
  ASSERT_EQ(scan.notes.size(), 1u);
  EXPECT_NE(scan.notes[0].find("\"7\""), std::string::npos);
}

TEST_F(Nvml, AGpuThatReportsItsLoadOnlyIsEstimatedFromWhatIsKnownOfIt) {
  state_->gpus = {{.uuid = "GPU-1", .name = "NVIDIA L4", .utilisation_percent = 50}};
  GpuScan scan = Scan();
  ASSERT_TRUE(scan.meter);
  EXPECT_EQ(scan.meter->Description(),
            "gpu: NVML, 1 x NVIDIA L4 (model of its power by load), whole GPUs");
  ASSERT_EQ(scan.notes.size(), 1u);
  EXPECT_NE(scan.notes[0].find("L4 data sheet"), std::string::npos) << scan.notes[0];
  scan.meter->Start(0s);
  const auto readings = scan.meter->Sample(Usage(0s, 10s));
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].source, core::EnergySource::kModel);
  EXPECT_NEAR(readings[0].energy.joules(), 10 * (7.2 + 0.5 * (72 - 7.2)), 1e-6);
  const core::DeviceProfile own[] = {{"L4", Power{10}, Power{30}, std::nullopt, "mine"}};
  GpuScan mine = ScanGpus(EBB_FAKE_NVML, std::nullopt, own);
  mine.meter->Start(0s);
  EXPECT_NEAR(mine.meter->Sample(Usage(0s, 1s))[0].energy.joules(), 20, 1e-6);
}

TEST_F(Nvml, AMigSliceIsChargedItsPartOfTheGpu) {
  TwoCounters();
  state_->gpus[1].mig = {{"MIG-c0ffee", 1, 0, 2}, {"MIG-decade", 2, 0, 3}, {"MIG-facade", 3, 1, 0}};
  const auto share = [&](const std::string& visible) {
    const GpuScan scan = Scan(visible);
    return scan.holdings.empty() ? 0 : scan.holdings[0].share;
  };
  EXPECT_EQ(Visible("MIG-c0ffee"), Devices{"gpu:GPU-bbbb2222"});
  EXPECT_DOUBLE_EQ(share("MIG-c0ffee"), 2.0 / 7);
  EXPECT_DOUBLE_EQ(share("MIG-GPU-bbbb2222/2/0"), 3.0 / 7) << "as drivers before 470 name it";
  EXPECT_DOUBLE_EQ(share("1:1"), 3.0 / 7) << "as containers name it";
  EXPECT_DOUBLE_EQ(share("1:0,1:1"), 5.0 / 7);
  EXPECT_DOUBLE_EQ(share("MIG-c0ffee,GPU-bbbb2222"), 1) << "never more than the GPU";
  for (const std::string nothing :
       {"MIG-unknown", "1:9", "9:0", "1:x", "MIG-GPU-bbbb2222/1", "MIG-GPU-nope/1/0", ":", "MIG-"})
    EXPECT_EQ(Visible(nothing), Devices{}) << nothing;
  EXPECT_DOUBLE_EQ(share("MIG-facade"), 1);
  EXPECT_NE(Scan("MIG-facade").notes[0].find("as a whole"), std::string::npos);

  GpuScan scan = Scan("MIG-c0ffee");
  EXPECT_EQ(scan.meter->Description(), "gpu: NVML, 1 x A100 (counter, MIG slices: 28.57 % of it)");
  scan.meter->Start(0s);
  state_->gpus[1].millijoules += 700'000;
  const core::EnergyReading slice = scan.meter->Sample(Usage(0s, 1s))[0];
  EXPECT_EQ(slice.energy, Energy::Joules(200));
  EXPECT_TRUE(slice.shared);
  GpuScan whole = Scan("1");
  whole.meter->Start(0s);
  state_->gpus[1].millijoules += 700'000;
  EXPECT_FALSE(whole.meter->Sample(Usage(0s, 1s))[0].shared);
}

TEST_F(Nvml, SlicesOfAGpuAddUpToTheGpu) {
  TwoCounters();
  state_->gpus[0].mig = {{"MIG-a", 1, 0, 1}, {"MIG-b", 2, 0, 2}, {"MIG-c", 3, 0, 4}};
  std::vector<GpuScan> scans;
  for (const char* slice : {"MIG-a", "MIG-b", "MIG-c"}) scans.push_back(Scan(slice));
  for (GpuScan& scan : scans) scan.meter->Start(0s);
  std::int64_t sum_uj = 0;
  for (int second = 0; second < 100; ++second) {
    state_->gpus[0].millijoules += 123'457;
    for (GpuScan& scan : scans)
      sum_uj += scan.meter->Sample(Usage(second * 1s, (second + 1) * 1s))[0].energy.microjoules();
  }
  EXPECT_NEAR(static_cast<double>(sum_uj), 100 * 123'457e3, 3);
  EXPECT_LE(sum_uj, 100 * 123'457'000LL);
}

TEST_F(Nvml, AGpuThatIsLostOrForbiddenIsNamedWithItsCause) {
  for (const auto& [error, words] :
       {std::pair{15, "the GPU is lost"}, {4, "permission is denied"}}) {
    TwoCounters();
    GpuScan scan = Scan("0");
    scan.meter->Start(0s);
    state_->gpus[0].error = error;
    EXPECT_TRUE(scan.meter->Sample(Usage(0s, 1s)).empty());
    EXPECT_TRUE(scan.meter->Sample(Usage(1s, 2s)).empty());
    EXPECT_TRUE(scan.meter->utilisation().empty()) << "unknown is not 0";
    ASSERT_EQ(scan.meter->Gaps().size(), 1u);
    EXPECT_NE(scan.meter->Gaps()[0].find(words), std::string::npos) << scan.meter->Gaps()[0];
    EXPECT_NE(scan.meter->Gaps()[0].find("2.0 s"), std::string::npos);
    EXPECT_NE(Scan("0").notes[0].find(words), std::string::npos) << "and at the start";
  }
}

TEST_F(Nvml, ACounterThatNeverMovesIsNoZero) {
  TwoCounters();
  GpuScan scan = Scan("0");
  scan.meter->Start(0s);
  EXPECT_TRUE(scan.meter->Sample(Usage(0s, 500ms)).empty());
  ASSERT_EQ(scan.meter->Gaps().size(), 1u) << "a run that ends now has no figure";
  EXPECT_NE(scan.meter->Gaps()[0].find("too short to measure: the counter was not updated"),
            std::string::npos)
      << scan.meter->Gaps()[0];
  EXPECT_TRUE(scan.meter->Sample(Usage(500ms, 30s)).empty());
  ASSERT_EQ(scan.meter->Gaps().size(), 1u);
  EXPECT_NE(scan.meter->Gaps()[0].find("stands still"), std::string::npos);
}

TEST_F(Nvml, APowerThatNeverMovesIsCountedAndDoubted) {
  state_->gpus = {{.uuid = "GPU-old", .name = "K80", .milliwatts = 100'000}};
  GpuScan scan = Scan();
  scan.meter->Start(0s);
  for (int i = 1; i <= 700; ++i) scan.meter->Poll(i * 100ms);
  EXPECT_EQ(scan.meter->Sample(Usage(0s, 70s))[0].energy, Energy::Joules(7000));
  ASSERT_EQ(scan.meter->Gaps().size(), 1u);
  EXPECT_NE(scan.meter->Gaps()[0].find("the same for 70 s"), std::string::npos);
}

TEST_F(Nvml, NumbersAreDoubtfulWhereGpusDiffer) {
  TwoCounters();
  EXPECT_TRUE(Scan("1").notes.empty());
  state_->gpus[1].name = "H100";
  ASSERT_EQ(Scan("1").notes.size(), 1u);
  EXPECT_NE(Scan("1").notes[0].find("CUDA_DEVICE_ORDER"), std::string::npos);
  EXPECT_TRUE(Scan("GPU-bbbb2222").notes.empty());
}

TEST_F(Nvml, AMissingLibraryOrDriverIsSaid) {
  EXPECT_NE(ScanGpus("libebb-no-such-library.so.1", {}).notes[0].find("not installed"),
            std::string::npos);
  state_->driver_loaded = false;
  const GpuScan scan = Scan();
  EXPECT_FALSE(scan.meter);
  ASSERT_EQ(scan.notes.size(), 1u);
  EXPECT_NE(scan.notes[0].find("Driver Not Loaded"), std::string::npos);
}

TEST(PowerIntegral, RepeatedReadingsDoNotLagBehindTheChange) {
  // The sensor measures every 200 ms and is asked every 50 ms; power rises by 1 W per millisecond.
  PowerIntegral integral;
  for (int ms = 0; ms <= 1000; ms += 50) {
    const int measured_ms = ms / 200 * 200;
    integral.Reading(std::chrono::milliseconds(ms), measured_ms);
  }
  EXPECT_NEAR(integral.Take(1s), 500, 1e-9);
}

TEST(PowerIntegral, PartsAddUpToTheWhole) {
  PowerIntegral whole, parts;
  double sum = 0;
  for (int i = 0; i <= 100; ++i) {
    const double watts = 100 + (i * 37 % 50);
    whole.Reading(i * 100ms, watts);
    parts.Reading(i * 100ms, watts);
    sum += parts.Take(i * 100ms + 20ms);
  }
  EXPECT_NEAR(sum, whole.Take(100 * 100ms + 20ms), 1e-9);
}

TEST(PowerIntegral, ConstantPowerIsPowerTimesTime) {
  PowerIntegral integral;
  for (int i = 0; i <= 50; ++i) integral.Reading(i * 100ms, 70);
  EXPECT_NEAR(integral.Take(5s), 350, 1e-9);
}

TEST(PowerIntegral, AFallAfterATakeIsNeverNegative) {
  PowerIntegral integral;
  integral.Reading(0s, 100);
  const double held = integral.Take(200ms);
  integral.Reading(200ms, 1);
  EXPECT_GE(integral.Take(200ms), 0);
  integral.Reading(400ms, 2);
  EXPECT_NEAR(held + integral.Take(1s), 0.2 * 50.5 + 0.2 * 1.5 + 0.6 * 2, 10)
      << "what was taken too much is settled later";
}

}  // namespace
}  // namespace ebb::meter
