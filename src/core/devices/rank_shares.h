#pragma once
// Divides the samples of an update among ranks that are unlike, so that a sample emits the least.
// The ranks train one model together and wait for the slowest in every update: an update takes
// max(samples / speed), and a rank that is done draws power while it waits.
//
// CleanestShares is exact. For a given time of the update, the grams are linear in the samples of
// each rank, and a rank can take at most what it computes in that time. So the ranks are filled in
// the order of the grams that another sample adds. The time of the best division is that of some
// rank with a whole number of samples, and all of these times are tried. A test compares the result
// with every possible division.
//
// Pure; values only.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace ebb::core {

struct RankFigures {
  double samples_per_s = 1;  ///< while the rank computes; above 0
  double busy_w = 1;         ///< power while it computes
  double waiting_w = 0;      ///< power while it waits for the other ranks
  double g_per_kwh = 1;      ///< intensity of its electricity, times the PUE
};

struct ShareTerms {
  std::int64_t samples = 1;  ///< of an update
  /// Time of an update that no division changes: the exchange of gradients and the optimizer. All
  /// ranks count as waiting then.
  double common_s = 0;
};

struct RankShares {
  std::vector<std::int64_t> samples;  ///< of each rank, by number
  double seconds = 0;                 ///< of an update
  double grams = 0;                   ///< of an update
};

/// The time and the grams of a given division.
RankShares SharesOf(std::span<const RankFigures> ranks, const ShareTerms& terms,
                    std::vector<std::int64_t> samples);
/// The division with the shortest update.
RankShares FastestShares(std::span<const RankFigures> ranks, const ShareTerms& terms);
/// The division with the fewest grams among those whose update takes at most `longest_s`; the
/// fastest one if none is as fast as that. Among equals, the one with the shorter update. Takes
/// time in proportion to ranks x (ranks + samples) if `longest_s` is at most twice the shortest.
RankShares CleanestShares(std::span<const RankFigures> ranks, const ShareTerms& terms,
                          double longest_s = std::numeric_limits<double>::infinity());

/// How much of a difference between predictions is noise of the measurements, as a share.
inline constexpr double kShareNoise = 0.03;
/// The cleanest division whose update takes at most `slower_by` (a share) longer than the shortest,
/// if it is better than `now` by more than noise: in grams, or because `now` takes too long.
std::optional<RankShares> BetterShares(std::span<const RankFigures> ranks, const ShareTerms& terms,
                                       const std::vector<std::int64_t>& now, double slower_by);

}  // namespace ebb::core
