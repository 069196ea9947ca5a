#pragma once
// What is known of a zone before any of its own hours: typical days of earlier years by season and
// hour of the local day. Plain data that the caller brings. Pure.

#include <array>
#include <cstddef>

#include "base/time.h"

namespace ebb::forecast {

inline constexpr std::size_t kSeasons = 4;

struct TypicalYear {
  /// December-February, March-May, June-August, September-November, each by local hour.
  std::array<std::array<double, 24>, kSeasons> g_per_kwh{};
  Duration utc_offset{0};  ///< local standard time less UTC
  /// How far means of single days lie from their season's mean, as a standard deviation.
  double day_to_day_sd_g_per_kwh = 0;

  /// The typical intensity over an hour that begins at any minute. Between the middles of two
  /// seasons it goes over from one to the other.
  double At(Time hour) const;
  /// The mean of the typical day of that time of the year.
  double DayMean(Time hour) const;
};

}  // namespace ebb::forecast
