#include "meter/sampler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace ebb::meter {
namespace {

using namespace std::chrono_literals;

// Ten watts: energy is proportional to monotonic time, so gaps and overlaps show in the sum.
class TenWatts : public Meter {
 public:
  std::string Description() const override { return "cpu: ten watts"; }
  void Start(Instant now) override { begin_ = last_ = now; }
  std::vector<core::EnergyReading> Sample(const IntervalUsage& usage) override {
    EXPECT_EQ(usage.begin, last_) << "an interval begins where the previous one ended";
    EXPECT_GE(usage.end, usage.begin);
    last_ = usage.end;
    return {{"cpu", core::Component::kCpu, core::EnergySource::kModel, usage.wall,
             Energy::Microjoules((usage.end - usage.begin).count() / 100)}};
  }
  std::optional<std::chrono::nanoseconds> poll_interval() const override { return poll_interval_; }
  void Poll(Instant now) override {
    EXPECT_GE(now, last_);
    ++polls;
  }
  std::vector<DeviceUtilisation> utilisation() const override { return {{"gpu:GPU-1", 50}}; }
  std::vector<std::string> Gaps() const override { return {"cpu: a gap"}; }

  std::optional<std::chrono::nanoseconds> poll_interval_;
  std::atomic<int> polls = 0;

