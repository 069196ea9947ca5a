#include "train/loop/energy_watch.h"

#include <gtest/gtest.h>

#include <atomic>

namespace ebb::train {
namespace {

using std::chrono::milliseconds;
using Moment = CounterHistory::Moment;

Moment At(int ms) { return Moment{} + milliseconds(ms); }

TEST(CounterHistory, PowerIsKnownBetweenMomentsAtWhichTheCounterMoved) {
  CounterHistory history;
  // Reads each 10 ms a counter that moves each 100 ms, by 20 J (200 W) and from 500 ms on 50 J.
  double joules = 1000;
  for (int ms = 0; ms <= 1000; ms += 10) {
    if (ms % 100 == 70) joules += ms < 500 ? 20 : 50;
    history.Add(At(ms), joules);
  }
  EXPECT_NEAR(*history.JoulesBetween(At(200), At(430)), 46, 1e-9);
  EXPECT_NEAR(*history.JoulesBetween(At(200), At(430)) + *history.JoulesBetween(At(430), At(900)),
              *history.JoulesBetween(At(200), At(900)), 1e-9);
  EXPECT_NEAR(*history.JoulesBetween(At(600), At(700)), 50, 1e-9);
  EXPECT_NEAR(*history.JoulesBetween(At(970), At(1040)), 35, 1e-9) << "goes on with 500 W";
  EXPECT_EQ(*history.JoulesBetween(At(300), At(300)), 0);
}

TEST(CounterHistory, WhatItDoesNotKnowIsUnknown) {
  CounterHistory history;
  EXPECT_FALSE(history.JoulesBetween(At(0), At(10)));
  history.Add(At(0), 5);
  history.Add(At(100), 5);
  history.Add(At(200), 7);
  EXPECT_FALSE(history.JoulesBetween(At(50), At(200))) << "when it reached 5 J is unknown";
  history.Add(At(300), 9);
  EXPECT_FALSE(history.JoulesBetween(At(199), At(300)));
  EXPECT_EQ(*history.JoulesBetween(At(200), At(300)), 2);
  EXPECT_FALSE(history.JoulesBetween(At(200), At(1301))) << "a counter that does not move";
}

TEST(EnergyWatch, ReadsACounterUntilItEnds) {
  std::atomic<int> reads = 0;
  {
    // 3 J at each reading.
    const EnergyWatch watch([&] { return std::optional(3.0 * ++reads); });
    const Moment begin = std::chrono::steady_clock::now();
    while (reads < 6) std::this_thread::sleep_for(milliseconds(1));
    const Moment end = std::chrono::steady_clock::now();
    while (!watch.WaitUntilKnown()) {
    }
    const Moment now = std::chrono::steady_clock::now();
    EXPECT_GT(watch.JoulesBetween(now, now + milliseconds(1)).value_or(1), 0);
    EXPECT_FALSE(watch.JoulesBetween(begin - milliseconds(100), end)) << "from before it began";
  }
  const int at_the_end = reads;
  std::this_thread::sleep_for(milliseconds(30));
  EXPECT_EQ(reads, at_the_end);
}

TEST(EnergyWatch, ACounterThatCannotBeReadIsUnknown) {
  std::atomic<int> reads = 0;
  const EnergyWatch watch([&]() -> std::optional<double> { return ++reads, std::nullopt; });
  EXPECT_FALSE(watch.WaitUntilKnown());
  EXPECT_GT(reads, 1);
  const Moment now = std::chrono::steady_clock::now();
  EXPECT_FALSE(watch.JoulesBetween(now, now));
}

}  // namespace
}  // namespace ebb::train
