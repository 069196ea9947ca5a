#pragma once
// Times as people give them on a command line, by the clock of a time zone.

#include <string>
#include <variant>

#include "base/result.h"
#include "base/time.h"
#include "prices/zone_clock.h"

namespace ebb::app {

/// The zone of this user's clock: $TZ, then the user's settings, then the machine's.
Result<prices::ZoneClock> ZoneOfEnvironment();

/// From now on this user reads and gives times in UTC (--utc). Call it before any command runs.
void UseUtc();

/// The zone of that name; of none: UTC after UseUtc, else that of the environment.
Result<prices::ZoneClock> ZoneOfUser(const std::string& given);

/// "2026-10-01" is midnight there, "2026-10-01 09:30" half past nine there; a time that says its
/// distance from UTC ("...Z", "...+02:00") is that moment. `flag` is for messages.
Result<Time> MomentOf(const std::string& flag, const std::string& text,
                      const prices::ZoneClock& zone);

/// A distance from now, or a moment.
using When = std::variant<Duration, Time>;

/// "6h" and "+6h" are distances. "18:00", "6am" and "6:30pm" are the next such time of day there;
/// "today", "tomorrow" or a weekday before it says of which day. Whatever MomentOf takes is that
/// moment. Errors: a number without a unit; a moment that has passed.
Result<When> WhenOf(const std::string& flag, const std::string& text, Time now,
                    const prices::ZoneClock& zone);

/// The same of what has been: "2d" is so long ago; "18:00" is the last such time of day there,
/// "today", "yesterday" or a weekday says of which day. An Error: a moment that is still to come.
Result<When> PastOf(const std::string& flag, const std::string& text, Time now,
                    const prices::ZoneClock& zone);

}  // namespace ebb::app