 private:
  Instant begin_{}, last_{};
};

struct Recording {
  std::vector<core::EnergyReading> readings;
  std::vector<Utilisation> utilisations;
  std::atomic<int> samples = 0;
  TenWatts* meter = nullptr;
};

// Waits until another thread has counted this far, however busy the machine is.
void WaitFor(const std::atomic<int>& counter, int value) {
  while (counter < value) std::this_thread::sleep_for(500us);
}

Sampler MakeSampler(Recording& recording, SamplerOptions options,
                    std::optional<std::chrono::nanoseconds> poll_interval = std::nullopt) {
  auto meter = std::make_unique<TenWatts>();
  meter->poll_interval_ = poll_interval;
  recording.meter = meter.get();
  std::vector<std::unique_ptr<Meter>> meters;
  meters.push_back(std::move(meter));
  return Sampler(std::move(meters), std::move(options),
                 [&recording](std::vector<core::EnergyReading> readings, Utilisation utilisation) {
                   for (auto& reading : readings) recording.readings.push_back(std::move(reading));
                   recording.utilisations.push_back(utilisation);
                   ++recording.samples;
                 });
}

// Waits until another thread has counted this far; false after ten seconds.
bool Reaches(const std::atomic<int>& counter, int value) {
  for (int left = 20'000; left > 0 && counter < value; --left) std::this_thread::sleep_for(500us);
  return counter >= value;
}

void ExpectSeamless(const Recording& recording, Time begin) {
  for (const core::EnergyReading& reading : recording.readings) {
    EXPECT_EQ(reading.wall.begin, begin);
    EXPECT_GE(reading.wall.end, reading.wall.begin);
    begin = reading.wall.end;
  }
}

TEST(Sampler, TakesALastPartialSampleAtStop) {
  Recording recording;
  Sampler sampler = MakeSampler(recording, {.interval = Duration{60'000}});
  sampler.Start({::getpid()});
  std::this_thread::sleep_for(3ms);
  const SamplerSummary summary = sampler.Stop();
  ASSERT_EQ(recording.readings.size(), 1u);
  EXPECT_GE(recording.readings[0].energy, Energy::Joules(0.030));
  EXPECT_EQ(summary.mean.wall, recording.readings[0].wall);
  EXPECT_DOUBLE_EQ(summary.mean.gpu_percent, 50);
  EXPECT_GT(summary.mean.ram_gb, 0);
}

TEST(Sampler, IntervalsShareTheirBoundaries) {
  Recording recording;
  const Time anchor = Time{Duration{1'700'000'000'000}};
  Sampler sampler =
      MakeSampler(recording, {.interval = Duration{2}, .wall_now = [anchor] { return anchor; }});
  sampler.Start({::getpid()});
  WaitFor(recording.samples, 4);
  sampler.Stop();
  ExpectSeamless(recording, anchor);
}

TEST(Sampler, AWallClockThatIsSetBackChangesNothing) {
  Recording recording;
  int calls = 0;
  const auto wall_now = [&calls] { return Time{Duration{calls++ == 0 ? 5'000'000 : 1}}; };
  Sampler sampler = MakeSampler(recording, {.interval = Duration{2}, .wall_now = wall_now});
  sampler.Start({::getpid()});
  WaitFor(recording.samples, 2);
  sampler.Stop();
  EXPECT_EQ(calls, 1);
  ExpectSeamless(recording, Time{Duration{5'000'000}});
}

TEST(Sampler, AMarkEndsTheIntervalAtOnce) {
  Recording recording;
  Sampler sampler = MakeSampler(recording, {.interval = Duration{60'000}});
  sampler.Start({::getpid()});
  std::this_thread::sleep_for(3ms);
  sampler.Mark();
  WaitFor(recording.samples, 1);
  sampler.Stop();
  ASSERT_EQ(recording.readings.size(), 2u);
  EXPECT_EQ(recording.readings[0].wall.end, recording.readings[1].wall.begin);
}

TEST(Sampler, ManyMarksLoseNoEnergy) {
  Recording recording;
  Sampler sampler = MakeSampler(recording, {.interval = Duration{1}});
  const auto before = std::chrono::steady_clock::now();
  sampler.Start({::getpid()});
  const auto started = std::chrono::steady_clock::now();
  for (int i = 0; i < 200; ++i) {
    sampler.Mark();
    std::this_thread::yield();
  }
  const auto stopping = std::chrono::steady_clock::now();
  sampler.Stop();
  const auto after = std::chrono::steady_clock::now();
  Energy sum;
  for (const auto& reading : recording.readings) sum += reading.energy;
  const auto count = static_cast<std::int64_t>(recording.readings.size());
  EXPECT_GE(sum.microjoules() + count, (stopping - started).count() / 100);
  EXPECT_LE(sum.microjoules(), (after - before).count() / 100);
}

TEST(Sampler, MetersArePolledBetweenSamples) {
  Recording recording;
  Sampler sampler = MakeSampler(recording, {.interval = Duration{60'000}}, 1ms);
  sampler.Start({::getpid()});
  WaitFor(recording.meter->polls, 3);
  const SamplerSummary summary = sampler.Stop();
  EXPECT_EQ(recording.readings.size(), 1u);
  EXPECT_EQ(summary.warnings, std::vector<std::string>{"cpu: a gap"});
}

TEST(Sampler, CanBeStartedAgainAndStoppedTwice) {
  Recording recording;
  Sampler sampler = MakeSampler(recording, {.interval = Duration{60'000}});
  EXPECT_TRUE(sampler.Stop().warnings.empty()) << "never started";
  sampler.Start({::getpid()});
  sampler.Stop();
  sampler.Stop();
  sampler.Start({::getpid()});
  sampler.Stop();
  EXPECT_EQ(recording.readings.size(), 2u);
}

TEST(Sampler, SaysWhenTheProcessWasGone) {
  Recording recording;
  Sampler sampler = MakeSampler(recording, {});
  sampler.Start({0x3fffffff});
  const SamplerSummary summary = sampler.Stop();
  ASSERT_FALSE(summary.warnings.empty());
  EXPECT_NE(summary.warnings[0].find("ended before"), std::string::npos);
}

TEST(Sampler, MachineScopeNeedsNoProcess) {
  Recording recording;
  Sampler sampler = MakeSampler(recording, {.scope = core::MeterScope::kMachine});
  sampler.Start({});
  const SamplerSummary summary = sampler.Stop();
  EXPECT_EQ(summary.warnings.size(), 1u) << "only the meter's own line";
  EXPECT_GT(summary.mean.ram_gb, 0);
}

// Most of these marks come in the same millisecond as the start. Each is answered at once
// nevertheless.
TEST(Sampler, AMarkRightAfterTheStartDoesNotWaitForTheNextInterval) {
  for (int start = 0; start < 200; ++start) {
    Recording recording;
    SamplerOptions options;
    options.interval = std::chrono::hours{1};
    Sampler sampler = MakeSampler(recording, options);
    sampler.Start({::getpid()});
    for (int mark = 1; mark <= 5; ++mark) {
      sampler.Mark();
      ASSERT_TRUE(Reaches(recording.samples, mark)) << "start " << start << ", mark " << mark;
    }
    sampler.Stop();
  }
}

}  // namespace
}  // namespace ebb::meter
