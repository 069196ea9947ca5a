#pragma once
// Reads times as sbatch takes them for --begin and --deadline.

#include <string>

#include "base/result.h"
#include "prices/zone_clock.h"

namespace ebb::app {

/// Reads "now+1hour", "16:00", "4PM", "noon", "tomorrow", "2026-11-28T03:00" and "uts1796000000". A
/// time of day that has passed is that of tomorrow. An Error for Slurm's other forms (MMDDYY);
/// `option` is for its message.
Result<Time> SlurmMomentOf(const std::string& option, const std::string& text, Time now,
                           const prices::ZoneClock& zone);

}  // namespace ebb::app
