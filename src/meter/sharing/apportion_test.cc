#include "meter/sharing/apportion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace ebb::meter {
namespace {

using core::Component;

std::int64_t Sum(const Apportioned& parts) {
  Energy sum = parts.idle + parts.unattributed;
  for (const Energy job : parts.jobs) sum += job;
  return sum.microjoules();
}

MachineUse TwoCores(double busy_cpu_seconds) {
  MachineUse machine;
  machine.seconds = 1;
  machine.logical_processors = 2;
  machine.busy_cpu_seconds = busy_cpu_seconds;
  machine.total_bytes = 1000;
  machine.used_bytes = 600;
  return machine;
}

TEST(SplitExactly, GivesTheLargestRemaindersTheRest) {
  const auto parts = SplitExactly(Energy::Microjoules(10), std::vector<double>{1, 1, 1});
  EXPECT_EQ(parts[0].microjoules() + parts[1].microjoules() + parts[2].microjoules(), 10);
  EXPECT_EQ(parts[0].microjoules(), 4);
  const auto uneven = SplitExactly(Energy::Microjoules(10), std::vector<double>{0.56, 0.44, 0});
  EXPECT_EQ(uneven[0].microjoules(), 6);
  EXPECT_EQ(uneven[1].microjoules(), 4);
  EXPECT_EQ(uneven[2].microjoules(), 0);
  EXPECT_EQ(SplitExactly(Energy::Microjoules(5), std::vector<double>{0, 0})[0], Energy{});
}

TEST(SplitExactly, AddsUpAndStaysWithinAMicrojouleOfWhatIsDue) {
  Random random(7);
  for (int round = 0; round < 3000; ++round) {
    const Energy total =
        Energy::Microjoules(static_cast<std::int64_t>(std::pow(10, random.Uniform(0, 15))));
    std::vector<double> weights(1 + random.Below(9));
    double sum = 0;
    for (double& weight : weights)
      sum += weight = random.Below(4) == 0 ? 0 : std::pow(10, random.Uniform(-9, 9));
    const auto parts = SplitExactly(total, weights);
    std::int64_t got = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      got += parts[i].microjoules();
      EXPECT_GE(parts[i].microjoules(), 0);
      const double due = static_cast<double>(total.microjoules()) * weights[i] / sum;
      if (sum > 0) {
        EXPECT_NEAR(static_cast<double>(parts[i].microjoules()), due, 1 + 1e-12 * due);
      }
      if (weights[i] == 0) {
        EXPECT_EQ(parts[i], Energy{});
      }
    }
    EXPECT_EQ(got, sum > 0 ? total.microjoules() : 0);
  }
}

TEST(Apportion, CpuGoesByCpuTimeOfTheBusyTime) {
  const std::vector<JobUse> jobs{{.cpu_seconds = 0.5}, {.cpu_seconds = 0.25}};
  const auto parts =
      Apportion(Energy::Joules(80), Component::kCpu, TwoCores(1), jobs, IdleRule::kApart);
  EXPECT_EQ(parts.jobs[0], Energy::Joules(40));
  EXPECT_EQ(parts.jobs[1], Energy::Joules(20));
  EXPECT_EQ(parts.unattributed, Energy::Joules(20));
  EXPECT_EQ(parts.idle, Energy{}) << "idle power is not known: what runs pays for it";
}

TEST(Apportion, KnownIdlePowerOfTheIdlePartIsIdle) {
  MachineUse machine = TwoCores(1);
  machine.cpu_idle_w = 20;
  const std::vector<JobUse> jobs{{.cpu_seconds = 0.5, .reserved = 0.5}};
  auto parts = Apportion(Energy::Joules(80), Component::kCpu, machine, jobs, IdleRule::kApart);
  EXPECT_EQ(parts.idle, Energy::Joules(10)) << "one of two cores did nothing";
  EXPECT_EQ(parts.jobs[0], Energy::Joules(35));
  EXPECT_EQ(parts.unattributed, Energy::Joules(35));
  parts = Apportion(Energy::Joules(80), Component::kCpu, machine, jobs, IdleRule::kShare);
  EXPECT_EQ(parts.idle, Energy::Joules(5));
  EXPECT_EQ(parts.jobs[0], Energy::Joules(40));
}

// The model's figures for a process tree (cpu_model.h) and these are the same.
TEST(Apportion, AgreesWithTheModelOfAProcessTree) {
  const double tdp_w = 100, load = 0.6, job_load = 0.25;
  MachineUse machine = TwoCores(2 * load);
  machine.cpu_idle_w = 0.1 * tdp_w;
  const std::vector<JobUse> jobs{{.cpu_seconds = 2 * job_load}};
  const auto parts = Apportion(Energy::Joules(tdp_w * (0.1 + 0.9 * load)), Component::kCpu, machine,
                               jobs, IdleRule::kApart);
  EXPECT_NEAR(parts.jobs[0].joules(), tdp_w * job_load, 1e-6);
  EXPECT_NEAR(parts.idle.joules(), 0.1 * tdp_w * (1 - load), 1e-6);
}

