#include "meter/cpu/ram_model.h"

#include <gtest/gtest.h>

#include "meter/cpu/cpu_info.h"

namespace ebb::meter {
namespace {

using namespace std::chrono_literals;
using core::MeterScope;

IntervalUsage Usage(double resident_gib) {
  IntervalUsage usage;
  usage.end = 10s;
  usage.tree_resident_bytes = resident_gib * kBytesPerGib;
  return usage;
}

TEST(RamModel, EstimatesModulesAsCodeCarbonDoes) {
  EXPECT_EQ(EstimateModules(1), 1);
  EXPECT_EQ(EstimateModules(2), 1);
  EXPECT_EQ(EstimateModules(8), 2);
  EXPECT_EQ(EstimateModules(16), 2);
  EXPECT_EQ(EstimateModules(23.5), 4);
  EXPECT_EQ(EstimateModules(64), 4);
  EXPECT_EQ(EstimateModules(128), 8);
  EXPECT_EQ(EstimateModules(256), 8) << "8 x 32 GiB";
  EXPECT_EQ(EstimateModules(503), 16) << "16 x 32 GiB: of 64 GiB fewer than eight would fit";
  EXPECT_EQ(EstimateModules(1024), 8) << "8 x 128 GiB";
  EXPECT_EQ(EstimateModules(2048), 16);
  EXPECT_EQ(EstimateModules(100'000), 32);
}

TEST(RamModel, PowerPerModuleFallsWithTheirNumber) {
  const auto x86 = Architecture::kX86;
  EXPECT_DOUBLE_EQ(EstimateRamPower(1, x86), 10) << "the least";
  EXPECT_DOUBLE_EQ(EstimateRamPower(16, x86), 10);
  EXPECT_DOUBLE_EQ(EstimateRamPower(32, x86), 20);
  EXPECT_DOUBLE_EQ(EstimateRamPower(128, x86), 4 * 5 + 4 * 4.5);
  EXPECT_DOUBLE_EQ(EstimateRamPower(2048, x86), 4 * 5 + 4 * 4.5 + 8 * 4);
  EXPECT_DOUBLE_EQ(EstimateRamPower(100'000, x86), 4 * 5 + 4 * 4.5 + 8 * 4 + 16 * 3.5);
  EXPECT_DOUBLE_EQ(EstimateRamPower(16, Architecture::kArm), 3);
  EXPECT_DOUBLE_EQ(EstimateRamPower(64, Architecture::kArm), 6);
}

TEST(RamModel, AProcessTreeIsChargedTheShareOfItsResidentSet) {
  RamModelMeter meter(32 * kBytesPerGib, 20.0, MeterScope::kProcessTree);
  meter.Start({});
  const auto readings = meter.Sample(Usage(8));
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].energy, Energy::Joules(20.0 * 10 / 4));
  EXPECT_EQ(readings[0].component, core::Component::kRam);
  EXPECT_EQ(readings[0].source, core::EnergySource::kModel);
  EXPECT_EQ(meter.Sample(Usage(100))[0].energy, Energy::Joules(200))
      << "shared pages counted twice never make more than all memory";
}

TEST(RamModel, AMachineIsChargedAllItsMemory) {
  RamModelMeter meter(32 * kBytesPerGib, 20.0, MeterScope::kMachine);
  meter.Start({});
  EXPECT_EQ(meter.Sample(Usage(1))[0].energy, Energy::Joules(200));
  EXPECT_EQ(meter.Description(), "ram: model, 20 W for 32 GiB (--ram-power)");
}

TEST(RamModel, WhatCannotBeReadIsLeftOutAndNamed) {
  RamModelMeter meter(32 * kBytesPerGib, std::nullopt, MeterScope::kProcessTree);
  meter.Start({});
  IntervalUsage usage = Usage(1);
  usage.tree_resident_bytes.reset();
  EXPECT_TRUE(meter.Sample(usage).empty());
  EXPECT_EQ(meter.Gaps().size(), 1u);
}

}  // namespace
}  // namespace ebb::meter
