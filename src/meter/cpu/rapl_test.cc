#include "meter/cpu/rapl.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>

#include "base/random.h"
#include "meter/scratch_root_for_test.h"

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
  // Makes a counter a directory, which no user can read: tests may run as root, who can read every
  // file.
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
  powercap.Set("intel-rapl:0", 1000);
  powercap.Set("intel-rapl:1", 1000);
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
  // Root may read every file, so the scan runs as the user nobody.
  const uid_t user = ::geteuid();
  ASSERT_EQ(::seteuid(user == 0 ? 65534 : user), 0);
  const RaplScan scan = ScanRapl(powercap.root.path());
  ASSERT_EQ(::seteuid(user), 0);
  EXPECT_TRUE(scan.packages.empty());
  EXPECT_TRUE(scan.not_permitted);
  EXPECT_LT(scan.note.size(), 250u) << "one line or two of a terminal";
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

TEST(EnergyCounter, AValueThatStaysIsNoZeroAndLosesNothing) {
  EnergyCounter counter(kRange);
  counter.Start(0s, 1000);
  EXPECT_EQ(counter.Look(1s, 1000), Outcome::kStill);
  EXPECT_EQ(counter.Look(2s, 60'001'000), Outcome::kCounted);
  EXPECT_EQ(counter.Take(), 60'000'000);
}

// A random machine and a reader of its counter: polls at odd times, wraps, resets, values that
// cannot be read or stay the same. The oracle knows the energy; the counter sees only the values.
class CounterWalk {
 public:
  explicit CounterWalk(std::uint64_t seed) : random_(seed) {
    value_uj_ = static_cast<std::int64_t>(random_.Uniform() * static_cast<double>(kRange));
    counter_.Start(0s, value_uj_);
  }
  void Step() {
    const auto pause = std::chrono::microseconds(
        static_cast<std::int64_t>(std::pow(10.0, random_.Uniform(3, 8.3))));  // 1 ms to 200 s
    now_ += pause;
    Spend(std::chrono::duration<double>(pause).count() * random_.Uniform(0.01, 1900));
    if (random_.Below(40) == 0) Reset();
    const auto kind = random_.Below(8);
    if (kind == 0) return See(std::nullopt);
    if (kind == 1) return See(seen_uj_);  // not updated
    See(value_uj_);
  }
  void Check() const {
    EXPECT_GE(counted_uj_, 0);
    EXPECT_LE(counted_uj_, settled_uj_ + hidden_excess_uj_);
    // Every microjoule is counted, still to come, flagged, or hidden by a reset that no reader can
    // see.
    EXPECT_EQ(counted_uj_ + flagged_uj_ + hidden_loss_uj_ - hidden_excess_uj_, settled_uj_);
  }
  int hidden() const { return hidden_; }
  std::int64_t flagged_uj() const { return flagged_uj_; }

 private:
  void Spend(double joules) {
    const auto uj = static_cast<std::int64_t>(joules * 1e6);
    spent_uj_ += uj;
    value_uj_ = (value_uj_ + uj) % kRange;
  }
  void Reset() {
    value_uj_ = 0;
    was_reset_ = true;
    Spend(random_.Uniform(0, 10));
  }
  void See(std::optional<std::int64_t> value_uj) {
    const auto outcome = counter_.Look(now_, value_uj);
    const std::int64_t taken = counter_.Take();
    ASSERT_GE(taken, 0);
    counted_uj_ += taken;
    if (outcome == Outcome::kUnreadable || outcome == Outcome::kStill) {
      ASSERT_EQ(taken, 0);
      return;
    }
    seen_uj_ = value_uj;
    settled_uj_ += spent_uj_;
    if (IsLoss(outcome)) {
      ASSERT_EQ(taken, 0);
      flagged_uj_ += spent_uj_;
    } else if (was_reset_) {
      ++hidden_;
      hidden_loss_uj_ += std::max<std::int64_t>(0, spent_uj_ - taken);
      hidden_excess_uj_ += std::max<std::int64_t>(0, taken - spent_uj_);
    } else {
      ASSERT_EQ(taken, spent_uj_);
    }
    spent_uj_ = 0;
    was_reset_ = false;
  }

  Random random_;
  EnergyCounter counter_{kRange};
  Instant now_{};
  std::int64_t value_uj_ = 0;
  std::optional<std::int64_t> seen_uj_ = std::nullopt;
  std::int64_t spent_uj_ = 0;  // since the last value that was new
  bool was_reset_ = false;
  std::int64_t settled_uj_ = 0, counted_uj_ = 0, flagged_uj_ = 0;
  std::int64_t hidden_loss_uj_ = 0, hidden_excess_uj_ = 0;
  int hidden_ = 0;
};

TEST(EnergyCounter, NeverNegativeNeverTooMuchAndEveryLossIsFlagged) {
  int hidden = 0;
  std::int64_t flagged_uj = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CounterWalk walk(seed);
    for (int i = 0; i < 400; ++i) walk.Step();
    walk.Check();
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    hidden += walk.hidden();
    flagged_uj += walk.flagged_uj();
  }
  EXPECT_GT(flagged_uj, 0);
  // Resets that the values alone cannot show (energy_counter.h) are rare among the 3,000 resets.
  EXPECT_LT(hidden, 600);
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

