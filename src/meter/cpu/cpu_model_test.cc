#include "meter/cpu/cpu_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "meter/cpu/cpu_table.h"
#include "meter/scratch_root_for_test.h"

namespace ebb::meter {
namespace {

using namespace std::chrono_literals;
using core::MeterScope;

IntervalUsage Usage(std::chrono::nanoseconds length, std::chrono::nanoseconds cpu_time,
                    int processors) {
  IntervalUsage usage;
  usage.end = length;
  usage.wall = {Time{}, Time{std::chrono::floor<Duration>(length)}};
  usage.logical_processors = processors;
  usage.machine_busy = cpu_time;
  usage.tree_cpu = cpu_time;
  return usage;
}

Energy Sum(CpuModelMeter& meter, const IntervalUsage& usage) {
  Energy sum;
  for (const auto& reading : meter.Sample(usage)) sum += reading.energy;
  return sum;
}

std::string_view NameOf(std::string_view model_name) {
  const CpuPart* part = FindCpuPart(model_name);
  return part ? part->name : "";
}

TEST(CpuTable, FindsPartsUnderTheNamesThatLinuxReports) {
  EXPECT_EQ(NameOf("Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz"), "Xeon Platinum 8375C");
  EXPECT_EQ(NameOf("AMD EPYC 7763 64-Core Processor"), "EPYC 7763");
  EXPECT_EQ(NameOf("Intel(R) Xeon(R) CPU E5-2686 v4 @ 2.30GHz"), "Xeon E5-2686 v4");
  EXPECT_EQ(NameOf("13th Gen Intel(R) Core(TM) i7-13700K"), "Core i7-13700K");
  EXPECT_EQ(NameOf("AMD Ryzen 7 PRO 7840U w/ Radeon 780M Graphics"), "Ryzen 7 PRO 7840U");
  EXPECT_EQ(NameOf("AMD Ryzen 9 5950X 16-Core Processor"), "Ryzen 9 5950X");
  EXPECT_EQ(NameOf("INTEL(R) XEON(R) PLATINUM 8592+"), "Xeon Platinum 8592+");
  EXPECT_EQ(NameOf("Intel(R) Core(TM) Ultra 7 155H"), "Core Ultra 7 155H");
}

TEST(CpuTable, MatchesWholeWordsOnly) {
  EXPECT_EQ(NameOf("Intel(R) Xeon(R) Processor"), "");
  EXPECT_EQ(NameOf("Intel(R) Xeon(R) CPU @ 2.20GHz"), "");
  EXPECT_EQ(NameOf("AMD EPYC 7763X 64-Core Processor"), "");
  EXPECT_EQ(NameOf("Intel(R) Xeon(R) CPU E5-2680 @ 2.70GHz"), "") << "v3 and v4 are other parts";
  EXPECT_EQ(NameOf(""), "");
}

TEST(CpuTable, RowsAreUniqueAndPlausible) {
  std::set<std::string_view> names;
  for (const CpuPart& part : CpuTable()) {
    EXPECT_TRUE(names.insert(part.name).second) << part.name;
    EXPECT_EQ(FindCpuPart(part.name), &part) << part.name;
    EXPECT_GE(part.tdp_w / part.threads, 0.9) << part.name;
    EXPECT_LE(part.tdp_w / part.threads, 20) << part.name;
  }
  EXPECT_GE(names.size(), 80u);
}

TEST(CpuTable, PartsWithoutADataSheetHaveTheFigureOfTheOneTheyName) {
  for (const CpuPart& part : CpuTable()) {
    if (part.taken_from.empty()) continue;
    const CpuPart* source = FindCpuPart(part.taken_from);
    ASSERT_NE(source, nullptr) << part.name;
    EXPECT_EQ(part.tdp_w, source->tdp_w) << part.name;
    EXPECT_TRUE(source->taken_from.empty()) << part.name;
  }
}

TEST(CpuPower, AnUnknownCpuIsFourWattsPerThread) {
  const CpuPower power = VisibleCpuPower({"Intel(R) Xeon(R) Processor", 2, 1, true}, std::nullopt);
  EXPECT_DOUBLE_EQ(power.tdp_w, 8);
  EXPECT_FALSE(power.known);
  EXPECT_EQ(CpuModelMeter(power, 2, MeterScope::kProcessTree).Description(),
            "cpu: model, TDP 8 W for 2 logical processors (4 W per thread; unknown CPU "
            "\"Intel(R) Xeon(R) Processor\"), by CPU time of the process tree");
}

TEST(CpuPower, AVirtualMachineHasTheShareOfItsThreads) {
  const CpuPower power = VisibleCpuPower({"AMD EPYC 7543 32-Core Processor", 16, 1, true}, {});
  EXPECT_DOUBLE_EQ(power.tdp_w, 225.0 * 16 / 64);
  EXPECT_EQ(power.provenance, "16/64 of EPYC 7543, 225 W");
}

TEST(CpuPower, BareMetalHasAllItsPackages) {
  EXPECT_DOUBLE_EQ(VisibleCpuPower({"AMD EPYC 7543 32-Core Processor", 128, 2, false}, {}).tdp_w,
                   450);
  EXPECT_DOUBLE_EQ(VisibleCpuPower({"AMD Ryzen 9 5950X 16-Core Processor", 16, 1, false}, {}).tdp_w,
                   105)
      << "switching off hyper-threads does not halve the package";
}

TEST(CpuPower, TheUserKnowsBest) {
  const CpuPower power = VisibleCpuPower({"AMD EPYC 7543 32-Core Processor", 16, 1, true}, 42.5);
  EXPECT_DOUBLE_EQ(power.tdp_w, 42.5);
  EXPECT_EQ(power.provenance, "--cpu-tdp");
}

TEST(CpuInfo, ReadsWhatLinuxWrites) {
  ScratchRoot proc;
  proc.Write("cpuinfo",
             "processor\t: 0\nmodel name\t: AMD EPYC 7763 64-Core Processor\nphysical id\t: 0\n"
             "flags\t\t: fpu hypervisor sse2\n\n"
             "processor\t: 1\nmodel name\t: AMD EPYC 7763 64-Core Processor\nphysical id\t: 1\n"
             "flags\t\t: fpu hypervisor sse2\n\n");
  const CpuInfo info = ReadCpuInfo(proc.path());
  EXPECT_EQ(info.model_name, "AMD EPYC 7763 64-Core Processor");
  EXPECT_EQ(info.logical_processors, 2);
  EXPECT_EQ(info.packages, 2);
  EXPECT_TRUE(info.virtual_machine);
  const CpuInfo nothing = ReadCpuInfo("/nonexistent");
  EXPECT_EQ(nothing.model_name, "unknown CPU");
  EXPECT_EQ(nothing.logical_processors, 1);
}

TEST(CpuInfo, BusyTimeLeavesOutIdleWaitingAndStolenTime) {
  ScratchRoot proc;
  proc.Write("stat", "cpu  10 20 30 1000 500 4 6 900 7 8\ncpu0 1 2 3\n");
  EXPECT_EQ(ReadBusyTime(proc.path()), FromClockTicks(70));
  proc.Write("stat", "cpu  10 20 x\n");
  EXPECT_EQ(ReadBusyTime(proc.path()), std::nullopt);
  EXPECT_EQ(ReadBusyTime("/nonexistent"), std::nullopt);
}

TEST(CpuModel, AProcessTreeIsChargedItsCpuTime) {
  CpuModelMeter meter({100, "", true}, 4, MeterScope::kProcessTree);
  meter.Start({});
  // 2 of 4 processors for 10 s: 100 W x 20 / (10 x 4) x 10 s.
  EXPECT_EQ(Sum(meter, Usage(10s, 20s, 4)), Energy::Joules(500));
  EXPECT_EQ(Sum(meter, Usage(10s, 0s, 4)), Energy{}) << "idle belongs to nobody's tree";
}

TEST(CpuModel, AMachineDrawsATenthWhenIdleAndItsTdpAtFullLoad) {
  CpuModelMeter meter({100, "", true}, 4, MeterScope::kMachine);
  meter.Start({});
  EXPECT_EQ(Sum(meter, Usage(10s, 0s, 4)), Energy::Joules(100));
  EXPECT_EQ(Sum(meter, Usage(10s, 40s, 4)), Energy::Joules(1000));
  EXPECT_EQ(Sum(meter, Usage(10s, 20s, 4)), Energy::Joules(550));
}

TEST(CpuModel, TwiceTheTimeIsTwiceTheEnergy) {
  for (const MeterScope scope : {MeterScope::kMachine, MeterScope::kProcessTree}) {
    CpuModelMeter meter({8, "", true}, 2, scope);
    meter.Start({});
    const Energy once = Sum(meter, Usage(3s, 2s, 2));
    EXPECT_EQ(Sum(meter, Usage(6s, 4s, 2)), once + once);
  }
}

TEST(CpuModel, EnergyDoesNotDependOnHowOftenItIsSampled) {
  for (const MeterScope scope : {MeterScope::kMachine, MeterScope::kProcessTree}) {
    CpuModelMeter whole({7.03125, "", true}, 3, scope);
    whole.Start({});
    const Energy expected = Sum(whole, Usage(7s, 5s, 3));
    for (const int parts : {2, 7, 1000}) {
      CpuModelMeter meter({7.03125, "", true}, 3, scope);
      meter.Start({});
      Energy sum;
      std::chrono::nanoseconds length{}, cpu{};
      for (int i = 1; i <= parts; ++i) {
        const auto length_until = 7'000'000'000ns * i / parts,
                   cpu_until = 5'000'000'000ns * i / parts;
        sum += Sum(meter, Usage(length_until - length, cpu_until - cpu, 3));
        length = length_until;
        cpu = cpu_until;
      }
      EXPECT_LE(std::abs((sum - expected).microjoules()), 1) << parts;
    }
  }
}

TEST(CpuModel, ProcessTreesTogetherNeverExceedTheMachine) {
  CpuModelMeter machine({65, "", true}, 8, MeterScope::kMachine);
  machine.Start({});
  Energy attributed;
  for (const auto cpu : {1s, 5s, 10s, 24s}) {
    CpuModelMeter tree({65, "", true}, 8, MeterScope::kProcessTree);
    tree.Start({});
    attributed += Sum(tree, Usage(5s, cpu, 8));
  }
  EXPECT_LE(attributed, Sum(machine, Usage(5s, 40s, 8)));
}

TEST(CpuModel, WhatCannotBeReadIsLeftOutAndNamed) {
  CpuModelMeter meter({8, "", true}, 2, MeterScope::kProcessTree);
  meter.Start({});
  IntervalUsage usage = Usage(1s, 1s, 2);
  usage.tree_cpu.reset();
  EXPECT_TRUE(meter.Sample(usage).empty());
  EXPECT_TRUE(meter.Sample(usage).empty());
  ASSERT_EQ(meter.Gaps().size(), 1u);
  EXPECT_EQ(meter.Gaps()[0],
            "cpu: 2 intervals, 2.0 s in all, not counted: the CPU time cannot be read from /proc");
}

// Computed by CodeCarbon 3.3.0's own code (codecarbon/external/hardware.py, CPU.
// measure_power_and_energy(10.0) in mode cpu_load, psutil.cpu_percent replaced by the load).
TEST(CpuModel, CodeCarbonsCurveIsCodeCarbonsOnEqualSamples) {
  const struct {
    double tdp_w, load_percent, power_w, energy_kwh;
  } theirs[] = {
      {85, 0, 8.5, 2.3611111111111114e-05},
      {85, 3.7, 8.503874954500002, 2.362187487361112e-05},
      {85, 12.5, 8.6494140625, 2.402615017361111e-05},
      {85, 33.3, 11.324841830499999, 3.145789397361111e-05},
      {85, 50, 18.06250000000001, 5.017361111111114e-05},
      {85, 71.9, 36.934664363500005, 0.00010259628989861113},
      {85, 96.4, 77.03186281600001, 0.00021397739671111116},
      {85, 100, 85, 0.00023611111111111115},
      {225, 0, 22.5, 6.25e-05},
      {225, 3.7, 22.510257232500003, 6.252849231250002e-05},
      {225, 12.5, 22.8955078125, 6.35986328125e-05},
      {225, 33.3, 29.9775224925, 8.32708958125e-05},
      {225, 50, 47.81250000000001, 0.00013281250000000004},
      {225, 71.9, 97.76822919750005, 0.0002715784144375001},
      {225, 96.4, 203.90787216000004, 0.0005664107560000001},
      {225, 100, 225, 0.000625},
  };
  for (const auto& row : theirs) {
    CpuModelMeter meter({row.tdp_w, "test"}, 4, MeterScope::kMachine, LoadCurve::kCodeCarbon);
    meter.Start({});
    const auto busy = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(row.load_percent / 100 * 4 * 10));
    const Energy energy = Sum(meter, Usage(10s, busy, 4));
    EXPECT_NEAR(energy.joules(), row.power_w * 10, 1e-5) << row.load_percent;
    EXPECT_NEAR(energy.kwh() / row.energy_kwh, 1, 1e-6) << row.load_percent;
  }
}

// The figures of CodeCarbon's tracking_mode process, from the CPU time of the tree, the number of
// logical processors and the seconds. Both of our curves charge a tree by its CPU time.
TEST(CpuModel, AProcessTreeIsChargedAsCodeCarbonChargesIt) {
  const struct {
    double tdp_w;
    int processors;
    double cpu_s, wall_s, power_w;
  } theirs[] = {{85, 4, 3.1, 10, 6.5875}, {225, 64, 120, 4, 105.46875}, {40, 2, 0.02, 1, 0.4}};
  for (const auto& row : theirs) {
    for (const LoadCurve curve : {LoadCurve::kLinear, LoadCurve::kCodeCarbon}) {
      CpuModelMeter meter({row.tdp_w, "test"}, row.processors, MeterScope::kProcessTree, curve);
      meter.Start({});
      const auto nanoseconds = [](double seconds) {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double>(seconds));
      };
      const Energy energy =
          Sum(meter, Usage(nanoseconds(row.wall_s), nanoseconds(row.cpu_s), row.processors));
      EXPECT_NEAR(energy.joules() / row.wall_s / row.power_w, 1, 1e-5);
    }
  }
}

}  // namespace
}  // namespace ebb::meter
