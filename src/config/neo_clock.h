#pragma once
// The clock of NEO's 24-hour table, as text.

#include <string>

#include "base/result.h"
#include "config/yaml/key_reader.h"
#include "signals/signal_options.h"

namespace ebb::config {

/// The clock of "Europe/Berlin", "UTC", or a fixed offset from UTC such as "UTC+05:30".
Result<signals::NeoClock> NeoClockOf(const std::string& text);
/// The clock with this offset from UTC.
signals::NeoClock FixedNeoClock(Duration utc_offset);

/// A key whose value NeoClockOf accepts.
KeyRule ReadNeoClock(const std::string& name, Given<std::string>& out);
/// Reports a problem if a file gives both neo_utc_offset_hours and neo_time_zone: they set the same
/// thing. The lines are 0 for a key that is not given.
void CheckOneNeoClock(int hours_line, int zone_line, Problems& problems);

}  // namespace ebb::config
