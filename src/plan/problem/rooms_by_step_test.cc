// Tests of the longest rooms by step, against a count of the free devices in every minute.

#include "plan/problem/rooms_by_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/random.h"

namespace ebb::plan {
namespace {

using std::chrono::minutes;

const Time kBegin = *ParseTime("2023-05-01");
constexpr int kStep = 15, kSteps = 40, kDevices = 3;
constexpr int kNow = 7;  // the profile begins in the first step
constexpr int kMinutes = kStep * (kSteps + 8);

// A pool whose free devices are also counted minute by minute.
class CountedPool {
 public:
  CountedPool() : free_(kMinutes, kDevices) { std::fill_n(free_.begin(), kNow, 0); }

  const CapacityProfile& profile() const { return profile_; }

  /// Takes devices over a random time in which they are free, or gives some back.
  Interval Change(Random& random) {
    if (!uses_.empty() && random.Below(3) == 0) {
      const std::size_t at = random.Below(uses_.size());
      std::swap(uses_[at], uses_.back());
      const CapacityProfile::Use use = uses_.back();
      uses_.pop_back();
      return Apply({use.time, -use.width});
    }
    for (;;) {
      const int first = kNow + static_cast<int>(random.Below(kMinutes - kNow - 1));
      const int longest = random.Below(5) == 0 ? 200 : 20;
      const int end = std::min<int>(kMinutes, first + 1 + static_cast<int>(random.Below(longest)));
      const int width = 1 + static_cast<int>(random.Below(2));
      if (*std::min_element(free_.begin() + first, free_.begin() + end) < width) continue;
      uses_.push_back({{kBegin + minutes{first}, kBegin + minutes{end}}, width});
      return Apply(uses_.back());
    }
  }

  int FreeAt(int minute) const { return free_[static_cast<std::size_t>(minute)]; }

  /// Minutes from this one on with `width` free devices; all are free after the last minute.
  double RoomFrom(int minute, int width) const {
    int end = minute;
    while (end < kMinutes && FreeAt(end) >= width) ++end;
    return end == kMinutes ? std::numeric_limits<double>::infinity() : end - minute;
  }

 private:
  Interval Apply(const CapacityProfile::Use& use) {
    profile_.Take(use.time, use.width);
    for (Time at = use.time.begin; at < use.time.end; at += minutes{1})
      free_[static_cast<std::size_t>((at - kBegin) / minutes{1})] -= use.width;
    return use.time;
  }

  CapacityProfile profile_{kBegin + minutes{kNow}, kDevices};
  std::vector<int> free_;
  std::vector<CapacityProfile::Use> uses_;
};

double LongestByMinutes(const CountedPool& pool, int step, int width) {
  double longest = 0;
  for (int minute = kStep * step; minute < kStep * (step + 1); ++minute)
    longest = std::max(longest, pool.RoomFrom(minute, width));
  return longest;
}

TEST(RoomsByStep, AreThoseOfACountByMinutesAfterEveryChange) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Random random(seed);
    CountedPool pool;
    RoomsByStep rooms(kBegin, minutes{kStep}, kSteps);
    for (int change = 0; change < 150; ++change) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", change " + std::to_string(change));
      rooms.Update(pool.profile(), pool.Change(random));
      const int width = 1 + change % kDevices;
      const std::vector<double>& longest = rooms.Longest(pool.profile(), width);
      ASSERT_EQ(longest.size(), kSteps + 1);
      for (int step = 0; step < kSteps; ++step)
        ASSERT_EQ(longest[static_cast<std::size_t>(step)] / 60'000,
                  LongestByMinutes(pool, step, width))
            << "step " << step << ", width " << width;
    }
  }
}

TEST(RoomsByStep, AreFoundAnewAfterTheWholeProfileChanged) {
  CapacityProfile profile(kBegin, 1);
  RoomsByStep rooms(kBegin, minutes{kStep}, kSteps);
  EXPECT_EQ(rooms.Longest(profile, 1)[1], std::numeric_limits<double>::infinity());
  ASSERT_TRUE(profile.TakeAll({{{kBegin + minutes{40}, kBegin + minutes{50}}, 1}}));
  rooms.Clear();
  EXPECT_EQ(rooms.Longest(profile, 1)[1], 25 * 60'000);
}

TEST(CapacityProfile, HasThePiecesOfACountByMinutesAndNoTwoAlikeSideBySide) {
  Random random(5);
  CountedPool pool;
  for (int change = 0; change < 400; ++change) {
    pool.Change(random);
    const auto& pieces = pool.profile().pieces();
    for (std::size_t i = 1; i < pieces.size(); ++i)
      ASSERT_NE(pieces[i].free, pieces[i - 1].free) << "change " << change << ", piece " << i;
    for (int minute = kNow; minute < kMinutes; ++minute)
      ASSERT_EQ(pieces[pool.profile().PieceAt(kBegin + minutes{minute})].free, pool.FreeAt(minute))
          << "change " << change << ", minute " << minute;
  }
}

}  // namespace
}  // namespace ebb::plan
