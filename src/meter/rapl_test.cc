#include "meter/rapl.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>

#include "meter/scratch_root.h"

namespace ebb::meter {
namespace {

using namespace std::chrono_literals;
using core::MeterScope;
using Outcome = EnergyCounter::Outcome;

constexpr std::int64_t kRange = 262'143'328'850;

// A /sys/class/powercap as the kernel lays it out: zones side by side, names inside.
class FakePowercap {
 public:
  void Zone(const std::string& zone, const std::string& name, std::int64_t energy_uj = 0) {
    root.Write(zone + "/name", name + "\n");
    root.Write(zone + "/max_energy_range_uj", std::to_string(kRange) + "\n");
    Set(zone, energy_uj);
  }
  void Set(const std::string& zone, std::int64_t energy_uj) {
    root.Write(zone + "/energy_uj", std::to_string(energy_uj) + "\n");
  }
  // Tests may run as root, who can read everything: a directory cannot be read by anyone.
  void Break(const std::string& zone) {
    root.Remove(zone + "/energy_uj");
    root.Write(zone + "/energy_uj/x", "");
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const RaplDomain& domain : ScanRapl(root.path()).packages) names.push_back(domain.name);
    return names;
  }
  RaplMeter Meter(MeterScope scope) {
    return RaplMeter(ScanRapl(root.path()).packages, {core::Component::kCpu, scope, 0});
  }
  ScratchRoot root;
};

IntervalUsage Usage(Instant begin, Instant end, std::optional<std::chrono::nanoseconds> tree = {},
                    std::optional<std::chrono::nanoseconds> busy = {}) {
  IntervalUsage usage;
  usage.begin = begin;
  usage.end = end;
  usage.wall = {Time{std::chrono::floor<Duration>(begin)}, Time{std::chrono::floor<Duration>(end)}};
  usage.tree_cpu = tree;
  usage.machine_busy = busy;
  return usage;
}

using Names = std::vector<std::string>;

TEST(RaplScan, FindsAllPackagesAndDiesAndNothingElse) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0");
  powercap.Zone("intel-rapl:0:0", "core");
  powercap.Zone("intel-rapl:0:1", "uncore");
  powercap.Zone("intel-rapl:0:2", "dram");
  powercap.Zone("intel-rapl:1", "package-1-die-0");
  powercap.Zone("intel-rapl:2", "package-1-die-1");
  powercap.Zone("intel-rapl:3", "psys");
  powercap.root.Write("intel-rapl/enabled", "1");
  powercap.root.Write("dtpm/enabled", "1");
  EXPECT_EQ(powercap.Names(), (Names{"package-0", "package-1-die-0", "package-1-die-1"}));
  const RaplScan scan = ScanRapl(powercap.root.path());
  ASSERT_EQ(scan.dram.size(), 1u);
  EXPECT_EQ(scan.dram[0].name, "dram-0");
  EXPECT_EQ(scan.packages[0].range_uj, kRange);
  EXPECT_TRUE(scan.note.empty());
}

TEST(RaplScan, MmioTwinsCountOnce) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0");
  powercap.Zone("intel-rapl-mmio:0", "package-0");
  const RaplScan scan = ScanRapl(powercap.root.path());
  ASSERT_EQ(scan.packages.size(), 1u);
  EXPECT_NE(scan.packages[0].energy_file.find("intel-rapl:0"), std::string::npos);
}

TEST(RaplScan, ATwinThatCanBeReadStandsInForOneThatCannot) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0");
  powercap.Break("intel-rapl:0");
  powercap.Zone("intel-rapl-mmio:0", "package-0");
  const RaplScan scan = ScanRapl(powercap.root.path());
  ASSERT_EQ(scan.packages.size(), 1u);
  EXPECT_NE(scan.packages[0].energy_file.find("intel-rapl-mmio:0"), std::string::npos);
}

