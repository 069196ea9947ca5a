#include "core/ledger/machine_ledger.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ebb::core {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const Time kBegin = *ParseTime("2026-05-06T10:00Z");

MachineShares Machine(const std::string& device, Interval wall, std::int64_t idle,
                      std::int64_t unattributed) {
  MachineShares shares;
  shares.device = device;
  shares.wall = wall;
  shares.idle = Energy::Microjoules(idle);
  shares.unattributed = Energy::Microjoules(unattributed);
  return shares;
}

LedgerRow Job(const std::string& device, Interval wall, std::int64_t microjoules) {
  LedgerRow row;
  row.device = device;
  row.wall = row.grid = wall;
  row.energy = Energy::Microjoules(microjoules);
  return row;
}

Interval Seconds(int begin, int end) { return {kBegin + seconds{begin}, kBegin + seconds{end}}; }

struct Sums {
  Energy machine, jobs, idle, unattributed;
  void Add(const std::vector<MachineShares>& closed) {
    for (const MachineShares& shares : closed) {
      machine += shares.machine();
      jobs += shares.jobs;
      idle += shares.idle;
      unattributed += shares.unattributed;
    }
  }
};

TEST(MachineLedger, JobsComeOutOfWhatIsUnattributedThenOutOfWhatIsIdle) {
  MachineLedger ledger;
  ledger.AddMachine(Machine("cpu", Seconds(0, 10), 300, 0));
  ledger.AddMachine(Machine("cpu", Seconds(0, 10), 0, 700));
  ledger.AddJob(Job("cpu", Seconds(-5, 5), 1000));  // half of the row is before the machine was
                                                    // read
  ledger.AddJob(Job("cpu", Seconds(5, 10), 150));
  ledger.AddMachine(Machine("gpu:GPU-1", Seconds(0, 10), 900, 0));
  ledger.AddJob(Job("gpu:GPU-1", Seconds(0, 10), 800));
  EXPECT_TRUE(ledger.Close(kBegin + seconds{9}).empty());
  const auto closed = ledger.Close(kBegin + seconds{10});
  ASSERT_EQ(closed.size(), 2u);
  EXPECT_EQ(closed[0].jobs.microjoules(), 650);
  EXPECT_EQ(closed[0].unattributed.microjoules(), 50);
  EXPECT_EQ(closed[0].idle.microjoules(), 300);
  EXPECT_EQ(closed[1].jobs.microjoules(), 800);
  EXPECT_EQ(closed[1].idle.microjoules(), 100);
}

TEST(MachineLedger, WhatWasReadLaterOrComesLateCountsInTheNextIntervals) {
  MachineLedger ledger;
  ledger.AddMachine(Machine("cpu", Seconds(0, 10), 0, 1000));
  ledger.AddMachine(Machine("cpu", Seconds(10, 20), 0, 1000));
  ledger.AddMachine(Machine("cpu", Seconds(20, 30), 0, 1000));
  ledger.AddJob(Job("cpu", Seconds(0, 10), 1100));
  auto closed = ledger.Close(kBegin + seconds{10});
  EXPECT_EQ(closed[0].jobs.microjoules(), 1000) << "no more than there is";
  EXPECT_EQ(ledger.excess().microjoules(), 100);
  closed = ledger.Close(kBegin + seconds{20});
  EXPECT_EQ(closed[0].jobs.microjoules(), 100);
  ledger.AddJob(Job("cpu", Seconds(15, 25), 400));  // half of the row is late
  EXPECT_EQ(ledger.excess().microjoules(), 200);
  closed = ledger.Close(kBegin + seconds{30});
  EXPECT_EQ(closed[0].jobs.microjoules(), 400);
  EXPECT_EQ(ledger.excess(), Energy{});
}

// Jobs begin, end and are read at other moments than the machine, and their rows come late.
// Sometimes the machine is not read for a while.
TEST(MachineLedger, EverythingAddsUpToTheMachineAndNothingOfAJobIsLost) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    MachineLedger ledger;
    Sums sums;
    Energy machine, of_jobs;
    std::vector<Interval> read;
    for (int at = 0; at < 7000;) {
      const int end = at + 1 + static_cast<int>(random.Below(60));
      if (random.Below(10) > 0) {
        const auto idle = static_cast<std::int64_t>(random.Below(1'000'000));
        const auto other = static_cast<std::int64_t>(random.Below(50'000'000));
        ledger.AddMachine(Machine("cpu", Seconds(at, end), idle, other));
        machine += Energy::Microjoules(idle + other);
        read.push_back(Seconds(at, end));
      }
      at = end;
    }
    std::vector<std::pair<Time, LedgerRow>> told;
    for (int job = 0; job < 3; ++job)
      for (int at = static_cast<int>(random.Below(500)); at < 6000;) {
        const int end = at + static_cast<int>(random.Below(61));
        const auto row =
            Job("cpu", Seconds(at, end), static_cast<std::int64_t>(random.Below(9'000'000)));
        told.emplace_back(row.wall.end + seconds{random.Below(1800)}, row);
        at = end + 1 + static_cast<int>(random.Below(3));
      }
    std::sort(told.begin(), told.end(), [](auto& a, auto& b) { return a.first < b.first; });
    for (const auto& [when, row] : told) {
      sums.Add(ledger.Close(when - minutes{2}));
      ledger.AddJob(row);
      for (const Interval& wall : read)
        if (row.wall.length() > Duration::zero())
          of_jobs += Share(row.energy, row.wall, wall);
        else if (wall.begin < row.wall.begin && row.wall.begin <= wall.end)
          of_jobs += row.energy;
    }
    sums.Add(ledger.Close(kBegin + hours{3}));
    EXPECT_EQ(sums.machine, machine) << "seed " << seed;
    EXPECT_EQ(sums.machine, sums.jobs + sums.idle + sums.unattributed);
    EXPECT_EQ(sums.jobs + ledger.excess(), of_jobs) << "seed " << seed;
  }
}

TEST(MachineLedger, ADeviceThatIsNeverReadKeepsNoRows) {
  MachineLedger ledger;
  ledger.AddJob(Job("gpu:GPU-1", Seconds(0, 10), 1000));
  EXPECT_TRUE(ledger.Close(kBegin + hours{3}).empty());
  ledger.AddMachine(Machine("gpu:GPU-1", Seconds(0, 10), 5000, 0));
  EXPECT_EQ(ledger.Close(kBegin + hours{3})[0].jobs, Energy{}) << "it was forgotten";
}

TEST(MachineLedger, PartsOfHoursAddUp) {
  MachineShares shares = Machine("cpu", {kBegin + minutes{50}, kBegin + minutes{130}}, 1001, 77);
  shares.jobs = Energy::Microjoules(333);
  const auto parts = CutAtHours(shares);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].wall, (Interval{kBegin + hours{1}, kBegin + hours{2}}));
  Sums sums;
  sums.Add(parts);
  EXPECT_EQ(sums.machine, shares.machine());
  EXPECT_EQ(sums.jobs, shares.jobs);
  EXPECT_EQ(sums.idle, shares.idle);
}

}  // namespace
}  // namespace ebb::core
