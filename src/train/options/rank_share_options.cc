#include "train/options/rank_share_options.h"

#include "base/text.h"

namespace ebb::train {
namespace {

constexpr double kLeastWeight = 1e-6, kMostWeight = 1e6;
constexpr double kMostWatts = 1e6;
// The idle power of machines and GPUs whose data sheet does not state it, as meters take it.
constexpr double kIdleShare = 0.1;

std::optional<double> Watts(std::string_view text) {
  const auto number = ParseNumber(Trim(text));
  return number && *number >= 0 && *number <= kMostWatts ? number : std::nullopt;
}

}  // namespace

Status ReadRankShare(std::string_view text, RankShareOptions& options) {
  options.automatic = text == "auto";
  if (options.automatic) return {};
  const auto weight = ParseNumber(text);
  if (!weight || *weight < kLeastWeight || *weight > kMostWeight)
    return Fail({ExitCode::kUsage,
                 "--rank-share is auto or a number from 0.000001 to 1000000, not \"" +
                     std::string(text) + "\"",
                 "", "ebb-train --help lists every flag"});
  options.weight = *weight;
  return {};
}

Result<RankShareOptions::Power> ParseRankPower(std::string_view text) {
  const auto comma = text.find(',');
  const auto busy = Watts(text.substr(0, comma));
  const auto waiting = comma == std::string_view::npos
                           ? std::optional(kIdleShare * busy.value_or(0))
                           : Watts(text.substr(comma + 1));
  if (!busy || !waiting || *busy <= 0)
    return Fail({ExitCode::kUsage,
                 "--rank-power is watts while the rank computes, and while it waits, not \"" +
                     std::string(text) + "\"",
                 "", "for example 300,60"});
  return RankShareOptions::Power{*busy, *waiting};
}

}  // namespace ebb::train
