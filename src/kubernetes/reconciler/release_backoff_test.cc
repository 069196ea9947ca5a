#include "kubernetes/reconciler/release_backoff.h"

#include <gtest/gtest.h>

namespace ebb::kubernetes {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr Duration kFirst = minutes{5};
const Time kNoon = *ParseTime("2026-05-01T12:00:00Z");

TEST(ReleaseBackoff, OneReleaseThatIsUndoneIsDecidedAnewAtOnce) {
  ReleaseBackoff release_backoff;
  EXPECT_FALSE(release_backoff.ReleaseUndone(kNoon, kNoon + minutes{1}, kFirst));
  EXPECT_FALSE(release_backoff.IsOn(kNoon + minutes{1}));
  EXPECT_FALSE(release_backoff.ReleaseUndone(kNoon, kNoon + hours{1}, kFirst))
      << "not soon: a person";
}

TEST(ReleaseBackoff, FromTheSecondOnEachWaitsTwiceAsLongUpToSixHours) {
  ReleaseBackoff release_backoff;
  Time now = kNoon;
  EXPECT_FALSE(release_backoff.ReleaseUndone(now, now + minutes{3}, kFirst));
  const Duration waits[] = {minutes{5},   minutes{10},  minutes{20}, minutes{40}, minutes{80},
                            minutes{160}, minutes{320}, hours{6},    hours{6}};
  for (const Duration wait : waits) {
    ASSERT_TRUE(release_backoff.ReleaseUndone(now, now + minutes{3}, kFirst));
    EXPECT_EQ(*release_backoff.until(), now + minutes{3} + wait);
    EXPECT_TRUE(release_backoff.IsOn(*release_backoff.until() - Duration{1}));
    EXPECT_FALSE(release_backoff.IsOn(*release_backoff.until()));
    now = *release_backoff.until();
  }
  for (int i = 0; i < 100; ++i) release_backoff.ReleaseUndone(now, now, kFirst);
  EXPECT_EQ(*release_backoff.until(), now + hours{6}) << "no overflow";
  EXPECT_FALSE(release_backoff.ReleaseUndone(now, now + hours{2}, kFirst))
      << "it ran for two hours";
  EXPECT_FALSE(release_backoff.IsOn(now + hours{2}));
}

}  // namespace
}  // namespace ebb::kubernetes
