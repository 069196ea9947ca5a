#pragma once
// Accounts the runs of a period, as the flags of ebb report ask for it: what ebb report period and
// ebb report impact have in common.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/parser.h"
#include "prices/zone_clock.h"
#include "report/period/period.h"

namespace ebb::cli {

/// The flags of the command as given.
struct PeriodFlags {
  std::string from, to, time_zone, by = "project", boundary;
  std::string supplier_factors, residual_mix;  ///< separated by commas
  std::vector<std::string> billing;
  std::string slurm;
  bool include_replayed = false;
  std::string given;  ///< the first of these flags that was given; empty if none
};
void AddPeriodFlags(Command& command, PeriodFlags& flags);

/// kRequired: both dates must be given. kOptional: a date that is not given is that of the first or
/// of the last run.
enum class PeriodDates { kRequired, kOptional };

/// The flags as read.
struct PeriodQuestion {
  prices::ZoneClock zone;
  std::optional<Time> from{}, to{};
  report::PeriodRequest request{};  ///< without its days and its boundary
};
/// Errors: a flag that cannot be read; no source is named.
Result<PeriodQuestion> ReadPeriodFlags(const std::vector<std::string>& sources,
                                       const PeriodFlags& flags, PeriodDates dates);

/// Reads the runs and sums them up. Says notices about sources.
Result<report::PeriodReport> AccountPeriod(const std::vector<std::string>& sources,
                                           const PeriodFlags& flags,
                                           const PeriodQuestion& question);

}  // namespace ebb::cli
