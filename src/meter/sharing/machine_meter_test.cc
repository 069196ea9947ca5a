#include "meter/sharing/machine_meter.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/random.h"
#include "meter/cpu/rapl.h"
#include "meter/scratch_root_for_test.h"
#include "meter/sharing/machine_account.h"

namespace ebb::meter {
namespace {

using namespace std::chrono_literals;
using core::Component;

core::EnergyReading Reading(const std::string& device, Component component, std::int64_t uj) {
  return {device, component, core::EnergySource::kCounter, {}, Energy::Microjoules(uj)};
}

std::int64_t Sum(const MachineAccount::Split& split) {
  Energy sum = split.idle + split.unattributed;
  for (const auto& [program, energy] : split.programs) sum += energy;
  return sum.microjoules();
}

MachineGrowth Second(double busy, std::map<int, MachineGrowth::Program> programs) {
  MachineGrowth growth;
  growth.seconds = 1;
  growth.busy_cpu_seconds = busy;
  growth.used_bytes = 50;
  growth.programs = std::move(programs);
  return growth;
}

TEST(MachineAccount, AReadingIsSplitByAllTheTimeItCovers) {
  MachineAccount account({4, 100, {}, IdleRule::kApart});
  account.Join(1, {}, 0);
  account.Join(2, {}, 0);
  account.Add(Second(1, {{1, {1, 0}}, {2, {0, 0}}}));
  account.Add(Second(3, {{1, {1, 0}}, {2, {1, 0}}}));
  const auto split = account.Take(Reading("cpu:a", Component::kCpu, 4000));
  EXPECT_EQ(split.programs.at(1).microjoules(), 2000);
  EXPECT_EQ(split.programs.at(2).microjoules(), 1000);
  EXPECT_EQ(split.unattributed.microjoules(), 1000);
  account.Add(Second(2, {{1, {0, 0}}, {2, {2, 0}}}));
  EXPECT_EQ(account.Take(Reading("cpu:a", Component::kCpu, 500)).programs.at(2).microjoules(), 500);
  // Another device was not read in between: all three seconds count for it.
  EXPECT_EQ(account.Take(Reading("cpu:b", Component::kCpu, 600)).programs.at(1).microjoules(), 200);
}

TEST(MachineAccount, AProgramThatLeftLeavesItsPartToNobody) {
  MachineAccount account({1, 100, {}, IdleRule::kApart});
  account.Join(1, {{"gpu:x"}}, 0);
  account.Join(2, {}, 0);
  account.Add(Second(1, {{1, {0.5, 0}}, {2, {0.5, 0}}}));
  account.Leave(1);
  const auto split = account.Take(Reading("cpu", Component::kCpu, 1000));
  EXPECT_EQ(split.programs.size(), 1u);
  EXPECT_EQ(split.programs.at(2).microjoules(), 500);
  EXPECT_EQ(split.unattributed.microjoules(), 500);
  EXPECT_EQ(account.Take(Reading("gpu:x", Component::kGpu, 1000)).idle.microjoules(), 1000);
}

TEST(MachineAccount, AGpuHeldForHalfTheTimeIsChargedHalf) {
  MachineAccount account({1, 100, {}, IdleRule::kApart});
  account.Add(Second(0, {}));
  account.Join(1, {{"gpu:x"}}, 0);
  account.Add(Second(0, {{1, {}}}));
  const auto split = account.Take(Reading("gpu:x", Component::kGpu, 1000));
  EXPECT_EQ(split.programs.at(1).microjoules(), 500);
  EXPECT_EQ(split.idle.microjoules(), 500);
}

TEST(MachineAccount, WhoHoldsASliceHasAShare) {
  MachineAccount account({1, 100, {}, IdleRule::kApart});
  account.Join(1, {{"gpu:x", 0.25}}, 0);
  account.Join(2, {{"gpu:y"}}, 0);
  account.Add(Second(0, {{1, {}}, {2, {}}}));
  EXPECT_TRUE(account.Take(Reading("gpu:x", Component::kGpu, 1000)).divided);
  EXPECT_FALSE(account.Take(Reading("gpu:y", Component::kGpu, 1000)).divided);
}

TEST(MachineAccount, HoldersOfOneGpuShareByUse) {
  MachineAccount account({1, 100, {}, IdleRule::kApart});
  for (const int program : {1, 2}) account.Join(program, {{"gpu:x"}}, 0);
  account.Join(3, {}, 0);
  MachineGrowth growth =
      Second(0, {{1, {0, 0, {{"gpu:x", 30}}}}, {2, {0, 0, {{"gpu:x", 60}}}}, {3, {}}});
  growth.foreign_gpu_busy["gpu:x"] = 10;
  account.Add(growth);
  const auto split = account.Take(Reading("gpu:x", Component::kGpu, 1000));
  EXPECT_TRUE(split.shared);
  EXPECT_TRUE(split.divided);
  EXPECT_EQ(split.programs.at(1).microjoules(), 300);
  EXPECT_EQ(split.programs.at(2).microjoules(), 600);
  EXPECT_EQ(split.unattributed.microjoules(), 100);
  EXPECT_FALSE(split.programs.contains(3)) << "no reading of a GPU that it cannot see";
}

TEST(MachineAccount, AtRandomEverythingAddsUpToTheMachine) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    std::optional<double> idle_w;
    if (random.Below(2)) idle_w = random.Uniform(0, 50);
    MachineAccount account(
        {8, 1e11, idle_w, random.Below(2) ? IdleRule::kShare : IdleRule::kApart});
    std::vector<int> running;
    int last = 0;
    for (int step = 0; step < 400; ++step) {
      if (random.Below(10) == 0) {
        std::vector<GpuHolding> gpus;
        if (random.Below(2)) gpus.push_back({"gpu:0", random.Below(2) ? 1 : 2.0 / 7});
        account.Join(++last, gpus, random.Uniform(0, 0.4));
        running.push_back(last);
      }
      if (!running.empty() && random.Below(12) == 0) {
        account.Leave(running.back());
        running.pop_back();
      }
      MachineGrowth growth;
      growth.seconds = random.Uniform(0, 2);
      if (random.Below(9)) growth.busy_cpu_seconds = random.Uniform(0, 8) * growth.seconds;
      if (random.Below(9)) growth.used_bytes = random.Uniform(0, 1e11);
      for (const int program : running)
        growth.programs[program] = {random.Uniform(0, 2) * growth.seconds,
                                    random.Uniform(0, 2e10),
                                    {{"gpu:0", random.Uniform(0, 100)}}};
      if (random.Below(3)) growth.foreign_gpu_busy["gpu:0"] = random.Uniform(0, 50);
      account.Add(growth);
      for (const auto& [device, component] : {std::pair{"cpu:0", Component::kCpu},
                                              {"ram", Component::kRam},
                                              {"gpu:0", Component::kGpu}}) {
        if (random.Below(4) == 0) continue;  // could not be read
        const auto uj = static_cast<std::int64_t>(random.Below(400'000'000));
        ASSERT_EQ(Sum(account.Take(Reading(device, component, uj))), uj) << seed << " " << step;
      }
    }
  }
}

