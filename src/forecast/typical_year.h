#pragma once
// Typical days of earlier years by season and hour of the local day: knowledge of a zone before any
// of its own hours. Plain data that the caller brings. Pure.

#include <array>
#include <cstddef>

#include "base/time.h"

namespace ebb::forecast {

inline constexpr std::size_t kSeasons = 4;

struct TypicalYear {
  /// Typical days of December-February, March-May, June-August, September-November, each by local
  /// hour.
  std::array<std::array<double, 24>, kSeasons> g_per_kwh{};
  Duration utc_offset{0};  ///< local standard time less UTC
  /// Standard deviation of the means of single days around their season's mean.
  double day_to_day_sd_g_per_kwh = 0;

  /// The typical intensity over an hour that begins at any minute, interpolated between the middles
  /// of the two nearest seasons.
  double At(Time hour) const;
  /// The mean of the typical day at that time of the year.
  double DayMean(Time hour) const;
};

}  // namespace ebb::forecast
