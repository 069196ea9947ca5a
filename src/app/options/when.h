#pragma once
// Reads times that people give on a command line, by the clock of a time zone.

#include <string>
#include <variant>

#include "base/result.h"
#include "base/time.h"
#include "prices/zone_clock.h"

namespace ebb::app {

/// The zone of this user's clock: $TZ, then the user's settings, then the machine's.
Result<prices::ZoneClock> ZoneOfEnvironment();

/// Makes this process read and show times in UTC (--utc). Call it before any command runs.
void UseUtc();

/// The zone with this name. If the name is empty: UTC after UseUtc, else the zone of the
/// environment.
Result<prices::ZoneClock> ZoneOfUser(const std::string& given);

/// Reads a moment by the clock of `zone`: "2026-10-01" is midnight, "2026-10-01 09:30" half past
/// nine. A time with its distance from UTC ("...Z", "...+02:00") is that moment. `flag` is for
/// messages.
Result<Time> MomentOf(const std::string& flag, const std::string& text,
                      const prices::ZoneClock& zone);

/// A distance from now, or a moment.
using When = std::variant<Duration, Time>;

/// Reads a time in the future. "6h" and "+6h" are distances. "18:00", "6am" and "6:30pm" are the
/// next such time of day in `zone`; "today", "tomorrow" or a weekday before it chooses the day.
/// Other texts are read by MomentOf. Errors: a number without a unit; a moment that has passed.
Result<When> WhenOf(const std::string& flag, const std::string& text, Time now,
                    const prices::ZoneClock& zone);

/// Reads a time in the past. "2d" is so long ago; "18:00" is the last such time of day in `zone`;
/// "today", "yesterday" or a weekday before it chooses the day. An Error if the moment is still to
/// come.
Result<When> PastOf(const std::string& flag, const std::string& text, Time now,
                    const prices::ZoneClock& zone);

}  // namespace ebb::app
