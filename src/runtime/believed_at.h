#pragma once
// The intensity that a feed believes at one moment.

#include <optional>

#include "runtime/signal_feed.h"

namespace ebb::runtime {

/// nullopt: it is unknown, or the feed cannot be read.
inline std::optional<Intensity> BelievedAt(SignalFeed& feed, Time time) {
  const auto believed = feed.Believed({time, time + Duration{1}});
  if (!believed) return std::nullopt;
  const core::Sample* sample = believed->At(time);
  return sample ? std::optional(sample->intensity) : std::nullopt;
}

}  // namespace ebb::runtime
