#pragma once
// Finds the grid zone if neither a flag nor a configuration names one.

#include <optional>
#include <string>

#include "signals/signal_options.h"

namespace ebb::app {

struct ZoneGuess {
  std::string zone;
  std::string from;  ///< source of the guess
};
/// The guess for this machine: its cloud's region, else the country of its clock. Made once.
const std::optional<ZoneGuess>& GuessedZone();

/// Sets the zone if the source needs one and has none: EBB_ZONE, or that of the user's settings, or
/// a guess (this machine's cloud region if the firmware names a cloud; the machine's time zone).
/// zone_origin says if it is a guess. A guessed country without a profile becomes its yearly mean.
/// Returns true if a zone was set. If nothing suggests one, the feed is refused later with advice.
bool FindMissingZone(signals::SignalOptions& options);

/// Sets the clock of NEO's table to this user's clock (as in NEO), if none is given. Only for the
/// zone "neo".
void FindMissingNeoClock(signals::SignalOptions& options);

}  // namespace ebb::app
