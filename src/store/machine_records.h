#pragma once
// What the machine used in each hour while the service ran, by device, and whose it was
// (core/machine_ledger.h). Kept for ever: a few rows an hour.

#include <vector>

#include "core/machine_ledger.h"
#include "store/write_group.h"

namespace ebb::store {

/// Adds to the hours that it lies in.
void AddMachineShares(WriteGroup& group, const core::MachineShares& shares);

/// One device in one hour.
struct MachineHour {
  core::MachineShares shares;  ///< wall: the hour
  Duration read_for{};         ///< part of it in which the machine was read
};
/// Of hours that begin within `wall`, by hour and device.
Result<std::vector<MachineHour>> MachineHours(Database& database, Interval wall);

}  // namespace ebb::store
