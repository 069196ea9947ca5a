#include "meter/sharing/node_split.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace ebb::meter {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

const Time kBegin = *ParseTime("2026-05-06T10:00Z");

core::EnergyReading Reading(const std::string& device, core::Component component, Interval wall,
                            std::int64_t microjoules) {
  return {device, component, core::EnergySource::kCounter, wall, Energy::Microjoules(microjoules)};
}

const core::DeviceEnergy& DeviceOf(const core::NodeRecord& record, const char* name) {
  for (const core::DeviceEnergy& device : record.devices)
    if (device.device == name) return device;
  throw std::out_of_range(name);
}

std::int64_t OfPod(const core::DeviceEnergy& device, const std::string& pod) {
  for (const core::PodEnergy& part : device.pods)
    if (part.pod == pod) return part.energy.microjoules();
  return 0;
}

PodsInterval Busy(Interval wall, std::map<std::string, double> cpu_s, double busy_s) {
  PodsInterval interval;
  interval.wall = wall;
  interval.cpu_s = std::move(cpu_s);
  interval.busy_s = busy_s;
  return interval;
}

Interval From(int begin, int end) { return {kBegin + seconds{begin}, kBegin + seconds{end}}; }

TEST(NodeSplit, PodsHaveWhatWasNotIdleByTheirCpuTime) {
  NodeSplit split;
  split.Use(Busy(From(0, 2), {{"a", 1.0}, {"b", 0.5}}, 2.0));
  split.Add({Reading("idle:cpu", core::Component::kCpu, From(0, 2), 300),
             Reading("unattributed:cpu", core::Component::kCpu, From(0, 2), 1000)});
  const core::NodeRecord record = split.Take();
  const core::DeviceEnergy& cpu = DeviceOf(record, "cpu");
  EXPECT_EQ(OfPod(cpu, "a"), 500);
  EXPECT_EQ(OfPod(cpu, "b"), 250);
  EXPECT_EQ(cpu.unattributed.microjoules(), 250);
  EXPECT_EQ(cpu.idle.microjoules(), 300);
  EXPECT_TRUE(split.Take().devices.empty());
}

TEST(NodeSplit, PodsThatCountMoreThanTheNodeShareAllOfIt) {
  NodeSplit split;
  split.Use(Busy(From(0, 2), {{"a", 3.0}, {"b", 1.0}}, 2.0));  // the kernel's clocks differ
  split.Add({Reading("unattributed:cpu", core::Component::kCpu, From(0, 2), 1000)});
  const core::NodeRecord record = split.Take();
  EXPECT_EQ(OfPod(record.devices.front(), "a"), 750);
  EXPECT_EQ(OfPod(record.devices.front(), "b"), 250);
}

TEST(NodeSplit, AReadingThatCoversMoreIsDividedByAllOfIt) {
  NodeSplit split;
  split.Use(Busy(From(0, 2), {{"a", 2.0}}, 2.0));
  split.Use(Busy(From(2, 4), {{"b", 2.0}}, 2.0));  // its counter could not be read before
  split.Add({Reading("unattributed:cpu", core::Component::kCpu, From(0, 4), 1000)});
  const core::NodeRecord record = split.Take();
  EXPECT_EQ(OfPod(record.devices.front(), "a"), 500);
  EXPECT_EQ(OfPod(record.devices.front(), "b"), 500);
}

TEST(NodeSplit, AGpuIsOfThePodsThatUseIt) {
  NodeSplit split;
  PodsInterval interval;
  interval.wall = From(0, 2);
  AddHolders({{"gpu:1", {{"a", 1}}}, {"gpu:2", {{"a", 0.5}, {"b", 0.5}}}},
             {{"gpu:1", {{"a", 1}}}, {"gpu:2", {{"a", 0.5}, {"b", 0.5}}}, {"gpu:3", {{"c", 1}}}},
             interval);
  split.Use(interval);
  for (const char* gpu : {"idle:gpu:1", "idle:gpu:2", "idle:gpu:3", "idle:gpu:4"})
    split.Add({Reading(gpu, core::Component::kGpu, From(0, 2), 1000)});
  const core::NodeRecord record = split.Take();
  EXPECT_EQ(OfPod(DeviceOf(record, "gpu:1"), "a"), 1000);
  EXPECT_EQ(OfPod(DeviceOf(record, "gpu:2"), "b"), 500);
  EXPECT_TRUE(DeviceOf(record, "gpu:2").pods.front().shared);
  EXPECT_EQ(OfPod(DeviceOf(record, "gpu:3"), "c"), 500);  // seen at the end only
  EXPECT_EQ(DeviceOf(record, "gpu:3").idle.microjoules(), 500);
  EXPECT_EQ(DeviceOf(record, "gpu:4").idle.microjoules(), 1000);
}

PodsUse Use(std::map<std::string, int> milliseconds_of, int all) {
  PodsUse use;
  for (const auto& [pod, time] : milliseconds_of) use.pods[pod] = {milliseconds{time}, 1000.0};
  use.cpu_time = milliseconds{all};
  return use;
}

