#include "meter/sharing/idle_meter.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace ebb::meter {
namespace {

using namespace std::chrono_literals;
using core::Component;

// A meter whose readings the test sets.
struct ToldMeter final : Meter {
  std::string Description() const override { return "told"; }
  void Start(Instant) override {}
  std::vector<core::EnergyReading> Sample(const IntervalUsage&) override {
    return std::exchange(next, {});
  }
  void Read(const std::string& device, Component component, std::int64_t uj) {
    next.push_back({device, component, core::EnergySource::kCounter, {}, Energy::Microjoules(uj)});
  }
  std::vector<core::EnergyReading> next;
};

class IdleMeterTest : public ::testing::Test {
 protected:
  void Make(IdleRule rule) {
    auto told = std::make_unique<ToldMeter>();
    told_ = told.get();
    meter_.emplace(std::move(told), rule);
    meter_->Start(now_);
  }
  // Readings of a machine with two processors, by device name.
  std::map<std::string, std::int64_t> Sample(std::optional<double> busy_seconds,
                                             std::optional<double> used_bytes = 600,
                                             Instant length = 1s) {
    IntervalUsage usage;
    usage.begin = now_;
    usage.end = now_ += length;
    usage.logical_processors = 2;
    if (busy_seconds)
      usage.machine_busy = std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::duration<double>(*busy_seconds));
    usage.tree_resident_bytes = used_bytes;
    std::map<std::string, std::int64_t> parts;
    for (const auto& part : meter_->Sample(usage)) parts[part.device] += part.energy.microjoules();
    return parts;
  }
  using Parts = std::map<std::string, std::int64_t>;

  Instant now_{1h};
  ToldMeter* told_ = nullptr;
  std::optional<IdleMeter> meter_;
};

TEST_F(IdleMeterTest, WithoutIdlePowerOnlyAMachineThatDoesNothingIsIdle) {
  Make({});
  told_->Read("cpu", Component::kCpu, 80);
  EXPECT_EQ(Sample(1), (Parts{{"unattributed:cpu", 80}}));
  told_->Read("cpu", Component::kCpu, 50);
  EXPECT_EQ(Sample(0), (Parts{{"idle:cpu", 50}}));
  told_->Read("cpu", Component::kCpu, 50);
  EXPECT_EQ(Sample({}), (Parts{{"unattributed:cpu", 50}})) << "nobody knows how busy it was";
}

TEST_F(IdleMeterTest, KnownIdlePowerOfTheIdlePartIsIdle) {
  Make({.cpu_idle_w = 20e-6});
  told_->Read("cpu", Component::kCpu, 80);
  EXPECT_EQ(Sample(1), (Parts{{"idle:cpu", 10}, {"unattributed:cpu", 70}}))
      << "one of two processors did nothing";
  told_->Read("cpu", Component::kCpu, 3);
  EXPECT_EQ(Sample(1), (Parts{{"idle:cpu", 3}})) << "never more than there is";
}

TEST_F(IdleMeterTest, FreeMemoryIsIdle) {
  Make({.memory_bytes = 1000});
  told_->Read("ram", Component::kRam, 10);
  EXPECT_EQ(Sample(1), (Parts{{"idle:ram", 4}, {"unattributed:ram", 6}}));
  told_->Read("ram", Component::kRam, 10);
  EXPECT_EQ(Sample(1, {}), (Parts{{"unattributed:ram", 10}}));
  Make({});
  told_->Read("ram", Component::kRam, 10);
  EXPECT_EQ(Sample(1), (Parts{{"unattributed:ram", 10}}));
}

TEST_F(IdleMeterTest, AGpuIsIdleForAllThatIsKnownHere) {
  Make({});
  told_->Read("gpu:x", Component::kGpu, 10);
  EXPECT_EQ(Sample(2), (Parts{{"idle:gpu:x", 10}}));
}

TEST_F(IdleMeterTest, AReadingIsSplitByAllTheTimeItCovers) {
  Make({.cpu_idle_w = 20e-6, .memory_bytes = 1000});
  told_->Read("ram", Component::kRam, 10);
  Sample(0, 1000);
  told_->Read("cpu", Component::kCpu, 100);
  told_->Read("ram", Component::kRam, 10);
  EXPECT_EQ(
      Sample(4, 500, 3s),
      (Parts{{"idle:cpu", 40}, {"unattributed:cpu", 60}, {"idle:ram", 5}, {"unattributed:ram", 5}}))
      << "four of eight seconds of the processors; of the memory the last three";
}

TEST_F(IdleMeterTest, AtRandomEverythingAddsUpToTheMachine) {
  Random random(11);
  for (int round = 0; round < 2000; ++round) {
    IdleRule rule;
    if (random.Below(2)) rule.cpu_idle_w = random.Uniform(0, 500);
    if (random.Below(8)) rule.memory_bytes = 1e11;
    Make(rule);
    std::int64_t whole = 0, parts = 0;
    for (int step = 0; step < 20; ++step) {
      for (const auto& [device, component] : {std::pair{"cpu:0", Component::kCpu},
                                              {"ram", Component::kRam},
                                              {"gpu:0", Component::kGpu}}) {
        if (random.Below(4) == 0) continue;  // could not be read
        const auto uj = static_cast<std::int64_t>(random.Below(1'000'000'000'000));
        told_->Read(device, component, uj);
        whole += uj;
      }
      const Instant length{random.Below(20) ? random.Below(3'000'000'000) : 0};
      std::optional<double> busy, used;
      if (random.Below(8)) busy = random.Uniform(0, 3) * static_cast<double>(length.count()) / 1e9;
      if (random.Below(8)) used = random.Uniform(0, 2e11);
      for (const auto& [device, uj] : Sample(busy, used, length)) {
        ASSERT_GE(uj, 0) << device;
        parts += uj;
      }
      ASSERT_EQ(parts, whole) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace ebb::meter
