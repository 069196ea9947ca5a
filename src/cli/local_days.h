#pragma once
// The days of a period by the clock of a time zone.

#include <string>
#include <vector>

#include "base/time.h"
#include "prices/zone_clock.h"
#include "report/period/period.h"

namespace ebb::cli {

/// The local days of the interval. The first and the last one are cut to it.
std::vector<report::PeriodDay> DaysOf(Interval interval, const prices::ZoneClock& zone);

/// The interval, widened to local midnights.
Interval WholeDays(Interval interval, const prices::ZoneClock& zone);

/// "2026-10-01 09:30"
std::string LocalMinute(Time time, const prices::ZoneClock& zone);

}  // namespace ebb::cli