TEST(RaplScan, PackagesOfTheSameNameAreBothCounted) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0");
  powercap.Zone("intel-rapl:1", "package-0");
  RaplMeter meter = powercap.Meter(MeterScope::kMachine);
  meter.Start(0s);
  const auto readings = meter.Sample(Usage(0s, 1s));
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].device, "cpu:package-0");
  EXPECT_EQ(readings[1].device, "cpu:package-0#2");
}

TEST(RaplScan, HalfOfAMachineIsNotMeasuredAsIfItWereAllOfIt) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0");
  powercap.Zone("intel-rapl:1", "package-1");
  powercap.Break("intel-rapl:1");
  const RaplScan scan = ScanRapl(powercap.root.path());
  EXPECT_TRUE(scan.packages.empty());
  EXPECT_NE(scan.note.find("intel-rapl:1"), std::string::npos);
  EXPECT_NE(scan.note.find("CPU model"), std::string::npos);
}

TEST(RaplScan, MissingPermissionIsExplainedWithTheFix) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0");
  ::chmod(powercap.root.path().c_str(), 0755);
  ::chmod((powercap.root.path() + "/intel-rapl:0/energy_uj").c_str(), 0);
  // Root may read everything, so for the length of the scan this is nobody.
  const uid_t user = ::geteuid();
  ASSERT_EQ(::seteuid(user == 0 ? 65534 : user), 0);
  const RaplScan scan = ScanRapl(powercap.root.path());
  ASSERT_EQ(::seteuid(user), 0);
  EXPECT_TRUE(scan.packages.empty());
  EXPECT_NE(scan.note.find("CVE-2020-8694"), std::string::npos);
  EXPECT_NE(scan.note.find("sudo chgrp"), std::string::npos);
}

TEST(RaplScan, AMachineWithoutRaplIsSaidToHaveNone) {
  const RaplScan scan = ScanRapl("/nonexistent");
  EXPECT_TRUE(scan.packages.empty());
  EXPECT_NE(scan.note.find("virtual machines"), std::string::npos);
}

TEST(EnergyCounter, WrapsAreCountedAtAnyPollInterval) {
  for (const double watts : {0.5, 65.0, 400.0, 1500.0}) {
    for (const auto interval : {3ms, 1000ms, 10'000ms, 120'000ms}) {
      EnergyCounter counter(kRange);
      const auto value = [&](Instant now) {
        const double uj = watts * std::chrono::duration<double>(now).count() * 1e6;
        return static_cast<std::int64_t>(std::fmod(uj + 2e11, static_cast<double>(kRange)));
      };
      counter.Start(0s, value(0s));
      Instant now = 0s;
      const Instant end = interval * 2000;
      while (now < end) {
        now += interval;
        ASSERT_EQ(counter.Look(now, value(now)), Outcome::kCounted);
      }
      const double joules = static_cast<double>(counter.Take()) / 1e6;
      const double expected = watts * std::chrono::duration<double>(end).count();
      EXPECT_NEAR(joules, expected, 1e-6 * expected + 0.01) << watts << " W";
    }
  }
}

