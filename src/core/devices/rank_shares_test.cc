#include "core/devices/rank_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "base/random.h"

namespace ebb::core {
namespace {

using testing::ElementsAre;
using Samples = std::vector<std::int64_t>;

std::vector<RankFigures> DrawRanks(Random& random) {
  std::vector<RankFigures> ranks(2 + random.Below(3));
  for (RankFigures& rank : ranks) {
    // Few different values, so that there are ties.
    rank.samples_per_s =
        random.Below(2) ? 1.0 + static_cast<double>(random.Below(5)) : 0.5 + 4 * random.Uniform();
    rank.busy_w = 100.0 + 50.0 * static_cast<double>(random.Below(6));
    rank.waiting_w = rank.busy_w * (random.Below(8) ? 0.6 * random.Uniform() : 1.2);
    rank.g_per_kwh = random.Below(10) ? 20.0 + 780 * random.Uniform() : 0;
  }
  return ranks;
}

void ForEachDivision(std::size_t ranks, std::int64_t samples,
                     const std::function<void(const Samples&)>& use) {
  Samples division(ranks, 0);
  const std::function<void(std::size_t, std::int64_t)> choose = [&](std::size_t rank,
                                                                    std::int64_t left) {
    if (rank + 1 == ranks) {
      division[rank] = left;
      use(division);
      return;
    }
    for (division[rank] = 0; division[rank] <= left; ++division[rank])
      choose(rank + 1, left - division[rank]);
  };
  choose(0, samples);
}

// Time and grams by an account of their own: second by second of each rank.
struct Counted {
  double seconds = 0;
  double grams = 0;
};
Counted Count(const std::vector<RankFigures>& ranks, const ShareTerms& terms,
              const Samples& division) {
  Counted counted;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    counted.seconds =
        std::max(counted.seconds, static_cast<double>(division[i]) / ranks[i].samples_per_s);
  counted.seconds += terms.common_s;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const double busy = static_cast<double>(division[i]) / ranks[i].samples_per_s;
    const double kwh =
        (busy * ranks[i].busy_w + (counted.seconds - busy) * ranks[i].waiting_w) / 1000 / 3600;
    counted.grams += kwh * ranks[i].g_per_kwh;
  }
  return counted;
}

TEST(RankShares, AreThoseOfATrialOfEveryDivision) {
  Random random(7);
  int slower_than_the_fastest = 0, with_idle_ranks = 0;
  for (int instance = 0; instance < 600; ++instance) {
    const std::vector<RankFigures> ranks = DrawRanks(random);
    const ShareTerms terms{1 + static_cast<std::int64_t>(random.Below(13)),
                           random.Below(2) ? 0.0 : random.Uniform()};
    const double slower_by = random.Below(4) ? 0.7 * random.Uniform() : 100;
    double shortest = std::numeric_limits<double>::infinity();
    ForEachDivision(ranks.size(), terms.samples, [&](const Samples& division) {
      shortest = std::min(shortest, Count(ranks, terms, division).seconds);
    });
    const RankShares fastest = FastestShares(ranks, terms);
    ASSERT_NEAR(fastest.seconds, shortest, 1e-9) << instance;

    const double longest = fastest.seconds * (1 + slower_by);
    double fewest = std::numeric_limits<double>::infinity();
    ForEachDivision(ranks.size(), terms.samples, [&](const Samples& division) {
      const Counted counted = Count(ranks, terms, division);
      if (counted.seconds <= longest * (1 + 1e-12)) fewest = std::min(fewest, counted.grams);
    });
    const RankShares found = CleanestShares(ranks, terms, longest);
    ASSERT_EQ(std::accumulate(found.samples.begin(), found.samples.end(), std::int64_t{0}),
              terms.samples);
    const Counted counted = Count(ranks, terms, found.samples);
    ASSERT_NEAR(found.seconds, counted.seconds, 1e-9);
    ASSERT_NEAR(found.grams, counted.grams, 1e-9 * (1 + counted.grams));
    ASSERT_LE(counted.seconds, longest * (1 + 1e-9)) << instance;
    ASSERT_NEAR(found.grams, fewest, 1e-9 * fewest + 1e-15) << instance;
    slower_than_the_fastest += found.seconds > fastest.seconds * 1.001;
    with_idle_ranks += testing::Value(found.samples, testing::Contains(0));
  }
  // The instances are of all kinds.
  EXPECT_GT(slower_than_the_fastest, 100);
  EXPECT_LT(slower_than_the_fastest, 500);
  EXPECT_GT(with_idle_ranks, 50);
}

TEST(RankShares, OfEqualRanksAreEqual) {
  const std::vector<RankFigures> ranks(4, {100, 300, 60, 400});
  EXPECT_THAT(FastestShares(ranks, {64}).samples, ElementsAre(16, 16, 16, 16));
  EXPECT_THAT(CleanestShares(ranks, {64}).samples, ElementsAre(16, 16, 16, 16));
  EXPECT_FALSE(BetterShares(ranks, {64}, {16, 16, 16, 16}, 0.05));
}

TEST(RankShares, GiveAFastRankMoreBecauseOthersWouldWait) {
  const std::vector<RankFigures> ranks{{300, 300, 60, 400}, {100, 300, 60, 400}};
  EXPECT_THAT(FastestShares(ranks, {32}).samples, ElementsAre(24, 8));
  EXPECT_THAT(CleanestShares(ranks, {32}, 8.01 / 100).samples, ElementsAre(24, 8));
  // A sample takes 1 J of the fast rank and 3 J of the slow one.
  EXPECT_THAT(CleanestShares(ranks, {32}).samples, ElementsAre(32, 0));
  const auto better = BetterShares(ranks, {32}, {16, 16}, 0.05);
  ASSERT_TRUE(better);
  EXPECT_THAT(better->samples, ElementsAre(25, 7)) << "4.2 % slower than 24 and 8";
}

TEST(RankShares, MoveToTheCleanZoneAsFarAsTimeAllows) {
  const std::vector<RankFigures> ranks{{100, 300, 60, 600}, {100, 300, 60, 50}};
  EXPECT_FALSE(BetterShares(ranks, {100}, {50, 50}, 0)) << "no update may take longer";
  EXPECT_THAT(BetterShares(ranks, {100}, {50, 50}, 0.2)->samples, ElementsAre(40, 60));
  EXPECT_THAT(CleanestShares(ranks, {100}).samples, ElementsAre(0, 100));
  EXPECT_FALSE(BetterShares(ranks, {100}, {40, 60}, 0.2));
  EXPECT_THAT(BetterShares(ranks, {100}, {40, 60}, 0)->samples, ElementsAre(50, 50))
      << "the present one takes too long";
}

TEST(RankShares, StayIfThePredictionsDifferByNoise) {
  std::vector<RankFigures> ranks(2, {100, 300, 60, 400});
  ranks[0].samples_per_s = 102;
  EXPECT_NE(FastestShares(ranks, {1000}).samples[0], 500);
  EXPECT_FALSE(BetterShares(ranks, {1000}, {500, 500}, 0.05));
}

TEST(RankShares, WithoutADifferenceInEnergyAreTheFastest) {
  const std::vector<RankFigures> ranks{{300, 100, 100, 700}, {100, 100, 100, 20}};
  EXPECT_THAT(CleanestShares(ranks, {32}).samples, ElementsAre(24, 8));
  const std::vector<RankFigures> clean{{300, 200, 100, 0}, {100, 200, 100, 0}};
  EXPECT_THAT(CleanestShares(clean, {32}).samples, ElementsAre(24, 8));
}

}  // namespace
}  // namespace ebb::core
