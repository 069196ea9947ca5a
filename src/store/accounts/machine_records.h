#pragma once
// Energy that the machine used in each hour while the service ran, by device and by whom it is
// attributed to (core/ledger/machine_ledger.h). The rows, a few an hour, are kept for ever.

#include <vector>

#include "core/ledger/machine_ledger.h"
#include "store/database/write_group.h"

namespace ebb::store {

/// Adds the shares to the hours that they fall into.
void AddMachineShares(WriteGroup& group, const core::MachineShares& shares);

/// One device in one hour.
struct MachineHour {
  core::MachineShares shares;  ///< wall: the hour
  Duration read_for{};         ///< time in that hour for which the machine was read
};
/// Rows of hours that begin within `wall`, by hour and device.
Result<std::vector<MachineHour>> MachineHours(Database& database, Interval wall);

}  // namespace ebb::store
