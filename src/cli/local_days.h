#pragma once
// Dates as a person gives them, by the clock of a time zone.

#include <string>
#include <vector>

#include "base/result.h"
#include "prices/zone_clock.h"
#include "report/period/period.h"

namespace ebb::cli {

/// The zone of that name; of none: the zone of this user's clock ($TZ, then the machine's).
Result<prices::ZoneClock> ZoneOfUser(const std::string& given);

/// "2026-10-01" is midnight there, "2026-10-01T09:30" half past nine there; a time that says its
/// distance from UTC ("...Z", "...+02:00") is that moment. `flag` is for messages.
Result<Time> MomentOf(const std::string& flag, const std::string& text,
                      const prices::ZoneClock& zone);

/// The local days that the interval holds, the first and the last one cut to it.
std::vector<report::PeriodDay> DaysOf(Interval interval, const prices::ZoneClock& zone);

/// "2026-10-01 09:30"
std::string LocalMinute(Time time, const prices::ZoneClock& zone);

}  // namespace ebb::cli