TEST(EnergyCounter, AResetIsNotTakenForAWrap) {
  EnergyCounter counter(kRange);
  counter.Start(0s, 200'000'000'000);
  EXPECT_EQ(counter.Look(1s, 1'000'000), Outcome::kBackwards);
  EXPECT_EQ(counter.Look(2s, 51'000'000), Outcome::kCounted);
  EXPECT_EQ(counter.Take(), 50'000'000);
}

TEST(EnergyCounter, WithoutARangeAWrapIsDropped) {
  EnergyCounter counter(std::nullopt);
  counter.Start(0s, 1000);
  EXPECT_EQ(counter.Look(1s, 10), Outcome::kBackwards);
  EXPECT_EQ(counter.Look(2s, 40), Outcome::kCounted);
  EXPECT_EQ(counter.Take(), 30);
}

TEST(EnergyCounter, AnUnreadableValueIsMadeUpForByTheNext) {
  EnergyCounter counter(kRange);
  counter.Start(0s, 0);
  EXPECT_EQ(counter.Look(1s, std::nullopt), Outcome::kUnreadable);
  EXPECT_EQ(counter.Take(), 0);
  EXPECT_EQ(counter.Look(2s, 90'000'000), Outcome::kCounted);
  EXPECT_EQ(counter.Take(), 90'000'000);
}

TEST(EnergyCounter, NothingIsGuessedAfterAPauseThatMayHideAWrap) {
  EnergyCounter counter(kRange);
  counter.Start(0s, 0);
  EXPECT_NEAR(std::chrono::duration<double>(*counter.longest_pause()).count(), 131, 0.1);
  EXPECT_EQ(counter.Look(132s, 5'000'000), Outcome::kPausedTooLong);
  EXPECT_EQ(counter.Take(), 0);
}

TEST(EnergyCounter, AJumpThatNoProcessorCanMakeIsDropped) {
  EnergyCounter counter(kRange);
  counter.Start(0s, 0);
  EXPECT_EQ(counter.Look(1s, 2'100'000'000), Outcome::kTooFast);
  EXPECT_EQ(counter.Look(2s, 2'400'000'000), Outcome::kCounted);
  EXPECT_EQ(counter.Take(), 300'000'000);
}

TEST(EnergyCounter, ACounterThatAppearsLateBeginsThere) {
  EnergyCounter counter(kRange);
  counter.Start(0s, std::nullopt);
  EXPECT_EQ(counter.Look(1s, 77), Outcome::kNoBaseLine);
  EXPECT_EQ(counter.Take(), 0);
}

TEST(Rapl, AMachineIsChargedAllPackages) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0", 100);
  powercap.Zone("intel-rapl:1", "package-1", kRange - 1'000'000);
  RaplMeter meter = powercap.Meter(MeterScope::kMachine);
  EXPECT_EQ(meter.Description(), "cpu: RAPL package-0, package-1 (counter)");
  meter.Start(0s);
  powercap.Set("intel-rapl:0", 100 + 40'000'000);
  powercap.Set("intel-rapl:1", 49'000'000);
  const auto readings = meter.Sample(Usage(0s, 1s));
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].energy, Energy::Joules(40));
  EXPECT_EQ(readings[1].energy, Energy::Joules(50)) << "across the wrap";
  EXPECT_EQ(readings[0].source, core::EnergySource::kCounter);
}

TEST(Rapl, PolledEnergyBelongsToTheNextSample) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0");
  RaplMeter meter = powercap.Meter(MeterScope::kMachine);
  ASSERT_TRUE(meter.poll_interval());
  EXPECT_LT(*meter.poll_interval(), 70s);
  meter.Start(0s);
  std::int64_t energy = 0;
  for (int i = 1; i <= 60; ++i) {
    energy = (energy + 60 * 200'000'000LL) % kRange;
    powercap.Set("intel-rapl:0", energy);
    if (i < 60) meter.Poll(i * 60s);
  }
  EXPECT_EQ(meter.Sample(Usage(0s, 3600s))[0].energy, Energy::Joules(3600 * 200.0));
}

TEST(Rapl, AProcessTreeIsChargedItsShareOfTheBusyTime) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0");
  RaplMeter meter = powercap.Meter(MeterScope::kProcessTree);
  meter.Start(0s);
  powercap.Set("intel-rapl:0", 80'000'000);
  EXPECT_EQ(meter.Sample(Usage(0s, 1s, 500ms, 2000ms))[0].energy, Energy::Joules(20));
}

TEST(Rapl, SharesOfProcessesAddUpToAtMostTheEnergy) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0");
  const std::vector<std::chrono::milliseconds> trees{310ms, 20ms, 450ms, 220ms};
  std::vector<RaplMeter> meters;
  for (std::size_t i = 0; i < trees.size(); ++i)
    meters.push_back(powercap.Meter(MeterScope::kProcessTree));
  for (RaplMeter& meter : meters) meter.Start(0s);
  Energy attributed;
  std::int64_t energy = 0;
  for (int second = 0; second < 50; ++second) {
    energy += 33'333'333 + second;
    powercap.Set("intel-rapl:0", energy);
    for (std::size_t i = 0; i < trees.size(); ++i) {
      const auto usage = Usage(second * 1s, (second + 1) * 1s, trees[i], 1000ms);
      attributed += meters[i].Sample(usage)[0].energy;
    }
  }
  EXPECT_LE(attributed.microjoules(), energy);
  EXPECT_GE(attributed.microjoules(), energy - 4) << "these four are all that ran";
}

