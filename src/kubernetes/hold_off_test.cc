#include "kubernetes/hold_off.h"

#include <gtest/gtest.h>

namespace ebb::kubernetes {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr Duration kFirst = minutes{5};
const Time kNoon = *ParseTime("2026-05-01T12:00:00Z");

TEST(HoldOff, OneReleaseThatIsUndoneIsDecidedAnewAtOnce) {
  HoldOff hold_off;
  EXPECT_FALSE(hold_off.ReleaseUndone(kNoon, kNoon + minutes{1}, kFirst));
  EXPECT_FALSE(hold_off.IsOn(kNoon + minutes{1}));
  EXPECT_FALSE(hold_off.ReleaseUndone(kNoon, kNoon + hours{1}, kFirst)) << "not soon: a person";
}

TEST(HoldOff, FromTheSecondOnEachWaitsTwiceAsLongUpToSixHours) {
  HoldOff hold_off;
  Time now = kNoon;
  EXPECT_FALSE(hold_off.ReleaseUndone(now, now + minutes{3}, kFirst));
  const Duration waits[] = {minutes{5},   minutes{10},  minutes{20}, minutes{40}, minutes{80},
                            minutes{160}, minutes{320}, hours{6},    hours{6}};
  for (const Duration wait : waits) {
    ASSERT_TRUE(hold_off.ReleaseUndone(now, now + minutes{3}, kFirst));
    EXPECT_EQ(*hold_off.until(), now + minutes{3} + wait);
    EXPECT_TRUE(hold_off.IsOn(*hold_off.until() - Duration{1}));
    EXPECT_FALSE(hold_off.IsOn(*hold_off.until()));
    now = *hold_off.until();
  }
  for (int i = 0; i < 100; ++i) hold_off.ReleaseUndone(now, now, kFirst);
  EXPECT_EQ(*hold_off.until(), now + hours{6}) << "no overflow";
  EXPECT_FALSE(hold_off.ReleaseUndone(now, now + hours{2}, kFirst)) << "it ran for two hours";
  EXPECT_FALSE(hold_off.IsOn(now + hours{2}));
}

}  // namespace
}  // namespace ebb::kubernetes
