#include "service/accounting/day_use.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "service/accounting/settlement.h"

namespace ebb::service {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const Time kMay = *ParseTime("2026-05-06T00:00Z");

// Central European time in 2026: summer time from 29 March to 25 October, 01:00 UTC.
Duration Berlin(Time time) {
  const bool summer =
      time >= *ParseTime("2026-03-29T01:00Z") && time < *ParseTime("2026-10-25T01:00Z");
  return hours{summer ? 2 : 1};
}

core::LedgerRow RowOf(Interval grid, double joules, std::optional<Intensity> intensity) {
  core::LedgerRow row;
  row.device = "cpu";
  row.wall = row.grid = grid;
  row.energy = Energy::Joules(joules);
  row.pue = Pue{1};
  row.intensity = intensity;
  return row;
}

TEST(DayUse, ADayGoesFromMidnightToMidnightByTheLocalClock) {
  DayUse use(Berlin);
  EXPECT_TRUE(use.Turn(kMay + hours{12}));
  EXPECT_EQ(use.day(), (Interval{kMay - hours{2}, kMay + hours{22}}));
  // Summer time begins and ends.
  EXPECT_FALSE(use.Turn(*ParseTime("2026-03-29T12:00Z"))) << "the clock was set back";
  EXPECT_EQ(use.day(),
            (Interval{*ParseTime("2026-03-28T23:00Z"), *ParseTime("2026-03-29T22:00Z")}));
  for (const char* now : {"2026-10-24T22:00Z", "2026-10-25T00:30Z", "2026-10-25T22:59Z"}) {
    DayUse long_day(Berlin);
    long_day.Turn(*ParseTime(now));
    EXPECT_EQ(long_day.day(),
              (Interval{*ParseTime("2026-10-24T22:00Z"), *ParseTime("2026-10-25T23:00Z")}))
        << now;
  }
}

TEST(DayUse, EnergyBelongsToTheDayOnWhichItWasUsed) {
  DayUse use([](Time) { return Duration::zero(); });
  use.Turn(kMay - hours{1});
  const core::LedgerRow before = RowOf({kMay - hours{2}, kMay - hours{1}}, 3.6e6, Intensity{100});
  use.Add(1, {{before}});
  EXPECT_EQ(use.figures().energy, Energy::Joules(3.6e6));
  EXPECT_EQ(use.figures().emissions->grams, 100);
  // A third of this row is before midnight.
  use.Add(1, {{RowOf({kMay - minutes{20}, kMay + minutes{40}}, 3.6e6, Intensity{300})}});
  EXPECT_EQ(use.day().begin, kMay);
  EXPECT_EQ(use.figures().energy, Energy::Joules(2.4e6));
  EXPECT_NEAR(use.figures().emissions->grams, 200, 1e-9);
  // Late readings of the day before.
  use.Add(2, {{before}});
  EXPECT_EQ(use.figures().energy, Energy::Joules(2.4e6));
  EXPECT_FALSE(use.Holds(2));
  EXPECT_TRUE(use.Turn(kMay + hours{24}));
  EXPECT_EQ(use.figures().energy, Energy{});
  EXPECT_EQ(use.figures().emissions->grams, 0) << "nothing was used";
}

TEST(DayUse, AProgramThatWasOverAtOnceCounts) {
  DayUse use([](Time) { return Duration::zero(); });
  use.Turn(kMay);
  use.Add(1, {{RowOf({kMay, kMay}, 0.004, Intensity{300})}});
  EXPECT_EQ(use.figures().energy, Energy::Joules(0.004));
  const Time midnight = kMay + hours{24};
  use.Add(2, {{RowOf({midnight, midnight}, 0.005, Intensity{300})}});
  EXPECT_EQ(use.day().begin, midnight);
  EXPECT_EQ(use.figures().energy, Energy::Joules(0.005));
}

TEST(DayUse, UnknownIsNotZero) {
  DayUse use([](Time) { return Duration::zero(); });
  use.Turn(kMay);
  use.Add(1, {{RowOf({kMay, kMay + hours{1}}, 5, std::nullopt)}});
  EXPECT_FALSE(use.figures().emissions);
  use.Add(2, {{RowOf({kMay, kMay + hours{1}}, 3.6e6, Intensity{40})}});
  EXPECT_EQ(use.figures().emissions->grams, 40) << "where it is known";
  use.Replace(1, {{RowOf({kMay, kMay + hours{1}}, 5, Intensity{0})}});
  EXPECT_EQ(use.figures().emissions->grams, 40);
  EXPECT_EQ(use.figures().energy, Energy::Joules(3.6e6 + 5));
}

// The sums of what comes in, in any order and settled again and again, are those of a plain sum
// over the last state of each job.
TEST(DayUse, IsTheSumOverTheLatestRowsOfAllJobs) {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    DayUse use(Berlin);
    const Time now = kMay + minutes{random.Below(60 * 24)};
    use.Turn(now);
    std::map<core::JobId, std::vector<core::LedgerRow>> rows;
    for (int i = 0; i < 100; ++i) {
      const core::JobId job = 1 + static_cast<core::JobId>(random.Below(8));
      const Time begin = now - seconds{random.Below(2 * 86'400)};
      const Time end = std::min(begin + seconds{1 + random.Below(4000)}, now);
      if (end <= begin) continue;
      rows[job].push_back(
          RowOf({begin, end}, random.Uniform() * 1e5,
                random.Below(9) ? std::optional(Intensity{random.Uniform() * 500}) : std::nullopt));
      use.Add(job, {{rows[job].back()}});
      if (random.Below(5) > 0) continue;
      for (core::LedgerRow& row : rows[job]) row.intensity = Intensity{random.Uniform() * 500};
      use.Replace(job, rows[job]);
    }
    double joules = 0, grams = 0;
    for (const auto& [job, list] : rows)
      for (const core::LedgerRow& row : list) {
        const double share =
            Seconds(Overlap(row.grid, use.day()).length()) / Seconds(row.grid.length());
        joules += share * row.energy.joules();
        if (row.intensity) grams += share * row.energy.joules() / 3.6e6 * row.intensity->g_per_kwh;
      }
    EXPECT_NEAR(use.figures().energy.joules(), joules, 1e-3);
    EXPECT_NEAR(use.figures().emissions->grams, grams, 1e-6);
  }
}

// The settled rows of a job have its energy, on the values by which it is settled.
TEST(DayUse, ASettledJobCountsOnTheValuesThatWerePublished) {
  const core::SignalIdentity zone{"Z", core::SignalKind::kAverage, core::Boundary::kLifecycle, ""};
  const auto hourly = [&](double g_per_kwh) {
    return *core::IntensitySeries::Create(
        zone, {{{kMay, kMay + hours{1}}, {g_per_kwh}, core::SampleStatus::kMeasured}});
  };
  const std::vector<core::LedgerRow> rows{RowOf({kMay, kMay + hours{1}}, 3.6e6, Intensity{300})};
  DayUse use([](Time) { return Duration::zero(); });
  use.Turn(kMay);
  use.Add(4, rows);
  ASSERT_TRUE(use.Holds(4));
  use.Replace(4, AsSettled({{rows, hourly(200)}}));
  EXPECT_EQ(use.figures().energy, Energy::Joules(3.6e6));
  EXPECT_NEAR(use.figures().emissions->grams, 200, 1e-9);
}

}  // namespace
}  // namespace ebb::service
