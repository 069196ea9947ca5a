#pragma once
// The clock by which NEO's table of 24 hours goes, as text.

#include <string>

#include "base/result.h"
#include "config/key_reader.h"
#include "signals/signal_options.h"

namespace ebb::config {

/// "Europe/Berlin", "UTC", or a fixed distance from UTC: "UTC+05:30".
Result<signals::NeoClock> NeoClockOf(const std::string& text);
/// The same for a distance.
signals::NeoClock FixedNeoClock(Duration utc_offset);

/// A key whose value NeoClockOf takes.
KeyRule ReadNeoClock(const std::string& name, Given<std::string>& out);
/// neo_utc_offset_hours and neo_time_zone say the same: one of them is enough.
void CheckOneNeoClock(const Given<double>& hours, const Given<std::string>& zone,
                      Problems& problems);

}  // namespace ebb::config