TEST(Between, APodThatIsGoneHasWhatItsClassCountedBeyondTheOthers) {
  const PodsInterval first =
      Between(Use({{"a", 0}, {"b", 0}}, 0), Use({{"a", 300}, {"b", 100}}, 400), {}, From(0, 1));
  EXPECT_DOUBLE_EQ(first.cpu_s.at("a"), 0.3);
  const PodsInterval second =
      Between(Use({{"a", 300}, {"b", 100}}, 400), Use({{"b", 150}}, 650), first, From(1, 2));
  EXPECT_DOUBLE_EQ(second.cpu_s.at("a"), 0.2);
  EXPECT_DOUBLE_EQ(second.cpu_s.at("b"), 0.05);
  EXPECT_EQ(second.lost_cpu_s, 0);
  EXPECT_DOUBLE_EQ(second.memory_byte_s.at("a"), 500);
}

TEST(Between, SeveralThatAreGoneShareItAsTheyDidBefore) {
  const PodsInterval first =
      Between(Use({{"a", 0}, {"b", 0}}, 0), Use({{"a", 300}, {"b", 100}}, 400), {}, From(0, 1));
  const PodsInterval second =
      Between(Use({{"a", 300}, {"b", 100}}, 400), Use({}, 600), first, From(1, 2));
  EXPECT_NEAR(second.cpu_s.at("a"), 0.15, 1e-9);
  EXPECT_NEAR(second.cpu_s.at("b"), 0.05, 1e-9);
}

TEST(Between, WhatBeganAndIsGoneBetweenTwoLooksIsSaid) {
  const PodsInterval interval = Between(Use({{"a", 0}}, 100), Use({{"a", 0}}, 350), {}, From(0, 1));
  EXPECT_NEAR(interval.lost_cpu_s, 0.25, 1e-9);
  EXPECT_FALSE(interval.cpu_s.contains("a"));
}

TEST(Between, ANewPodHasAllThatItsGroupCounted) {
  const PodsInterval interval = Between(Use({}, 0), Use({{"a", 700}}, 700), {}, From(0, 1));
  EXPECT_DOUBLE_EQ(interval.cpu_s.at("a"), 0.7);
}

// Law: whichever pods come and go, the parts of each device add up to its readings.
TEST(NodeSplit, PodsIdleAndUnattributedAreTheNodeToTheMicrojoule) {
  Random random(20261124);
  for (int round = 0; round < 300; ++round) {
    NodeSplit split;
    std::map<std::string, std::int64_t> read, told;
    PodsUse before = Use({}, 0);
    PodsInterval previous;
    GpuHolders holders;
    int all = 0, at = 0;
    const auto tell = [&](const core::NodeRecord& record) {
      for (const core::DeviceEnergy& device : record.devices) {
        told[device.device] += device.node().microjoules();
        EXPECT_GE(device.idle.microjoules(), 0);
        EXPECT_GE(device.unattributed.microjoules(), 0);
        for (const core::PodEnergy& pod : device.pods) EXPECT_GT(pod.energy.microjoules(), 0);
      }
    };
    for (int sample = 0; sample < 30; ++sample) {
      const int next = at + 1 + static_cast<int>(random.Below(3));
      std::map<std::string, int> times;
      for (const auto& [pod, use] : before.pods)
        if (random.Below(6) > 0)
          times[pod] = static_cast<int>(use.cpu_time / milliseconds{1}) +
                       static_cast<int>(random.Below(2000));
      if (random.Below(3) == 0)
        times["pod-" + std::to_string(sample)] = static_cast<int>(random.Below(900));
      all += static_cast<int>(random.Below(5000));
      const PodsUse now = Use(times, all);
      PodsInterval interval = Between(before, now, previous, From(at, next));
      GpuHolders held;
      for (const auto& [pod, use] : now.pods)
        if (random.Below(2) == 0) held["gpu:0"][pod] = 1 / static_cast<double>(now.pods.size());
      AddHolders(holders, held, interval);
      interval.busy_s = 4 * random.Uniform();
      interval.used_byte_s = 3000 * random.Uniform();
      previous = interval;
      split.Use(interval);
      for (const auto& [device, component] : {std::pair{"cpu", core::Component::kCpu},
                                              {"ram", core::Component::kRam},
                                              {"gpu:0", core::Component::kGpu}}) {
        if (random.Below(8) == 0) continue;  // not read
        for (const char* whose : {"idle:", "unattributed:"}) {
          if (component == core::Component::kGpu && std::string(whose) != "idle:") continue;
          const auto energy = static_cast<std::int64_t>(random.Below(1'000'000'000));
          read[device] += energy;
          split.Add({Reading(std::string(whose) + device, component, From(at, next), energy)});
        }
      }
      if (random.Below(4) == 0) tell(split.Take());
      before = now;
      holders = held;
      at = next;
    }
    tell(split.Take());
    EXPECT_EQ(told, read);
  }
}

TEST(NodeRecord, ReadsBackAsItWasWritten) {
  core::NodeRecord record;
  record.number = 7;
  record.wall = From(0, 30);
  record.devices.push_back(
      {"cpu:package-0",
       core::Component::kCpu,
       core::EnergySource::kCounter,
       From(0, 30),
       Energy::Microjoules(12),
       Energy::Microjoules(0),
       {{"0f6a", Energy::Microjoules(9), false}, {"1b2c", Energy::Microjoules(1), true}}});
  const std::string text = ToFieldText(record);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto back = FromFieldText<core::NodeRecord>(text, "test");
  ASSERT_TRUE(back) << back.error().Message();
  EXPECT_EQ(ToFieldText(*back), text);
  EXPECT_EQ(back->devices.front().node().microjoules(), 22);
  EXPECT_FALSE(FromFieldText<core::NodeRecord>("{\"number\":1}", "test"));
}

}  // namespace
}  // namespace ebb::meter
