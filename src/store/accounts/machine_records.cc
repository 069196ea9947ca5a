#include "store/accounts/machine_records.h"

#include "store/database/enum_column.h"

namespace ebb::store {
namespace {

Result<MachineHour> HourFrom(const Row& row) {
  MachineHour hour;
  core::MachineShares& shares = hour.shares;
  const Time begin{Duration{row.Integer(0)}};
  shares.wall = {begin, begin + std::chrono::hours{1}};
  shares.device = row.Text(1);
  EBB_RETURN_IF_ERROR(
      TakeEnum(row.Text(2), core::ComponentFromName(row.Text(2)), shares.component));
  EBB_RETURN_IF_ERROR(
      TakeEnum(row.Text(3), core::EnergySourceFromName(row.Text(3)), shares.source));
  shares.jobs = Energy::Microjoules(row.Integer(4));
  shares.idle = Energy::Microjoules(row.Integer(5));
  shares.unattributed = Energy::Microjoules(row.Integer(6));
  hour.read_for = Duration{row.Integer(7)};
  return hour;
}

}  // namespace

void AddMachineShares(WriteGroup& group, const core::MachineShares& shares) {
  for (const core::MachineShares& part : core::CutAtHours(shares)) {
    const Time hour = std::chrono::floor<std::chrono::hours>(part.wall.begin);
    group.Add(
        "INSERT INTO machine_energy VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT(hour_ms, device) DO UPDATE SET source = excluded.source,"
        " machine_uj = machine_uj + excluded.machine_uj, jobs_uj = jobs_uj + excluded.jobs_uj,"
        " idle_uj = idle_uj + excluded.idle_uj,"
        " unattributed_uj = unattributed_uj + excluded.unattributed_uj,"
        " read_for_ms = read_for_ms + excluded.read_for_ms",
        {Milliseconds(hour), part.device, std::string(core::Name(part.component)),
         std::string(core::Name(part.source)), part.machine().microjoules(),
         part.jobs.microjoules(), part.idle.microjoules(), part.unattributed.microjoules(),
         std::int64_t{part.wall.length().count()}});
  }
}

Result<std::vector<MachineHour>> MachineHours(Database& database, Interval wall) {
  std::vector<MachineHour> hours;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT hour_ms, device, component, source, jobs_uj, idle_uj, unattributed_uj, read_for_ms"
      " FROM machine_energy WHERE hour_ms >= ? AND hour_ms < ? ORDER BY hour_ms, device",
      {Milliseconds(wall.begin), Milliseconds(wall.end)}, [&](const Row& row) -> Status {
        EBB_ASSIGN_OR_RETURN(MachineHour hour, HourFrom(row));
        hours.push_back(std::move(hour));
        return {};
      }));
  return hours;
}

}  // namespace ebb::store
