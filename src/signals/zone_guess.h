#pragma once
// The grid zone that a machine's time zone suggests. It is a guess: callers say so, and say how to
// settle it. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace ebb::signals {

/// The grid zone of a place that the table knows by its time zone ("America/Los_Angeles":
/// US-CAL-CISO), or else the country of the time zone ("Europe/Berlin": DE), for which at least a
/// yearly mean is known. `zone_tab`: the text of the time zone database's zone.tab. nullopt: UTC,
/// or an unknown name.
std::optional<std::string> ZoneOfTimeZone(std::string_view time_zone, std::string_view zone_tab);

}  // namespace ebb::signals
