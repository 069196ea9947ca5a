#include "web/http/stream_room.h"

#include <gtest/gtest.h>

#include <vector>

namespace ebb::web {
namespace {

TEST(StreamRoom, WhoeverComesGetsThePlaceOfTheOldestOfThePeerWithTheMost) {
  StreamRoom room(4);
  const auto alone = room.Enter("10.0.0.1", false);
  const auto oldest = room.Enter("10.0.0.2", false), second = room.Enter("10.0.0.2", false);
  const auto third = room.Enter("10.0.0.3", false);
  const auto next = room.Enter("10.0.0.4", false);
  ASSERT_TRUE(next);
  EXPECT_TRUE(oldest->is_over);
  EXPECT_FALSE(alone->is_over || second->is_over || third->is_over);
}

TEST(StreamRoom, NoPeerHasMoreThanHalf) {
  StreamRoom room(8);
  std::vector<std::shared_ptr<StreamRoom::Place>> places;
  for (int i = 0; i < 6; ++i) places.push_back(room.Enter("10.0.0.1", false));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(places[static_cast<std::size_t>(i)]->is_over, i < 2) << i;
}

TEST(StreamRoom, OneWithTheTokenEndsForNobodyWithout) {
  StreamRoom room(2);
  const auto own = room.Enter("127.0.0.1", true), also_own = room.Enter("", true);
  EXPECT_FALSE(room.Enter("127.0.0.1", false));
  const auto third = room.Enter("127.0.0.1", true);
  ASSERT_TRUE(third);
  EXPECT_TRUE(own->is_over) << "the oldest of its own";
  EXPECT_FALSE(also_own->is_over);
  room.Leave(own);
}

// What is over holds its thread until it writes again.
TEST(StreamRoom, APeerThatComesAgainAndAgainWaits) {
  StreamRoom room(4);
  std::shared_ptr<StreamRoom::Place> first = room.Enter("10.0.0.1", false), last = first;
  int taken = 1;
  for (; taken < 100 && (last = room.Enter("10.0.0.1", false)); ++taken) {
  }
  EXPECT_EQ(taken, 6);
  EXPECT_TRUE(first->is_over);
  room.Leave(first);
  EXPECT_TRUE(room.Enter("10.0.0.2", false));
}

}  // namespace
}  // namespace ebb::web
