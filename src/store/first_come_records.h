#pragma once
// What is kept of jobs that have ended: where first come, first served would have run them and what
// they would have emitted there, and alone at their submission. So a start does not read their
// ledgers, savings go on counting them when those are pruned, and later jobs still find the devices
// taken of those that readers' views have forgotten.

#include <string>
#include <vector>

#include "core/job.h"
#include "store/write_group.h"

namespace ebb::store {

struct FirstComeRecord {
  core::JobId job = 0;
  std::optional<Interval> place;  ///< nothing: it could not have run, or that is not known
  int pool = 0;
  int devices = 1;
  std::optional<Emissions> emissions{};      ///< there; nothing: not known
  std::optional<Emissions> at_submission{};  ///< alone, when it was submitted; nothing: not known
  std::optional<Emissions> settled{};        ///< really, on the signal that the others are on
  std::optional<double> saving_half_width_g{};      ///< of at_submission - settled, 95 %
  std::optional<double> first_come_half_width_g{};  ///< of emissions - settled, 95 %
  std::string had_it_waited{};  ///< fields of report::HadItWaited; empty: it is not told
};

void AddFirstCome(WriteGroup& group, const FirstComeRecord& record);
/// Those that would have ended after `time`, by job.
Result<std::vector<FirstComeRecord>> FirstComeAfter(Database& database, Time time);

/// Nothing where none is kept.
Result<std::optional<FirstComeRecord>> FindFirstCome(Database& database, core::JobId job);

}  // namespace ebb::store
