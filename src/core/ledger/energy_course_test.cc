#include "core/ledger/energy_course.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/ledger/counterfactual.h"

namespace ebb::core {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const Time kDay = *ParseTime("2026-05-06T00:00Z");

IntensitySeries RandomSeries(Random& random) {
  std::vector<Sample> samples;
  for (Time at = kDay; at < kDay + hours{12};) {
    const Time end = at + minutes{5 + random.Below(90)};
    if (random.Below(12) > 0)
      samples.push_back({{at, end}, {random.Uniform(5, 900)}, SampleStatus::kMeasured});
    at = end;
  }
  return *IntensitySeries::Create({"Z", SignalKind::kAverage, Boundary::kLifecycle, ""}, samples);
}

// Readings of two devices in up to three attempts, some of them of an instant.
std::vector<LedgerRow> RandomRows(Random& random) {
  std::vector<LedgerRow> rows;
  Time at = kDay + minutes{random.Below(60)};
  for (int attempt = 1; attempt <= 1 + static_cast<int>(random.Below(3)); ++attempt) {
    for (int i = 0; i < 1 + static_cast<int>(random.Below(5)); ++i) {
      const Time end = at + seconds{random.Below(10) > 0 ? 1 + random.Below(2000) : 0};
      for (const char* device : {"cpu", "gpu:GPU-1"}) {
        LedgerRow row;
        row.attempt = attempt;
        row.device = device;
        row.wall = row.grid = {at, end};
        row.energy = Energy::Joules(random.Uniform(1, 1e6));
        rows.push_back(row);
      }
      at = end;
    }
    at += minutes{random.Below(40)};
  }
  return rows;
}

TEST(EnergyCourse, GivesWhatTheMovedRowsEmit) {
  int known = 0, unknown = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(SeedFor(3, seed));
    const IntensitySeries signal = RandomSeries(random);
    const std::vector<LedgerRow> rows = RandomRows(random);
    const EnergyCourse course(rows);
    for (int i = 0; i < 10; ++i) {
      const Time start = kDay + Duration{random.Below(8 * 3'600'000)};
      const Counterfactual expected = RunAt(rows, start, signal);
      const auto grams = course.At(start, signal);
      ASSERT_EQ(grams.has_value(), expected.energy_without_intensity == Energy{}) << seed;
      if (grams) {
        EXPECT_NEAR(grams->grams, expected.emissions.grams, 1e-9 * expected.emissions.grams + 1e-9);
      }
      ++(grams ? known : unknown);
    }
  }
  EXPECT_GT(known, 500);
  EXPECT_GT(unknown, 100);
}

TEST(EnergyCourse, TheLengthHasNoPauses) {
  LedgerRow first, second;
  first.energy = second.energy = Energy::Joules(3.6e6);
  first.grid = first.wall = {kDay, kDay + hours{1}};
  second.attempt = 2;
  second.grid = second.wall = {kDay + hours{5}, kDay + hours{7}};
  EXPECT_EQ(EnergyCourse({first, second}).length(), hours{3});
  EXPECT_EQ(EnergyCourse({}).length(), Duration{});
}

}  // namespace
}  // namespace ebb::core
