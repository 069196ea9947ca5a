#pragma once
// Time is UTC in whole milliseconds; local time exists only in printed text. Intervals are
// half-open.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb {

using Duration = std::chrono::milliseconds;
using Time = std::chrono::sys_time<Duration>;

/// [begin, end). Empty when end <= begin.
struct Interval {
  Time begin;
  Time end;
  constexpr Duration length() const { return end > begin ? end - begin : Duration::zero(); }
  constexpr bool contains(Time time) const { return begin <= time && time < end; }
  friend constexpr bool operator==(const Interval&, const Interval&) = default;
};

/// The common part of two intervals; empty (length 0) if they do not overlap.
constexpr Interval Overlap(Interval a, Interval b) {
  const Time begin = a.begin > b.begin ? a.begin : b.begin;
  const Time end = a.end < b.end ? a.end : b.end;
  return {begin, end > begin ? end : begin};
}

/// The duration in hours, with fractions.
constexpr double Hours(Duration duration) {
  return std::chrono::duration<double, std::ratio<3600>>(duration).count();
}
constexpr double Seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}
/// Milliseconds since 1970 (UTC), as files and protocols have them.
constexpr std::int64_t Milliseconds(Time time) { return time.time_since_epoch().count(); }
/// Rounds to the nearest millisecond.
Duration DurationFromSeconds(double seconds);

/// Reads ISO-8601: "2023-05-01", "2023-05-01T13:45", "...:30", "...:30.250", then "Z", "+02:00",
/// "-0700" or nothing (taken as UTC). A blank may replace the T. Calendar dates are checked (no 30
/// February).
Result<Time> ParseTime(std::string_view text);

/// "2023-05-01T13:45:30Z"; milliseconds appear only if they are not zero ("...30.250Z").
std::string FormatTime(Time time);
/// "13:45" in UTC.
std::string FormatClock(Time time);

/// Reads "90", "90s", "15m", "6h", "2d", "1h30m", "500ms" and "1.5h"; a bare number is in seconds.
/// Never negative.
Result<Duration> ParseDuration(std::string_view text);
/// "5400000ms", which ParseDuration reads back exactly.
std::string FormatExact(Duration duration);
/// "2d 3h", "6h 30m", "4m 5s", "12.3s", "250ms", "0s": the two largest units that matter to a
/// reader.
std::string FormatDuration(Duration duration);

}  // namespace ebb
