#pragma once
// The energy of the machine, divided among its jobs, as JSON. Pure.

#include <span>
#include <string>

#include "store/accounts/machine_records.h"

namespace ebb::web {

/// {"since":...,"until":...,"machine_kwh":...,"jobs_kwh":...,"idle_kwh":...,"unattributed_kwh":...,
///  "devices":[{"device":"cpu:package-0","component":"cpu","source":"counter","read_for_s":...,
///  "machine_kwh":...,...}],"days":[{"day":"2026-05-06","machine_kwh":...,...}]}: days in UTC. IT
/// energy. One line.
std::string MachineEnergyToJson(std::span<const store::MachineHour> hours, Interval wall);

}  // namespace ebb::web
