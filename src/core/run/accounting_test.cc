#include "core/run/accounting.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/ledger/counterfactual.h"

namespace ebb::core {
namespace {

using std::chrono::minutes;

const Time kDay = *ParseTime("2023-05-01");
const SignalIdentity kZone{"Z", SignalKind::kAverage, Boundary::kLifecycle, "test"};

std::int64_t Between(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(high - low + 1)));
}

// A series of steps of any length and status, with gaps.
IntensitySeries RandomSeries(Random& random, Time begin, Time end) {
  std::vector<Sample> samples;
  while (begin < end) {
    const Duration length{Between(random, 1, 3'600'000)};
    const auto status = static_cast<SampleStatus>(Between(random, 0, 3));
    if (Between(random, 0, 9) > 0)
      samples.push_back({{begin, begin + length}, {random.Uniform(0, 900)}, status});
    begin += length;
  }
  return *IntensitySeries::Create(kZone, samples);
}

// Rows of one to eight ranks side by side, each with the values that were known at its end.
std::vector<LedgerRow> RandomLedger(Random& random, int ranks, Time begin, Time end) {
  std::vector<LedgerRow> rows;
  for (int rank = 1; rank <= ranks; ++rank) {
    for (const char* device : {"cpu:package-0", "gpu:GPU-1"}) {
      for (Time at = begin + Duration{Between(random, 0, rank == 1 ? 0 : 5000)}; at < end;) {
        const Interval wall{at, at + Duration{Between(random, 1, 1'800'000)}};
        const EnergyReading reading{device, Component::kCpu, EnergySource::kModel, wall,
                                    Energy::Microjoules(Between(random, 0, 1'000'000'000))};
        const IntensitySeries then = RandomSeries(random, wall.begin - minutes{60}, wall.end);
        for (const LedgerRow& row : MakeRows(reading, wall, rank, Pue{1.3}, then))
          rows.push_back(row);
        at = wall.end;
        // A program may use its last joules in an interval of length zero.
        if (Between(random, 0, 4) > 0) continue;
        EnergyReading last = reading;
        last.wall = {at, at};
        const auto here = IntensitySeries::Create(
            kZone, {{{at, at + minutes{1}}, {random.Uniform(0, 900)}, SampleStatus::kForecast}});
        for (const LedgerRow& row : MakeRows(last, last.wall, rank, Pue{1.3}, *here))
          rows.push_back(row);
      }
    }
  }
  return rows;
}

TEST(Accounting, AtOnceSavesNothingWhateverWasRevised) {
  Random random(13);
  int known = 0;
  for (int round = 0; round < 10'000; ++round) {
    const Time begin = kDay + Duration{Between(random, 0, 86'400'000)};
    const Time end = begin + Duration{Between(random, 1, 7'200'000)};
    const auto rows = RandomLedger(random, static_cast<int>(Between(random, 1, 8)), begin, end);
    const IntensitySeries version = RandomSeries(random, begin - minutes{90}, end + minutes{90});
    const IntensitySeries signal = AccountingSignal(version, rows);
    const auto revalued = Revalued(rows, signal);
    Time first = Time::max();
    for (const LedgerRow& row : rows) first = std::min(first, row.grid.begin);
    const LedgerTotals actual = Total(revalued);
    const Counterfactual at_once = RunAt(revalued, first, signal);
    ASSERT_EQ(at_once.emissions.grams, actual.emissions.grams) << round;
    ASSERT_EQ(at_once.energy_without_intensity, actual.energy_without_intensity);
    ASSERT_EQ(Total(rows).energy, actual.energy) << "to the microjoule";
    ASSERT_LE(actual.energy_without_intensity, Total(rows).energy_without_intensity)
        << "what was known stays known";
    known += actual.emissions.grams > 0 ? 1 : 0;
  }
  EXPECT_GT(known, 9000);
}

TEST(Accounting, ARevisionCountsAndWhatItDoesNotCoverStaysAsItWasKnown) {
  const auto hour = [](int index, double value, SampleStatus status = SampleStatus::kMeasured) {
    const Time begin = kDay + minutes{60 * index};
    return Sample{{begin, begin + minutes{60}}, {value}, status};
  };
  const auto then = IntensitySeries::Create(
      kZone, {hour(0, 400, SampleStatus::kEstimated), hour(1, 500, SampleStatus::kEstimated)});
  const Interval both{kDay, kDay + minutes{120}};
  const auto rows =
      MakeRows({"cpu", Component::kCpu, EnergySource::kModel, both, Energy::Joules(2 * 3.6e6)},
               both, 1, Pue{1}, *then);
  const auto version = IntensitySeries::Create(kZone, {hour(0, 100), hour(3, 50)});
  const IntensitySeries signal = AccountingSignal(*version, rows);
  ASSERT_EQ(signal.samples().size(), 3u);
  EXPECT_EQ(signal.samples()[0], hour(0, 100));
  EXPECT_EQ(signal.samples()[1], hour(1, 500, SampleStatus::kEstimated));
  EXPECT_EQ(signal.samples()[2], hour(3, 50));
  const auto revalued = Revalued(rows, signal);
  EXPECT_DOUBLE_EQ(Total(rows).emissions.grams, 900);
  EXPECT_DOUBLE_EQ(Total(revalued).emissions.grams, 600);
  EXPECT_EQ(revalued[0].intensity_status, SampleStatus::kMeasured);
}

}  // namespace
}  // namespace ebb::core