TEST(Rapl, KnownIdlePowerIsNobodys) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0");
  RaplMeter meter(ScanRapl(powercap.root.path()).packages,
                  {core::Component::kCpu, MeterScope::kProcessTree, 0, 40});
  meter.Start(0s);
  powercap.Set("intel-rapl:0", 80'000'000);
  IntervalUsage usage = Usage(0s, 1s, 500ms, 2000ms);
  usage.logical_processors = 4;
  // Half of the processors worked: 20 J of 80 are idle, a quarter of the rest is the tree's.
  EXPECT_EQ(meter.Sample(usage)[0].energy, Energy::Joules(15));
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
  EXPECT_EQ(meter.Gaps(),
            Names{"cpu:package-0: too short to measure: no CPU time was counted in 5ms, so its "
                  "energy is unknown"});
  powercap.Set("intel-rapl:0", 3'000'000);
  const auto readings = meter.Sample(Usage(5ms, 20ms, 10ms, 20ms));
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].energy, Energy::Joules(1.5));
  EXPECT_EQ(readings[0].wall, (Interval{Time{0ms}, Time{20ms}}));
  EXPECT_TRUE(meter.Gaps().empty());
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

TEST(Rapl, ACounterThatNeverMovesGivesNoReadingAndIsNamed) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0");
  RaplMeter meter = powercap.Meter(MeterScope::kMachine);
  meter.Start(0s);
  EXPECT_TRUE(meter.Sample(Usage(0s, 500ms)).empty());
  EXPECT_EQ(meter.Gaps(),
            Names{"cpu:package-0: too short to measure: the counter was not updated in 500ms, so "
                  "its energy is unknown"})
      << "half a second does not prove that it never moves";
  EXPECT_TRUE(meter.Sample(Usage(500ms, 60s)).empty());
  ASSERT_EQ(meter.Gaps().size(), 1u);
  EXPECT_NE(
      meter.Gaps()[0].find("60.0 s in all, not counted: at the end, the counter stands still"),
      std::string::npos)
      << meter.Gaps()[0];
}

TEST(Rapl, APackageThatIsRemovedIsNamedAndTheOthersGoOn) {
  FakePowercap powercap;
  powercap.Zone("intel-rapl:0", "package-0");
  powercap.Zone("intel-rapl:1", "package-1");
  RaplMeter meter = powercap.Meter(MeterScope::kMachine);
  meter.Start(0s);
  powercap.root.Remove("intel-rapl:1");
  powercap.Set("intel-rapl:0", 30'000'000);
  const auto readings = meter.Sample(Usage(0s, 1s));
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].energy, Energy::Joules(30));
  ASSERT_EQ(meter.Gaps().size(), 1u);
  EXPECT_NE(meter.Gaps()[0].find("cpu:package-1"), std::string::npos);
  EXPECT_NE(meter.Gaps()[0].find("cannot be read"), std::string::npos);
}

// Trees as the kernel lays them out on machines of several kinds.
struct MachineCase {
  const char* machine;
  std::vector<std::pair<const char*, const char*>> zones;  // directory, name
  Names packages, dram, psys;
};

TEST(RaplScan, KnowsTheTreesOfKnownMachines) {
  const MachineCase cases[] = {
      {"Intel client with an MMIO twin and psys",
       {{"intel-rapl:0", "package-0"},
        {"intel-rapl:0:0", "core"},
        {"intel-rapl:0:1", "uncore"},
        {"intel-rapl:1", "psys"},
        {"intel-rapl-mmio:0", "package-0"}},
       {"package-0"},
       {},
       {"psys"}},
      {"two-socket Xeon",
       {{"intel-rapl:0", "package-0"},
        {"intel-rapl:0:0", "dram"},
        {"intel-rapl:1", "package-1"},
        {"intel-rapl:1:0", "dram"}},
       {"package-0", "package-1"},
       {"dram-0", "dram-1"},
       {}},
      {"Xeon AP, two sockets of two dies",
       {{"intel-rapl:0", "package-0-die-0"},
        {"intel-rapl:0:0", "dram"},
        {"intel-rapl:1", "package-0-die-1"},
        {"intel-rapl:1:0", "dram"},
        {"intel-rapl:2", "package-1-die-0"},
        {"intel-rapl:2:0", "dram"},
        {"intel-rapl:3", "package-1-die-1"},
        {"intel-rapl:3:0", "dram"}},
       {"package-0-die-0", "package-0-die-1", "package-1-die-0", "package-1-die-1"},
       {"dram-0-die-0", "dram-0-die-1", "dram-1-die-0", "dram-1-die-1"},
       {}},
      {"two-socket EPYC",
       {{"intel-rapl:0", "package-0"},
        {"intel-rapl:0:0", "core"},
        {"intel-rapl:1", "package-1"},
        {"intel-rapl:1:0", "core"}},
       {"package-0", "package-1"},
       {},
       {}},
      {"AMD desktop",
       {{"intel-rapl:0", "package-0"}, {"intel-rapl:0:0", "core"}},
       {"package-0"},
       {},
       {}},
      {"a machine of many sockets",
       {{"intel-rapl:2", "package-2"}, {"intel-rapl:10", "package-10"}},
       {"package-10", "package-2"},
       {},
       {}},
  };
  for (const MachineCase& machine : cases) {
    FakePowercap powercap;
    for (const auto& [zone, name] : machine.zones) powercap.Zone(zone, name);
    powercap.root.Write("intel-rapl/enabled", "1");
    const RaplScan scan = ScanRapl(powercap.root.path());
    const auto names = [](const std::vector<RaplDomain>& domains) {
      Names list;
      for (const RaplDomain& domain : domains) list.push_back(domain.name);
      return list;
    };
    EXPECT_EQ(names(scan.packages), machine.packages) << machine.machine;
    EXPECT_EQ(names(scan.dram), machine.dram) << machine.machine;
    EXPECT_EQ(names(scan.psys), machine.psys) << machine.machine;
  }
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
