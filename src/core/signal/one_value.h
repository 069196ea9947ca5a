#pragma once
// A signal that is one value for all hours: a constant, or the mean of a year. It accounts for
// energy, but it does not tell one hour from another, so it cannot say that a start is better or
// worse. Pure.

#include <string_view>

#include "core/signal/intensity.h"

namespace ebb::core {

/// The forecast method of such a source. Every decision keeps it with its inputs.
inline constexpr std::string_view kOneValueForAllHours = "constant";

/// True if the source tells hours apart. If a source gives no forecast at all, this is not known
/// yet, and the function returns true.
inline bool KnowsHours(const SignalView& view) {
  return view.forecast.method != kOneValueForAllHours;
}

/// Text for decisions and notes: what is missing, and what brings it.
inline constexpr std::string_view kNothingOfHours = "nothing is known about the hours of this zone";
inline constexpr std::string_view kWhatBringsHours =
    "a token (ebb init) or a series (--trace) brings its hours";

}  // namespace ebb::core
