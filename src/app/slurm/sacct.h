#pragma once
// Reads what Slurm's accounting knows of the jobs of a period: from sacct itself, or from a file
// that `sacct -P` wrote.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "prices/zone_clock.h"
#include "report/period/slurm_jobs.h"
#include "slurm/client/slurm_commands.h"

namespace ebb::app {

/// Finds the columns of a table by the names in its first line. Times are seconds since 1970, or by
/// the clock of `zone`. Steps of jobs ("12.batch") and jobs that have not begun are left out. A job
/// that runs ends at `now`.
Result<std::vector<report::SlurmRow>> ReadSacctTable(std::string_view text,
                                                     const std::string& where,
                                                     const prices::ZoneClock& zone, Time now);

/// `source`: "sacct", or a file. Only the starts that ran in the period.
Result<std::vector<report::SlurmRow>> SlurmRowsOf(const std::string& source, Interval period,
                                                  const prices::ZoneClock& zone, Time now,
                                                  const slurm::RunCommand& run);

}  // namespace ebb::app