pid_t BusyChild() {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  for (;;) ::getppid();
}

// Three programs that work, counters that a test drives, and the real /proc.
TEST(MachineMeter, ProgramsIdleAndUnattributedAreTheCountersToTheMicrojoule) {
  ScratchRoot rapl;
  const auto set = [&](const std::string& zone, std::int64_t uj) {
    rapl.Write(zone + "/energy_uj", std::to_string(uj));
  };
  for (const std::string zone : {"intel-rapl:0", "intel-rapl:1"}) {
    rapl.Write(zone + "/name", zone.ends_with("0") ? "package-0" : "package-1");
    rapl.Write(zone + "/max_energy_range_uj", "262143328850");
    set(zone, 1'000'000);
  }
  std::vector<std::unique_ptr<Meter>> meters;
  meters.push_back(std::make_unique<RaplMeter>(
      ScanRapl(rapl.path()).packages,
      RaplMeter::Options{Component::kCpu, core::MeterScope::kMachine, 0}));
  std::map<std::string, std::int64_t> sums_uj;  // of program, idle and unattributed
  const auto add = [&](const std::string& whose, const std::vector<core::EnergyReading>& readings) {
    for (const auto& reading : readings) sums_uj[whose] += reading.energy.microjoules();
  };
  MachineMeterOptions options;
  options.interval = Duration{20};
  MachineMeter meter(std::move(meters), options, [&](std::vector<core::EnergyReading> readings) {
    for (const auto& reading : readings)
      add(reading.device.substr(0, reading.device.find(':')), {reading});
  });
  std::map<int, pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t pid = BusyChild();
    const int number = meter.Join({pid, nullptr, {}, 0}, [&, i](auto readings) {
      add("program " + std::to_string(i), readings);
    });
    children[number] = pid;
  }
  std::int64_t value_uj = 1'000'000;
  for (int i = 0; i < 25; ++i) {
    value_uj += 777'777 + i;
    set("intel-rapl:0", value_uj);
    set("intel-rapl:1", 3 * value_uj);
    std::this_thread::sleep_for(20ms);
  }
  for (const auto& [number, pid] : children) {
    ::kill(pid, SIGKILL);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
    const SamplerSummary summary = meter.Leave(number);
    EXPECT_GT(summary.mean.tree_cpu_percent, 0);
    ::waitpid(pid, nullptr, 0);
  }
  const MachineTotals totals = meter.totals();
  EXPECT_EQ(totals.machine.microjoules(), (value_uj - 1'000'000) + (3 * value_uj - 1'000'000));
  EXPECT_EQ(totals.programs + totals.idle + totals.unattributed, totals.machine);
  std::int64_t sum_uj = 0;
  for (const auto& [whose, uj] : sums_uj) sum_uj += uj;
  EXPECT_EQ(sum_uj, totals.machine.microjoules());
  for (int i = 0; i < 3; ++i) EXPECT_GT(sums_uj["program " + std::to_string(i)], 0);
}

TEST(MachineMeter, CanBeUsedAgainAndWithoutAProgramMeasuresNothing) {
  std::vector<std::unique_ptr<Meter>> none;
  MachineMeter meter(std::move(none), {}, [](auto) {});
  meter.Mark();
  for (int round = 0; round < 2; ++round) {
    const pid_t pid = BusyChild();
    const int number = meter.Join({pid, nullptr, {}, 0}, [](auto) {});
    meter.Mark();
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    meter.Leave(number);
    meter.Leave(number);
  }
  EXPECT_EQ(meter.totals().machine, Energy{});
}

}  // namespace
}  // namespace ebb::meter
