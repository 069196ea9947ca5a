#pragma once
// Cuts ledger rows at the borders of days. The parts of a row have whole microjoules that add up to
// the counted energy of the row, wherever the borders lie. Pure.

#include <functional>
#include <vector>

#include "core/run/run.h"
#include "report/period/period.h"

namespace ebb::report {

/// Calls `take` with the number of the day and the part of the row in it. The wall time is cut; the
/// grid time stays that of the whole row.
void CutAtDays(const core::LedgerRow& row, const std::vector<Interval>& counted,
               const std::vector<PeriodDay>& days,
               const std::function<void(std::size_t day, const core::LedgerRow& part)>& take);

/// The energy of a row that counts.
Energy CountedEnergy(const core::LedgerRow& row, const std::vector<Interval>& counted);

/// The counted intervals of each row of each run. If several runs read a device, it counts once.
std::vector<std::vector<std::vector<Interval>>> CountedOnce(
    const std::vector<const core::RunRecord*>& runs);

/// The times in which attempts of a run ran, joined where they overlap.
std::vector<Interval> RunningTimes(const core::RunRecord& run);

/// The times of a run's attempts in which no device was read.
std::vector<Interval> UnmeteredTimes(const core::RunRecord& run);

}  // namespace ebb::report
