#pragma once
// A signal that is one value for all hours: a constant, or the mean of a year. It accounts for
// energy, but it tells no hour from another, so it can say of no start that it is better or worse.
// Pure.

#include <string_view>

#include "core/intensity.h"

namespace ebb::core {

/// The forecast method of such a source. It is kept with the inputs of every decision.
inline constexpr std::string_view kOneValueForAllHours = "constant";

/// Whether the source tells hours apart. Of one that gives no forecast at all that is not known
/// yet, so it may.
inline bool KnowsHours(const SignalView& view) {
  return view.forecast.method != kOneValueForAllHours;
}

/// In words, for decisions and notes: what is missing, and what brings it.
inline constexpr std::string_view kNothingOfHours = "nothing is known about the hours of this zone";
inline constexpr std::string_view kWhatBringsHours =
    "a token (ebb init) or a series (--trace) brings its hours";

}  // namespace ebb::core
