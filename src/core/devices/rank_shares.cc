#include "core/devices/rank_shares.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <utility>

#include "base/check.h"

namespace ebb::core {
namespace {

constexpr double kJoulesPerKwh = 3.6e6;
// Two results that differ by less than this share are equal but for rounding.
constexpr double kRounding = 1e-12;

double TimeOf(const RankFigures& rank, std::int64_t samples) {
  return static_cast<double>(samples) / rank.samples_per_s;
}

// The most samples that the rank computes in this time, by the same division as TimeOf, so that the
// rank whose time it is gets its whole number.
std::int64_t MostIn(const RankFigures& rank, double seconds, std::int64_t all) {
  const double about = std::floor(seconds * rank.samples_per_s);
  if (about >= static_cast<double>(all)) return all;
  auto most = static_cast<std::int64_t>(about);
  while (most < all && TimeOf(rank, most + 1) <= seconds) ++most;
  while (most > 0 && TimeOf(rank, most) > seconds) --most;
  return most;
}

// The grams that a sample adds to an update of a given time.
double GramsOfSample(const RankFigures& rank) {
  return rank.g_per_kwh * (rank.busy_w - rank.waiting_w) / rank.samples_per_s / kJoulesPerKwh;
}

std::vector<std::size_t> ByGramsOfSample(std::span<const RankFigures> ranks) {
  std::vector<std::size_t> order(ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t rank) { return GramsOfSample(ranks[rank]); });
  return order;
}

bool Better(const RankShares& left, const RankShares& right) {
  const double slack = kRounding * std::abs(right.grams);
  if (left.grams < right.grams - slack) return true;
  return left.grams <= right.grams + slack && left.seconds < right.seconds * (1 - kRounding);
}

// Fills the ranks in order with what they compute in this time. nullopt: that is not everything.
std::optional<std::vector<std::int64_t>> FilledIn(std::span<const RankFigures> ranks,
                                                  std::span<const std::size_t> order,
                                                  std::int64_t samples, double seconds) {
  std::vector<std::int64_t> filled(ranks.size(), 0);
  std::int64_t left = samples;
  for (const std::size_t rank : order) {
    filled[rank] = MostIn(ranks[rank], seconds, left);
    left -= filled[rank];
    if (left == 0) return filled;
  }
  return std::nullopt;
}

}  // namespace

RankShares SharesOf(std::span<const RankFigures> ranks, const ShareTerms& terms,
                    std::vector<std::int64_t> samples) {
  EBB_CHECK(samples.size() == ranks.size());
  RankShares shares{std::move(samples), 0, 0};
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    shares.seconds = std::max(shares.seconds, TimeOf(ranks[rank], shares.samples[rank]));
  shares.seconds += terms.common_s;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankFigures& figures = ranks[rank];
    const double busy_s = TimeOf(figures, shares.samples[rank]);
    const double joules = figures.busy_w * busy_s + figures.waiting_w * (shares.seconds - busy_s);
    shares.grams += figures.g_per_kwh * joules / kJoulesPerKwh;
  }
  return shares;
}

// Gives one sample after the other to the rank that would be done with it first.
RankShares FastestShares(std::span<const RankFigures> ranks, const ShareTerms& terms) {
  EBB_CHECK(!ranks.empty());
  std::vector<std::int64_t> samples(ranks.size(), 0);
  using Next = std::pair<double, std::size_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    next.emplace(TimeOf(ranks[rank], 1), rank);
  for (std::int64_t given = 0; given < terms.samples; ++given) {
    const std::size_t rank = next.top().second;
    next.pop();
    next.emplace(TimeOf(ranks[rank], ++samples[rank] + 1), rank);
  }
  return SharesOf(ranks, terms, std::move(samples));
}

RankShares CleanestShares(std::span<const RankFigures> ranks, const ShareTerms& terms,
                          double longest_s) {
  RankShares best = FastestShares(ranks, terms);
  const double shortest = best.seconds - terms.common_s;
  const std::vector<std::size_t> order = ByGramsOfSample(ranks);
  // With more time than this, the order's first rank would take everything, and the others would
  // only wait longer.
  const double longest =
      std::min(longest_s - terms.common_s, TimeOf(ranks[order.front()], terms.samples));
  for (const RankFigures& rank : ranks) {
    const std::int64_t first = std::max<std::int64_t>(1, MostIn(rank, shortest, terms.samples));
    for (std::int64_t most = first; most <= terms.samples; ++most) {
      const double seconds = TimeOf(rank, most);
      if (seconds > longest) break;
      auto filled = FilledIn(ranks, order, terms.samples, seconds);
      if (!filled) continue;
      RankShares shares = SharesOf(ranks, terms, std::move(*filled));
      if (Better(shares, best)) best = std::move(shares);
    }
  }
  return best;
}

std::optional<RankShares> BetterShares(std::span<const RankFigures> ranks, const ShareTerms& terms,
                                       const std::vector<std::int64_t>& now, double slower_by) {
  const double longest_s = FastestShares(ranks, terms).seconds * (1 + slower_by);
  RankShares best = CleanestShares(ranks, terms, longest_s);
  const RankShares present = SharesOf(ranks, terms, now);
  const bool in_time = present.seconds <= longest_s * (1 + kShareNoise);
  if (in_time && present.grams <= best.grams * (1 + kShareNoise)) return std::nullopt;
  return best;
}

}  // namespace ebb::core
