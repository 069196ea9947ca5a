#include "web/http/stream_limiter.h"

#include <gtest/gtest.h>

#include <vector>

namespace ebb::web {
namespace {

TEST(StreamLimiter, WhoeverComesGetsThePlaceOfTheOldestOfThePeerWithTheMost) {
  StreamLimiter limiter(4);
  const auto alone = limiter.Enter("10.0.0.1", false);
  const auto oldest = limiter.Enter("10.0.0.2", false), second = limiter.Enter("10.0.0.2", false);
  const auto third = limiter.Enter("10.0.0.3", false);
  const auto next = limiter.Enter("10.0.0.4", false);
  ASSERT_TRUE(next);
  EXPECT_TRUE(oldest->is_over);
  EXPECT_FALSE(alone->is_over || second->is_over || third->is_over);
}

TEST(StreamLimiter, NoPeerHasMoreThanHalf) {
  StreamLimiter limiter(8);
  std::vector<std::shared_ptr<StreamLimiter::Place>> places;
  for (int i = 0; i < 6; ++i) places.push_back(limiter.Enter("10.0.0.1", false));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(places[static_cast<std::size_t>(i)]->is_over, i < 2) << i;
}

TEST(StreamLimiter, OneWithTheTokenEndsForNobodyWithout) {
  StreamLimiter limiter(2);
  const auto own = limiter.Enter("127.0.0.1", true), also_own = limiter.Enter("", true);
  EXPECT_FALSE(limiter.Enter("127.0.0.1", false));
  const auto third = limiter.Enter("127.0.0.1", true);
  ASSERT_TRUE(third);
  EXPECT_TRUE(own->is_over) << "the oldest of its own";
  EXPECT_FALSE(also_own->is_over);
  limiter.Leave(own);
}

// A stream that has ended holds its thread until it writes again.
TEST(StreamLimiter, APeerThatComesAgainAndAgainWaits) {
  StreamLimiter limiter(4);
  std::shared_ptr<StreamLimiter::Place> first = limiter.Enter("10.0.0.1", false), last = first;
  int taken = 1;
  for (; taken < 100 && (last = limiter.Enter("10.0.0.1", false)); ++taken) {
  }
  EXPECT_EQ(taken, 6);
  EXPECT_TRUE(first->is_over);
  limiter.Leave(first);
  EXPECT_TRUE(limiter.Enter("10.0.0.2", false));
}

}  // namespace
}  // namespace ebb::web