TEST(Apportion, WhenNothingRanAllIsIdleAndWhenNothingIsKnownUnattributed) {
  const std::vector<JobUse> jobs{{}, {}};
  EXPECT_EQ(Apportion(Energy::Joules(5), Component::kCpu, TwoCores(0), jobs, IdleRule::kApart).idle,
            Energy::Joules(5));
  MachineUse blind = TwoCores(0);
  blind.busy_cpu_seconds.reset();
  EXPECT_EQ(
      Apportion(Energy::Joules(5), Component::kCpu, blind, jobs, IdleRule::kShare).unattributed,
      Energy::Joules(5));
}

TEST(Apportion, MemoryGoesByResidentSize) {
  const std::vector<JobUse> jobs{{.resident_bytes = 100}, {.resident_bytes = 200}};
  const auto parts =
      Apportion(Energy::Joules(10), Component::kRam, TwoCores(1), jobs, IdleRule::kApart);
  EXPECT_EQ(parts.jobs[0], Energy::Joules(1));
  EXPECT_EQ(parts.jobs[1], Energy::Joules(2));
  EXPECT_EQ(parts.unattributed, Energy::Joules(3));
  EXPECT_EQ(parts.idle, Energy::Joules(4));
}

TEST(Apportion, AGpuGoesToThoseThatHoldIt) {
  const auto split = [](const MachineUse& machine, const std::vector<JobUse>& jobs) {
    return Apportion(Energy::Joules(100), Component::kGpu, machine, jobs, IdleRule::kApart);
  };
  EXPECT_EQ(split({}, {{.held = 1}, {}}).jobs[0], Energy::Joules(100)) << "one has it whole";
  EXPECT_EQ(split({}, {{}, {}}).idle, Energy::Joules(100)) << "nobody has it";
  EXPECT_EQ(split({.foreign_busy = 5}, {{}}).unattributed, Energy::Joules(100));
  const auto slices = split({.sliced = true}, {{.held = 0.25}, {.held = 0.5}});
  EXPECT_EQ(slices.jobs[1], Energy::Joules(50));
  EXPECT_EQ(slices.unattributed, Energy::Joules(25));
  const auto unknown = split({}, {{.held = 1}, {.held = 1}});
  EXPECT_EQ(unknown.jobs[0], Energy::Joules(50)) << "in equal parts where nothing says who used it";
  const auto shared = split({.busy_known = true, .foreign_busy = 20},
                            {{.held = 1, .busy = 60}, {.held = 1, .busy = 20}});
  EXPECT_EQ(shared.jobs[0], Energy::Joules(60));
  EXPECT_EQ(shared.jobs[1], Energy::Joules(20));
  EXPECT_EQ(shared.unattributed, Energy::Joules(20));
  const auto quiet = split({.busy_known = true}, {{.held = 1}, {.held = 1}});
  EXPECT_EQ(quiet.jobs[1], Energy::Joules(50)) << "idle, and theirs";
}

TEST(Apportion, JobsIdleAndUnattributedAreTheWhole) {
  Random random(11);
  for (int round = 0; round < 20'000; ++round) {
    MachineUse machine;
    machine.seconds = random.Below(20) == 0 ? 0 : std::pow(10, random.Uniform(-3, 3));
    machine.logical_processors = 1 + static_cast<int>(random.Below(256));
    if (random.Below(8)) machine.busy_cpu_seconds = random.Uniform(0, 2) * machine.seconds;
    if (random.Below(8)) machine.used_bytes = random.Uniform(0, 2e11);
    machine.total_bytes = random.Below(8) ? 1e11 : 0;
    if (random.Below(2)) machine.cpu_idle_w = random.Uniform(0, 500);
    machine.busy_known = random.Below(2);
    machine.foreign_busy = random.Below(3) ? 0 : random.Uniform(0, 100);
    machine.sliced = random.Below(2);
    std::vector<JobUse> jobs(random.Below(6));
    for (JobUse& job : jobs) {
      job.cpu_seconds = random.Below(3) ? random.Uniform(0, 1) * machine.seconds : 0;
      job.resident_bytes = random.Uniform(0, 5e10);
      job.held = random.Below(2) ? 1 : random.Uniform();
      job.busy = random.Below(2) ? random.Uniform(0, 100) : 0;
      job.reserved = random.Uniform();
    }
    const Energy energy =
        Energy::Microjoules(static_cast<std::int64_t>(random.Below(1'000'000'000'000)));
    for (const Component component : {Component::kCpu, Component::kRam, Component::kGpu}) {
      for (const IdleRule rule : {IdleRule::kApart, IdleRule::kShare}) {
        const auto parts = Apportion(energy, component, machine, jobs, rule);
        ASSERT_EQ(Sum(parts), energy.microjoules()) << "round " << round;
        ASSERT_GE(parts.idle, Energy{});
        ASSERT_GE(parts.unattributed, Energy{});
        for (const Energy job : parts.jobs) ASSERT_GE(job, Energy{});
      }
    }
  }
}

}  // namespace
}  // namespace ebb::meter
