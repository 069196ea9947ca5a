#pragma once
// Clean and dirty, in a word, and the next clean hours. A clean hour is among the cleanest third of
// the next 24 hours, a dirty one among the dirtiest third, as they are known or expected now. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/json_node.h"
#include "base/time.h"

namespace ebb::cli {

enum class Cleanness { kClean, kBetween, kDirty };
std::string_view Name(Cleanness cleanness);

struct CleanHours {
  Cleanness now = Cleanness::kBetween;
  Interval next{};       ///< the clean hours that have begun, or the next ones
  double g_per_kwh = 0;  ///< the mean over them
};

/// A value and the time for which it counts.
struct HourValue {
  Interval time;
  double g_per_kwh = 0;
};
/// The hours from `now` on, without gaps and in order. Nothing if they cover less than 2 hours, or
/// if all of them are alike (within 5 %), as with a constant: then no hour is cleaner.
std::optional<CleanHours> CleanHoursOf(const std::vector<HourValue>& hours, Time now);
/// The hours in one entry of `sites` of the answer of GET /api/v1/grid: values that are known, then
/// the forecast.
std::vector<HourValue> HoursOfSite(const JsonNode& site, Time now);

}  // namespace ebb::cli
