#include "runtime/clock_watch.h"

#include <gtest/gtest.h>

#include "testing/fake_clock.h"

namespace ebb::runtime {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

const Time kNow = *ParseTime("2026-01-01T09:00Z");

class ClockWatchTest : public ::testing::Test {
 protected:
  // Looks every few seconds, as the owner of a watch does.
  bool LookFor(Duration time) {
    bool due = false;
    for (Duration gone{}; gone < time; gone += seconds{5}) {
      clock_.Advance(seconds{5});
      due = watch_.Look();
    }
    return due;
  }
  testing::FakeClock clock_{kNow};
  ClockWatch watch_{clock_, {seconds{2}, seconds{10}}};
};

TEST_F(ClockWatchTest, TimeThatGoesByIsNoJumpHoweverLongNobodyLooked) {
  clock_.Advance(hours{9});  // a suspend goes on in both clocks
  EXPECT_FALSE(watch_.Look());
  EXPECT_EQ(watch_.Now(), kNow + hours{9});
  EXPECT_FALSE(watch_.TakeStep());
}

TEST_F(ClockWatchTest, WhatNtpDoesIsFollowedBothWays) {
  for (const int direction : {1, -1}) {
    for (int i = 0; i < 100; ++i) {
      clock_.Advance(seconds{5});
      clock_.Set(clock_.Now() + direction * Duration{500});  // a tenth: no time daemon slews more
      EXPECT_FALSE(watch_.Look());
    }
    EXPECT_EQ(watch_.Now(), clock_.Now());
  }
}

TEST_F(ClockWatchTest, AJumpIsFollowedOnceItHasLastedAndIsTaken) {
  for (const Duration by : {Duration{hours{48}}, Duration{-hours{1}}}) {
    const Time before = watch_.Now();
    clock_.Set(clock_.Now() + by);
    EXPECT_FALSE(watch_.Look());
    EXPECT_TRUE(watch_.jumped_at());
    EXPECT_EQ(watch_.Now(), before) << "time goes on";
    EXPECT_FALSE(watch_.TakeStep());
    EXPECT_TRUE(LookFor(seconds{10}));
    EXPECT_EQ(watch_.Now(), before + seconds{10});
    const auto step = watch_.TakeStep();
    ASSERT_TRUE(step);
    EXPECT_EQ(step->from, before + seconds{10});
    EXPECT_EQ(step->to, clock_.Now());
    EXPECT_EQ(watch_.Now(), clock_.Now());
    EXPECT_FALSE(watch_.Look());
    EXPECT_FALSE(watch_.TakeStep()) << "once";
  }
}

TEST_F(ClockWatchTest, AClockThatIsWrongForSecondsIsNotFollowed) {
  const Time before = watch_.Now();
  clock_.Set(clock_.Now() + hours{48});
  EXPECT_FALSE(LookFor(seconds{5}));
  clock_.Set(clock_.Now() - hours{48});
  EXPECT_FALSE(LookFor(seconds{30}));
  EXPECT_FALSE(watch_.jumped_at());
  EXPECT_EQ(watch_.Now(), before + seconds{35});
}

TEST_F(ClockWatchTest, EachNewJumpHasToLast) {
  for (int i = 0; i < 5; ++i) {
    clock_.Set(clock_.Now() + hours{1});
    EXPECT_FALSE(LookFor(seconds{10}));
  }
  EXPECT_TRUE(LookFor(seconds{10}));
  const auto step = watch_.TakeStep();
  ASSERT_TRUE(step);
  EXPECT_EQ(step->to - step->from, Duration{hours{5}});
}

}  // namespace
}  // namespace ebb::runtime
