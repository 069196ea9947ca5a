#include "meter/meters.h"

#include <gtest/gtest.h>

#include "meter/machine.h"
#include "meter/scratch_root_for_test.h"

namespace ebb::meter {
namespace {

class Meters : public testing::Test {
 protected:
  Meters() {
    root_.Write("proc/cpuinfo",
                "processor : 0\nmodel name : AMD Ryzen 9 5950X 16-Core Processor\n");
    root_.Write("proc/meminfo",
                "MemTotal: 33554432 kB\nMemFree: 1 kB\nMemAvailable: 16777216 kB\n");
    options_.proc_root = root_.path() + "/proc";
    options_.rapl_root = root_.path() + "/powercap";
    options_.nvml_library = "libebb-no-such-library.so.1";
    options_.rocm_libraries = {"libebb-no-such-library.so.1"};
    options_.kfd_device = root_.path() + "/kfd";
  }
  void WriteRapl() {
    for (const std::string zone : {"powercap/intel-rapl:0", "powercap/intel-rapl:0:0"}) {
      root_.Write(zone + "/name", zone.ends_with("0:0") ? "dram" : "package-0");
      root_.Write(zone + "/energy_uj", "5");
      root_.Write(zone + "/max_energy_range_uj", "262143328850");
    }
  }
  ScratchRoot root_;
  MeterOptions options_;
};

using Lines = std::vector<std::string>;

TEST_F(Meters, ModelsStandInWhereNothingCanBeRead) {
  const MeterSet set = MakeMeters(options_);
  EXPECT_EQ(set.descriptions,
            (Lines{"cpu: model, TDP 105 W for 1 logical processor (Ryzen 9 5950X), by CPU time of "
                   "the process tree",
                   "ram: model, 20 W for 32 GiB (4 modules assumed), share of the resident set"}));
  ASSERT_EQ(set.notes.size(), 1u) << "RAPL is missed, a GPU is not";
  EXPECT_NE(set.notes[0].find("RAPL"), std::string::npos);
}

TEST_F(Meters, CountersArePreferred) {
  WriteRapl();
  const MeterSet set = MakeMeters(options_);
  EXPECT_EQ(
      set.descriptions[0],
      "cpu: RAPL package-0 (counter), shared by CPU time; idle power is charged to what runs");
  EXPECT_TRUE(set.notes.empty());
  options_.include_dram = true;
  options_.scope = core::MeterScope::kMachine;
  EXPECT_EQ(MakeMeters(options_).descriptions,
            (Lines{"cpu: RAPL package-0 (counter)", "ram: RAPL dram-0 (counter)"}));
  options_.use_rapl = false;
  EXPECT_NE(MakeMeters(options_).descriptions[0].find("model"), std::string::npos);
}

TEST_F(Meters, PsysTakesThePlaceOfPackagesAndMemory) {
  WriteRapl();
  options_.use_psys = true;
  EXPECT_EQ(MakeMeters(options_).meters.size(), 2u);
  EXPECT_NE(MakeMeters(options_).notes[0].find("no psys"), std::string::npos);
  root_.Write("powercap/intel-rapl:1/name", "psys");
  root_.Write("powercap/intel-rapl:1/energy_uj", "5");
  options_.scope = core::MeterScope::kMachine;
  EXPECT_EQ(MakeMeters(options_).descriptions, Lines{"cpu: RAPL psys (counter)"});
}

TEST_F(Meters, AMissingGpuLibraryIsNamedOnlyWhereAGpuIsExpected) {
  options_.cuda_visible_devices = "0";
  EXPECT_EQ(MakeMeters(options_).notes.size(), 2u);
  options_.use_gpu = false;
  EXPECT_EQ(MakeMeters(options_).notes.size(), 1u);
}

TEST_F(Meters, RocmIsLookedForWhereTheKernelHasItsDriver) {
  EXPECT_EQ(MakeMeters(options_).notes.size(), 1u);
  root_.Write("kfd", "");
  ASSERT_EQ(MakeMeters(options_).notes.size(), 2u);
  EXPECT_NE(MakeMeters(options_).notes[1].find("ROCm SMI is not installed"), std::string::npos);
}

TEST_F(Meters, AnUnknownCpuIsNamedWithTheOptionThatHelps) {
  root_.Write("proc/cpuinfo", "processor : 0\nmodel name : Abacus 3000\n");
  const MeterSet set = MakeMeters(options_);
  ASSERT_EQ(set.notes.size(), 2u);
  EXPECT_NE(set.notes[1].find("Abacus 3000"), std::string::npos);
  EXPECT_NE(set.notes[1].find("--cpu-tdp"), std::string::npos);
  options_.cpu_tdp_w = 12;
  EXPECT_EQ(MakeMeters(options_).notes.size(), 1u);
}

TEST_F(Meters, MemoryOfUnknownSizeIsNotMeteredAndNamed) {
  root_.Remove("proc/meminfo");
  const MeterSet set = MakeMeters(options_);
  EXPECT_EQ(set.meters.size(), 1u);
  EXPECT_NE(set.notes.back().find("memory is not metered"), std::string::npos);
}

TEST_F(Meters, TheMachineIsDescribed) {
  const core::Machine machine = DescribeMachine({"A100"}, options_.proc_root);
  EXPECT_EQ(machine.cpu_model, "AMD Ryzen 9 5950X 16-Core Processor");
  EXPECT_EQ(machine.cpu_count, 1);
  EXPECT_DOUBLE_EQ(machine.ram_total_gb, 32);
  EXPECT_TRUE(machine.operating_system.starts_with("Linux-"));
  EXPECT_FALSE(machine.host.empty());
}

}  // namespace
}  // namespace ebb::meter
