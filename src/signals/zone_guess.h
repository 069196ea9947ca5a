#pragma once
// The grid zone that a machine's clock suggests. A guess: whoever uses it says so, and how to
// settle it. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace ebb::signals {

/// The zone of a place that is known for its time zone ("America/Los_Angeles": US-CAL-CISO), or
/// else the country of the time zone ("Europe/Berlin": DE), whose yearly mean is known at least.
/// `zone_tab`: the text of the time zone database's zone.tab. Nothing: UTC, or an unknown name.
std::optional<std::string> ZoneOfTimeZone(std::string_view time_zone, std::string_view zone_tab);

}  // namespace ebb::signals
