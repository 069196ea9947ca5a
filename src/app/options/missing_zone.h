#pragma once
// The grid zone where neither a flag nor a configuration names one.

#include "signals/signal_options.h"

namespace ebb::app {

/// If the source needs a zone and has none: EBB_ZONE, or else a guess, which zone_origin says is
/// one (this machine's cloud region, where the firmware names a cloud; the machine's time zone). A
/// guess of a country without a profile becomes its yearly mean. Returns whether it put in a zone:
/// where nothing suggests one, the feed is refused, and says how to give one.
bool FindMissingZone(signals::SignalOptions& options);

}  // namespace ebb::app
