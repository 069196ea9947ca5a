#include "train/ranks/rank_place.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

namespace ebb::train {
namespace {

using Variables = std::map<std::string, std::string>;

Result<RankPlace> Read(const Variables& variables) {
  return RankPlaceFrom([&](const char* name) -> const char* {
    const auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  });
}

TEST(RankPlace, IsThatOfTorchrun) {
  EXPECT_EQ(Read({})->size, 1);
  EXPECT_EQ(Read({{"WORLD_SIZE", "1"}, {"RANK", "nonsense"}})->size, 1);
  const Variables set{{"WORLD_SIZE", "4"},       {"RANK", "3"},
                      {"LOCAL_WORLD_SIZE", "2"}, {"MASTER_ADDR", "node-7"},
                      {"MASTER_PORT", "29500"},  {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                      {"LOCAL_RANK", "0"}};
  const auto place = Read(set);
  ASSERT_TRUE(place) << place.error().Message();
  EXPECT_EQ(place->size, 4);
  EXPECT_EQ(place->rank, 3);
  EXPECT_EQ(place->on_this_machine, 2);
  EXPECT_EQ(place->local_rank, 0);
  EXPECT_EQ(place->address, "node-7");
  EXPECT_EQ(place->port, 29500);
  EXPECT_TRUE(place->launcher_serves);
  Variables here = set;
  here.erase("LOCAL_RANK");
  EXPECT_EQ(Read(here)->local_rank, 1) << "the second of two";
  here.erase("LOCAL_WORLD_SIZE");
  EXPECT_EQ(Read(here)->on_this_machine, 1);
  EXPECT_EQ(Read(here)->local_rank, 0);
  here["MASTER_ADDR"] = "127.0.0.1";
  EXPECT_EQ(Read(here)->on_this_machine, 4) << "they share its cores";
  EXPECT_EQ(Read(here)->local_rank, 3);
  for (const auto& [name, bad] : {std::pair{"RANK", "4"},
                                  {"RANK", "-1"},
                                  {"RANK", ""},
                                  {"WORLD_SIZE", "two"},
                                  {"MASTER_PORT", "0"},
                                  {"MASTER_ADDR", ""},
                                  {"LOCAL_RANK", "4"},
                                  {"LOCAL_WORLD_SIZE", "5"}}) {
    Variables wrong = set;
    wrong[name] = bad;
    const auto refused = Read(wrong);
    ASSERT_FALSE(refused) << name;
    EXPECT_NE(refused.error().what.find(name), std::string::npos) << refused.error().what;
  }
}

TEST(RankPlace, PartsAreAllSamplesInOrderAsTheSharesSay) {
  std::vector<std::uint32_t> samples(37);
  std::iota(samples.begin(), samples.end(), 0U);
  for (const std::vector<double>& shares : {std::vector<double>{1},
                                            {1, 1},
                                            {1, 1, 1, 1, 1},
                                            {3, 1},
                                            {0.2, 0.5, 0.1},
                                            {0, 30, 7, 0},
                                            std::vector<double>(50, 1)}) {
    std::vector<std::uint32_t> joined;
    const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
      const auto part = PartOf(samples, shares, rank);
      EXPECT_NEAR(static_cast<double>(part.size()), 37 * shares[rank] / all, 1);
      joined.insert(joined.end(), part.begin(), part.end());
    }
    EXPECT_EQ(joined, samples);
  }
}

TEST(RankPlace, PartsOfWholeNumbersAreExact) {
  for (std::int64_t first = 0; first <= 97; ++first)
    EXPECT_EQ(PartSizes(97, {static_cast<double>(first), 97.0 - static_cast<double>(first)}),
              (std::vector<std::int64_t>{first, 97 - first}));
  EXPECT_EQ(PartSizes(31, {24, 0, 8}), (std::vector<std::int64_t>{23, 0, 8}))
      << "the last update of an epoch is smaller";
}

}  // namespace
}  // namespace ebb::train
