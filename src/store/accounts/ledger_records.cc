#include "store/accounts/ledger_records.h"

#include "store/database/enum_column.h"
#include "store/database/links.h"

namespace ebb::store {
namespace {

Value NumberOrNull(const std::optional<Intensity>& intensity) {
  return intensity ? Value{intensity->g_per_kwh} : Value{};
}

Interval IntervalFrom(const Row& row, int column) {
  return {Time{Duration{row.Integer(column)}}, Time{Duration{row.Integer(column + 1)}}};
}

Result<core::LedgerRow> LedgerRowFrom(const Row& row) {
  core::LedgerRow ledger;
  ledger.attempt = static_cast<int>(row.Integer(0));
  ledger.device = row.Text(1);
  EBB_RETURN_IF_ERROR(
      TakeEnum(row.Text(2), core::ComponentFromName(row.Text(2)), ledger.component));
  EBB_RETURN_IF_ERROR(
      TakeEnum(row.Text(3), core::EnergySourceFromName(row.Text(3)), ledger.source));
  ledger.wall = IntervalFrom(row, 4);
  ledger.grid = IntervalFrom(row, 6);
  ledger.energy = Energy::Microjoules(row.Integer(8));
  ledger.pue = {row.Number(9)};
  if (!row.IsNull(10)) ledger.intensity = Intensity{row.Number(10)};
  EBB_RETURN_IF_ERROR(
      TakeEnum(row.Text(11), core::SampleStatusFromName(row.Text(11)), ledger.intensity_status));
  EBB_RETURN_IF_ERROR(
      TakeEnum(row.Text(12), core::SignalKindFromName(row.Text(12)), ledger.signal_kind));
  if (!row.IsNull(16)) ledger.intensity_source = row.Text(16);
  ledger.shared = row.Integer(17) != 0;
  if (row.IsNull(15)) return ledger;
  core::OtherIntensity& other = ledger.other.emplace();
  if (!row.IsNull(13)) other.intensity = Intensity{row.Number(13)};
  EBB_RETURN_IF_ERROR(
      TakeEnum(row.Text(14), core::SampleStatusFromName(row.Text(14)), other.status));
  EBB_RETURN_IF_ERROR(TakeEnum(row.Text(15), core::SignalKindFromName(row.Text(15)), other.kind));
  return ledger;
}

// Adds the row and returns the text that its link is made from.
std::string AddRow(WriteGroup& group, core::JobId job, const core::LedgerRow& row) {
  // Binding all members by name makes a new member that is forgotten here a compile error.
  const auto& [attempt, device, component, source, wall, grid, energy, pue, intensity, status, kind,
               other, intensity_source, shared] = row;
  Values values{job,
                std::int64_t{attempt},
                device,
                std::string(Name(component)),
                std::string(Name(source)),
                Milliseconds(wall.begin),
                Milliseconds(wall.end),
                Milliseconds(grid.begin),
                Milliseconds(grid.end),
                energy.microjoules(),
                pue.ratio,
                NumberOrNull(intensity),
                std::string(Name(status)),
                std::string(Name(kind)),
                TextOrNull(intensity_source),
                other ? NumberOrNull(other->intensity) : Value{},
                other ? Value{std::string(Name(other->status))} : Value{},
                other ? Value{std::string(Name(other->kind))} : Value{},
                std::int64_t{shared}};
  std::string link_text = LinkText(values);
  group.Add(
      "INSERT INTO ledger SELECT ?1, coalesce(max(number), 0) + 1,"
      " ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,"
      " ?19"
      " FROM ledger WHERE job = ?1 HAVING EXISTS (SELECT 1 FROM jobs WHERE id = ?1)",
      std::move(values));
  return link_text;
}

// The energy of GPUs that meters measured, not a model.
struct MeteredGpu {
  Energy energy;
  Duration time{};  // summed over all GPUs

