#include "web/api/rate_limit.h"

#include <gtest/gtest.h>

namespace ebb::web {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const RateLimit::Clock::time_point kNow{std::chrono::hours{1}};

int Taken(RateLimit& limit, const std::string& peer, RateLimit::Clock::time_point now, int tries) {
  int taken = 0;
  for (int i = 0; i < tries; ++i) taken += limit.Take(peer, now);
  return taken;
}

TEST(RateLimit, ABurstThenSoManyPerSecond) {
  RateLimit limit({10, 5});
  EXPECT_EQ(Taken(limit, "10.0.0.1", kNow, 20), 5);
  EXPECT_EQ(Taken(limit, "10.0.0.1", kNow + milliseconds{99}, 20), 0);
  EXPECT_EQ(Taken(limit, "10.0.0.1", kNow + milliseconds{300}, 20), 3);
  EXPECT_EQ(Taken(limit, "10.0.0.1", kNow + seconds{60}, 20), 5) << "no more than the burst";
}

TEST(RateLimit, APeerTakesNothingFromAnother) {
  RateLimit limit({1, 2});
  EXPECT_EQ(Taken(limit, "10.0.0.1", kNow, 9), 2);
  EXPECT_EQ(Taken(limit, "10.0.0.2", kNow, 9), 2);
}

TEST(RateLimit, ANetworkOfIPv6IsOnePeer) {
  RateLimit limit({1, 3});
  EXPECT_EQ(Taken(limit, "2001:db8::1", kNow, 2), 2);
  EXPECT_EQ(Taken(limit, "2001:db8::ffff:2", kNow, 9), 1);
  EXPECT_EQ(Taken(limit, "2001:db8:0:1::1", kNow, 9), 3);
}

TEST(RateLimit, AClockThatGoesBackGivesNothing) {
  RateLimit limit({10, 1});
  EXPECT_TRUE(limit.Take("a", kNow));
  EXPECT_FALSE(limit.Take("a", kNow - seconds{5}));
  EXPECT_FALSE(limit.Take("a", kNow + milliseconds{50}));
  EXPECT_TRUE(limit.Take("a", kNow + milliseconds{101}));
}

TEST(RateLimit, ManyPeersAreBoundedAndShareWhatIsLeft) {
  RateLimit limit({0.001, 2, 100});
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(limit.Take("peer" + std::to_string(i), kNow));
  int taken = 0;
  for (int i = 100; i < 10'000; ++i) taken += limit.Take("peer" + std::to_string(i), kNow);
  EXPECT_EQ(taken, 2) << "all of them together get what one gets";
  EXPECT_LE(limit.peers(), 101u);
  EXPECT_TRUE(limit.Take("peer5", kNow)) << "who was there before does not suffer";
  EXPECT_TRUE(limit.Take("late", kNow + std::chrono::hours{2})) << "full buckets made room";
  EXPECT_LE(limit.peers(), 101u);
}

}  // namespace
}  // namespace ebb::web
