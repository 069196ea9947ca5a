#pragma once
// The grid zone where neither a flag nor a configuration names one.

#include <optional>
#include <string>

#include "signals/signal_options.h"

namespace ebb::app {

struct ZoneGuess {
  std::string zone;
  std::string from;  ///< what suggests it
};
/// Of this machine: its cloud's region, else the country of its clock. Made once.
const std::optional<ZoneGuess>& GuessedZone();

/// If the source needs a zone and has none: EBB_ZONE, or else that of the user's settings, or else
/// a guess, which zone_origin says is one (this machine's cloud region, where the firmware names a
/// cloud; the machine's time zone). A guess of a country without a profile becomes its yearly mean.
/// Returns whether it put in a zone: where nothing suggests one, the feed is refused, and says how
/// to give one.
bool FindMissingZone(signals::SignalOptions& options);

/// NEO's table goes by the clock of this user (as NEO's does), where nobody says by which: of the
/// zone "neo" alone.
void FindMissingNeoClock(signals::SignalOptions& options);

}  // namespace ebb::app