TEST(Rapl, ATreeBusierThanTheMachineIsChargedNoMoreThanAll) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0");
  RaplMeter meter = powercap.Meter(MeterScope::kProcessTree);
  meter.Start(0s);
  powercap.Set("intel-rapl:0", 1'000'000);
  EXPECT_EQ(meter.Sample(Usage(0s, 5ms, 10ms, 0ms))[0].energy, Energy::Joules(1));
}

TEST(Rapl, EnergyOfAMomentInWhichNothingRanWaitsForTheNext) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0");
  RaplMeter meter = powercap.Meter(MeterScope::kProcessTree);
  meter.Start(0s);
  powercap.Set("intel-rapl:0", 1'000'000);
  EXPECT_TRUE(meter.Sample(Usage(0s, 5ms, 0ms, 0ms)).empty());
  EXPECT_TRUE(meter.Gaps().empty());
  powercap.Set("intel-rapl:0", 3'000'000);
  const auto readings = meter.Sample(Usage(5ms, 20ms, 10ms, 20ms));
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].energy, Energy::Joules(1.5));
  EXPECT_EQ(readings[0].wall, (Interval{Time{0ms}, Time{20ms}}));
}

TEST(Rapl, AFileThatVanishesForAWhileLosesNothing) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0");
  RaplMeter meter = powercap.Meter(MeterScope::kProcessTree);
  meter.Start(0s);
  powercap.root.Remove("intel-rapl:0/energy_uj");
  EXPECT_TRUE(meter.Sample(Usage(0s, 1s, 1000ms, 1000ms)).empty());
  ASSERT_EQ(meter.Gaps().size(), 1u) << "so far it is missing";
  powercap.Set("intel-rapl:0", 60'000'000);
  const auto readings = meter.Sample(Usage(1s, 2s, 500ms, 1000ms));
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].energy, Energy::Joules(45)) << "three quarters of the busy time of both";
  EXPECT_EQ(readings[0].wall, (Interval{Time{0s}, Time{2s}}));
  EXPECT_TRUE(meter.Gaps().empty());
}

TEST(Rapl, ABackwardJumpIsDroppedAndNamed) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0", 100'000'000'000);
  RaplMeter meter = powercap.Meter(MeterScope::kMachine);
  meter.Start(0s);
  powercap.Set("intel-rapl:0", 0);
  EXPECT_TRUE(meter.Sample(Usage(0s, 1s)).empty());
  powercap.Set("intel-rapl:0", 25'000'000);
  const auto readings = meter.Sample(Usage(1s, 2s));
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].energy, Energy::Joules(25));
  EXPECT_EQ(readings[0].wall, (Interval{Time{1s}, Time{2s}}));
  ASSERT_EQ(meter.Gaps().size(), 1u);
  EXPECT_EQ(meter.Gaps()[0],
            "cpu:package-0: 1 interval, 1.0 s in all, not counted: the counter went backwards");
}

TEST(Rapl, DramIsSharedByResidentSize) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0");
  powercap.Zone("intel-rapl:0:0", "dram");
  RaplMeter meter(ScanRapl(powercap.root.path()).dram,
                  {core::Component::kRam, MeterScope::kProcessTree, 1000});
  meter.Start(0s);
  powercap.Set("intel-rapl:0:0", 10'000'000);
  IntervalUsage usage = Usage(0s, 1s);
  usage.tree_resident_bytes = 250;
  const auto readings = meter.Sample(usage);
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].device, "ram:dram-0");
  EXPECT_EQ(readings[0].component, core::Component::kRam);
  EXPECT_EQ(readings[0].energy, Energy::Joules(2.5));
}

}  // namespace
}  // namespace ebb::meter
