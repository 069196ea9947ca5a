#include "store/store_clock.h"

#include <gtest/gtest.h>

#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

const Time kStart = *ParseTime("2023-05-01");
const StoreClock kLive;
const StoreClock kReplay{true, kStart, 600, false};

// Opens the store anew for each claim.
Status Claim(const platform::Path& path, const StoreClock& clock) {
  ServiceStore store = *ServiceStore::Open(path);
  EBB_RETURN_IF_ERROR(ClaimClock(store, clock));
  return store.Commit();
}

TEST(StoreClockTest, AStoreBelongsToTheFirstClockThatOpensIt) {
  const auto live = ScratchDirectory("clock_live") / "ebb.db";
  EXPECT_TRUE(Claim(live, kLive));
  EXPECT_TRUE(Claim(live, kLive));
  const auto refused = Claim(live, kReplay);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("a replay from 2023-05-01T00:00:00Z at 600 times"),
            std::string::npos)
      << refused.error().what;
  EXPECT_NE(refused.error().next.find("--store"), std::string::npos);
  EXPECT_TRUE(Claim(live, kLive)) << "a refusal changes nothing";

  const auto replay = ScratchDirectory("clock_replay") / "ebb.db";
  EXPECT_TRUE(Claim(replay, kReplay));
  const auto lived = Claim(replay, kLive);
  ASSERT_FALSE(lived);
  EXPECT_NE(lived.error().next.find("--grid-speed 600"), std::string::npos);
  for (const StoreClock& other :
       {StoreClock{true, kStart, 60, false}, StoreClock{true, kStart, 600, true},
        StoreClock{true, kStart + Duration{1}, 600, false}})
    EXPECT_FALSE(Claim(replay, other));
  EXPECT_TRUE(Claim(replay, {true, std::nullopt, 600, false})) << "it goes on";
}

TEST(StoreClockTest, AReplayThatBeganNowGoesOn) {
  const auto path = ScratchDirectory("clock_now") / "ebb.db";
  const StoreClock clock{true, std::nullopt, 60, false};
  EXPECT_TRUE(Claim(path, clock));
  EXPECT_TRUE(Claim(path, clock));
  EXPECT_FALSE(Claim(path, {true, kStart, 60, false}));
}

}  // namespace
}  // namespace ebb::store
