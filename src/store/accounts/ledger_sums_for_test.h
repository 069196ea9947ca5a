#pragma once
// The sums of a job's ledger from its rows, to check the sums that are stored with the job.

#include <string>

#include "store/accounts/ledger_records.h"

namespace ebb::store {

/// Energies as in core::Total, emissions up to rounding.
inline Result<LedgerSums> SumLedger(Database& database, core::JobId job) {
  LedgerSums sums;
  // Exact sums of microjoules; emissions are computed row by row as in core::LedgerRow.
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT coalesce(sum(energy_uj), 0),"
      " coalesce(sum(energy_uj) FILTER (WHERE intensity_g_per_kwh IS NULL), 0),"
      " sum(energy_uj / 3.6e12 * pue * intensity_g_per_kwh),"
      " sum(energy_uj) FILTER (WHERE component = ?) FROM ledger WHERE job = ?",
      {std::string(Name(core::Component::kGpu)), job}, [&](const Row& row) -> Status {
        sums.energy = Energy::Microjoules(row.Integer(0));
        sums.energy_without_intensity = Energy::Microjoules(row.Integer(1));
        if (!row.IsNull(2)) sums.emissions = Emissions{row.Number(2)};
        if (!row.IsNull(3)) sums.gpu_energy = Energy::Microjoules(row.Integer(3));
        return {};
      }));
  return sums;
}

}  // namespace ebb::store
