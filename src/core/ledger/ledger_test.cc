#include "core/ledger/ledger.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/random.h"

namespace ebb::core {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

const Time kDay = *ParseTime("2023-05-01");
const SignalIdentity kZone{"Z", SignalKind::kAverage, Boundary::kLifecycle, "test"};

// A random signal with gaps and random back-to-back readings over it, all on whole seconds.
struct Case {
  IntensitySeries signal;
  std::vector<EnergyReading> readings;
  double pue;
};

Case RandomCase(std::uint64_t seed) {
  Random random(seed);
  std::vector<Sample> samples;
  Time at = kDay;
  while (at < kDay + hours{2}) {
    const Time end = at + seconds{60 + random.Below(1200)};
    if (random.Uniform() > 0.2)
      samples.push_back({{at, end}, {random.Uniform(0, 600)}, SampleStatus::kMeasured});
    at = end;
  }
  Case result{*IntensitySeries::Create(kZone, samples), {}, random.Uniform(1.0, 1.6)};
  for (Time begin = kDay; begin < kDay + hours{2};) {
    const Time end = begin + seconds{1 + random.Below(900)};
    const Interval wall{begin, end};
    result.readings.push_back({"cpu:package-0", Component::kCpu, EnergySource::kModel, wall,
                               Energy::Joules(random.Uniform(0, 200) * Seconds(wall.length()))});
    begin = end;
  }
  return result;
}

std::vector<LedgerRow> Rows(const Case& c) {
  std::vector<LedgerRow> rows;
  for (const EnergyReading& reading : c.readings)
    for (const LedgerRow& row : MakeRows(reading, reading.wall, 1, Pue{c.pue}, c.signal))
      rows.push_back(row);
  return rows;
}

TEST(Ledger, EmissionsEqualBruteForceAtOneSecond) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Case c = RandomCase(seed);
    double grams = 0;
    for (const EnergyReading& reading : c.readings) {
      const double joules_per_second = reading.energy.joules() / Seconds(reading.wall.length());
      for (Time t = reading.wall.begin; t < reading.wall.end; t += seconds{1}) {
        if (const Sample* sample = c.signal.At(t))
          grams += joules_per_second / 3.6e6 * c.pue * sample->intensity.g_per_kwh;
      }
    }
    EXPECT_NEAR(Total(Rows(c)).emissions.grams, grams, 1e-6 * grams + 1e-9) << "seed " << seed;
  }
}

TEST(Ledger, ASecondSignalIsAccountedBesideTheFirstAndLikeItAlone) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Case c = RandomCase(seed);
    const SignalIdentity marginal{"Z", SignalKind::kMarginal, Boundary::kDirect, "test"};
    const Case second = RandomCase(seed + 1000);
    const auto other = *IntensitySeries::Create(marginal, second.signal.samples());
    std::vector<LedgerRow> both, alone;
    for (const EnergyReading& reading : c.readings) {
      for (const LedgerRow& row : MakeRows(reading, reading.wall, 1, Pue{c.pue}, c.signal, &other))
        both.push_back(row);
      for (const LedgerRow& row : MakeRows(reading, reading.wall, 1, Pue{c.pue}, other))
        alone.push_back(row);
    }
    const auto on_other = OnOtherSignal(both);
    EXPECT_EQ(Total(both).energy, Total(Rows(c)).energy);
    EXPECT_EQ(Total(on_other).energy, Total(alone).energy);
    // There are more cuts, each rounded down to a microjoule.
    const double grams_per_row = 600 / 3.6e12 * c.pue;
    const double tolerance = grams_per_row * static_cast<double>(both.size()) + 1e-12;
    EXPECT_NEAR(Total(both).emissions.grams, Total(Rows(c)).emissions.grams, tolerance);
    EXPECT_NEAR(Total(on_other).emissions.grams, Total(alone).emissions.grams, tolerance);
    for (const LedgerRow& row : on_other) EXPECT_EQ(row.signal_kind, SignalKind::kMarginal);
  }
  EXPECT_TRUE(OnOtherSignal(Rows(RandomCase(1))).empty()) << "one signal only";
}

TEST(Ledger, SplittingAReadingKeepsItsEnergyToTheMicrojoule) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Case c = RandomCase(seed);
    Energy measured;
    for (const EnergyReading& reading : c.readings) measured += reading.energy;
    EXPECT_EQ(Total(Rows(c)).energy, measured) << "seed " << seed;
  }
}

TEST(Ledger, ScalingTheSignalScalesEmissionsAndNothingElse) {
  const Case c = RandomCase(3);
  std::vector<Sample> doubled = c.signal.samples();
  for (Sample& sample : doubled) sample.intensity.g_per_kwh *= 2;
  Case twice = c;
  twice.signal = *IntensitySeries::Create(kZone, doubled);
  EXPECT_DOUBLE_EQ(Total(Rows(twice)).emissions.grams, 2 * Total(Rows(c)).emissions.grams);
  EXPECT_EQ(Total(Rows(twice)).energy, Total(Rows(c)).energy);
}

TEST(Ledger, EnergyWithoutIntensityIsKeptAndNotCountedAsClean) {
  const IntensitySeries nothing = *IntensitySeries::Create(kZone, {});
  const EnergyReading reading{
      "ram", Component::kRam, EnergySource::kModel, {kDay, kDay + seconds{10}}, Energy::Joules(50)};
  const LedgerTotals totals = Total(MakeRows(reading, reading.wall, 1, Pue{1}, nothing));
  EXPECT_EQ(totals.energy_without_intensity, Energy::Joules(50));
  EXPECT_EQ(totals.emissions.grams, 0);
  EXPECT_FALSE(totals.MeanIntensity());
}

TEST(Ledger, AFasterGridClockSpreadsTheSameEnergyOverMoreHours) {
  const IntensitySeries signal = *IntensitySeries::Create(
      kZone, {{{kDay, kDay + hours{1}}, {100}, SampleStatus::kMeasured},
              {{kDay + hours{1}, kDay + hours{2}}, {300}, SampleStatus::kMeasured}});
  const EnergyReading reading{"cpu",
                              Component::kCpu,
                              EnergySource::kModel,
                              {kDay, kDay + seconds{120}},
                              Energy::Joules(3.6e6)};
  const auto rows = MakeRows(reading, {kDay, kDay + hours{2}}, 1, Pue{1}, signal);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].wall.end, kDay + seconds{60});
  EXPECT_DOUBLE_EQ(Total(rows).emissions.grams, 200);
  EXPECT_DOUBLE_EQ(Total(rows).MeanIntensity()->g_per_kwh, 200);
}

TEST(Ledger, SharesOfAPartitionAddUpExactly) {
  Random random(11);
  const Interval whole{kDay, kDay + seconds{100}};
  const Energy energy = Energy::Microjoules(1'000'003);
  Energy sum;
  for (Time begin = whole.begin; begin < whole.end;) {
    const Time end = begin + Duration{1 + static_cast<int>(random.Below(9000))};
    sum += Share(energy, whole, {begin, end});
    begin = end;
  }
  EXPECT_EQ(sum, energy);
}

TEST(Ledger, TotalsWithinPartsAddUpToTheWhole) {
  const Case c = RandomCase(5);
  const auto rows = Rows(c);
  const Time middle = kDay + seconds{3333};
  const Energy first = TotalWithin(rows, {kDay, middle}).energy;
  const Energy second = TotalWithin(rows, {middle, kDay + hours{9}}).energy;
  EXPECT_EQ(first + second, Total(rows).energy);
}

}  // namespace
}  // namespace ebb::core
