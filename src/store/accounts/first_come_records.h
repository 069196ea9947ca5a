#pragma once
// Figures that are kept of ended jobs: where first come, first served would have run a job, what it
// would have emitted there, and what it would have emitted alone at its submission. So a start does
// not read ledgers, savings still count jobs whose ledger is pruned, and later jobs find the
// devices occupied by jobs that the readers' views have forgotten.

#include <string>
#include <vector>

#include "core/jobs/job.h"
#include "store/database/write_group.h"

namespace ebb::store {

struct FirstComeRecord {
  core::JobId job = 0;
  std::optional<Interval> place;  ///< nothing: the job could not have run, or that is unknown
  int pool = 0;
  int devices = 1;
  std::optional<Emissions> emissions{};      ///< at `place`; nothing: unknown
  std::optional<Emissions> at_submission{};  ///< alone, when it was submitted; nothing: unknown
  std::optional<Emissions> settled{};        ///< actual emissions, on the same signal as the others
  std::optional<double> saving_half_width_g{};      ///< half width of at_submission - settled, 95 %
  std::optional<double> first_come_half_width_g{};  ///< half width of emissions - settled, 95 %
  std::string had_it_waited{};   ///< fields of report::HadItWaited; empty: not reported
  std::string place_and_time{};  ///< fields of service::PlaceAndTime; empty: one site, or unknown
  /// Half widths of the energy and of the emissions, as shares of them; nothing: unknown.
  std::optional<double> energy_half_width{}, emissions_half_width{};
};

void AddFirstCome(WriteGroup& group, const FirstComeRecord& record);
/// Records of jobs that would have ended after `time`, by job.
Result<std::vector<FirstComeRecord>> FirstComeAfter(Database& database, Time time);

/// Returns nothing if no record is kept.
Result<std::optional<FirstComeRecord>> FindFirstCome(Database& database, core::JobId job);

}  // namespace ebb::store
