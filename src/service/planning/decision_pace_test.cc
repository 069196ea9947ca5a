#include "service/planning/decision_pace.h"

#include <gtest/gtest.h>

namespace ebb::service {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

const DecisionPace::Clock::time_point kNow{std::chrono::hours{1}};

TEST(DecisionPace, TheFirstDecisionWaitsForNothing) {
  EXPECT_EQ(DecisionPace().Left(kNow), Duration::zero());
}

TEST(DecisionPace, AQuickDecisionIsFollowedByTheNextAtOnce) {
  DecisionPace pace;
  pace.Decided(kNow, microseconds{1900}, false);
  EXPECT_EQ(pace.Left(kNow), Duration::zero());
}

TEST(DecisionPace, DecidingTakesATwentiethOfTheTime) {
  DecisionPace pace;
  pace.Decided(kNow, milliseconds{5}, false);
  EXPECT_EQ(pace.Left(kNow), Duration{100});
  EXPECT_EQ(pace.Left(kNow + milliseconds{75}), Duration{25});
  EXPECT_EQ(pace.Left(kNow + milliseconds{100}), Duration::zero());
  EXPECT_EQ(pace.Left(kNow + seconds{9}), Duration::zero());
}

TEST(DecisionPace, WhatIsFeltComesRarely) {
  DecisionPace pace;
  pace.Decided(kNow, milliseconds{10}, false);
  EXPECT_EQ(pace.Left(kNow), Duration{2000});
}

TEST(DecisionPace, NobodyWaitsForLong) {
  DecisionPace pace;
  pace.Decided(kNow, seconds{2}, false);
  EXPECT_EQ(pace.Left(kNow), Duration{5000});
}

TEST(DecisionPace, WhoeverMightStartAtOnceWaitsForLittle) {
  DecisionPace pace;
  pace.Decided(kNow, seconds{2}, true);
  EXPECT_EQ(pace.Left(kNow), Duration{40});
  pace.Decided(kNow, microseconds{1900}, true);
  EXPECT_EQ(pace.Left(kNow), Duration::zero());
}

}  // namespace
}  // namespace ebb::service