  void Add(const core::LedgerRow& row) {
    if (row.component != core::Component::kGpu || row.source == core::EnergySource::kModel) return;
    energy += row.energy;
    time += row.wall.length();
  }
};

// Stores up to when each device's readings are stored.
void AddDevices(WriteGroup& group, const LedgerBatch& batch) {
  std::map<std::pair<int, std::string>, Time> ends;
  for (const core::LedgerRow& row : batch.rows) {
    Time& end = ends.try_emplace({row.attempt, row.device}, row.wall.end).first->second;
    end = std::max(end, row.wall.end);
  }
  for (const auto& [device, end] : ends)
    group.Add(
        "INSERT INTO ledger_devices SELECT ?1, ?2, ?3, ?4"
        " WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ?1)"
        " ON CONFLICT(job, attempt, device) DO UPDATE SET"
        " stored_up_to_ms = max(stored_up_to_ms, excluded.stored_up_to_ms)",
        {batch.job, std::int64_t{device.first}, device.second, Milliseconds(end)});
}

}  // namespace

void AddLedger(WriteGroup& group, const LedgerBatch& batch) {
  if (batch.rows.empty()) return;
  LedgerSums sums;
  MeteredGpu metered;
  std::string link_texts;
  for (const core::LedgerRow& row : batch.rows) {
    if (!link_texts.empty()) link_texts += '\n';
    link_texts += AddRow(group, batch.job, row);
    sums.Add(row);
    metered.Add(row);
  }
  group.Add(
      "UPDATE jobs SET energy_uj = energy_uj + ?2,"
      " energy_without_intensity_uj = energy_without_intensity_uj + ?3,"
      " emissions_g = CASE WHEN ?4 IS NULL THEN emissions_g"
      "                    ELSE coalesce(emissions_g, 0) + ?4 END,"
      " gpu_energy_uj = CASE WHEN ?5 IS NULL THEN gpu_energy_uj"
      "                      ELSE coalesce(gpu_energy_uj, 0) + ?5 END,"
      " gpu_metered_uj = gpu_metered_uj + ?6, gpu_metered_ms = gpu_metered_ms + ?7,"
      " ledger_link = ebb_links(coalesce(ledger_link, 'ledger of job ' || id), ?8),"
      " ledger_linked_from = coalesce(ledger_linked_from,"
      "  (SELECT max(number) + 1 FROM ledger WHERE job = ?1) - ?9) WHERE id = ?1",
      {batch.job, sums.energy.microjoules(), sums.energy_without_intensity.microjoules(),
       sums.emissions ? Value{sums.emissions->grams} : Value{},
       sums.gpu_energy ? Value{sums.gpu_energy->microjoules()} : Value{},
       metered.energy.microjoules(), metered.time.count(), std::move(link_texts),
       static_cast<std::int64_t>(batch.rows.size())});
  AddDevices(group, batch);
}

Result<std::vector<core::LedgerRow>> LedgerOf(Database& database, core::JobId job, Time from) {
  std::vector<core::LedgerRow> rows;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT attempt, device, component, source, wall_begin_ms, wall_end_ms, grid_begin_ms,"
      " grid_end_ms, energy_uj, pue, intensity_g_per_kwh, intensity_status, signal_kind,"
      " other_intensity_g_per_kwh, other_status, other_kind, intensity_source, shared"
      " FROM ledger WHERE job = ? AND grid_end_ms > ? ORDER BY number",
      {job, Milliseconds(from)}, [&](const Row& row) -> Status {
        EBB_ASSIGN_OR_RETURN(core::LedgerRow read, LedgerRowFrom(row));
        rows.push_back(std::move(read));
        return {};
      }));
  return rows;
}

Result<std::map<std::string, Time>> LedgerStoredUpTo(Database& database, core::JobId job,
                                                     int attempt) {
  std::map<std::string, Time> ends;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT device, stored_up_to_ms FROM ledger_devices WHERE job = ? AND attempt = ?",
      {job, std::int64_t{attempt}}, [&](const Row& row) -> Status {
        ends.emplace(row.Text(0), Time{Duration{row.Integer(1)}});
        return {};
      }));
  return ends;
}

Result<LedgerSums> StoredSums(Database& database, core::JobId job) {
  LedgerSums sums;
  EBB_RETURN_IF_ERROR(
      database.Query("SELECT energy_uj, energy_without_intensity_uj, emissions_g, gpu_energy_uj"
                     " FROM jobs WHERE id = ?",
                     {job}, [&](const Row& row) -> Status {
                       sums.energy = Energy::Microjoules(row.Integer(0));
                       sums.energy_without_intensity = Energy::Microjoules(row.Integer(1));
                       if (!row.IsNull(2)) sums.emissions = Emissions{row.Number(2)};
                       if (!row.IsNull(3)) sums.gpu_energy = Energy::Microjoules(row.Integer(3));
                       return {};
                     }));
  return sums;
}

}  // namespace ebb::store
