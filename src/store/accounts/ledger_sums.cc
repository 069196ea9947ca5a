#include "store/accounts/ledger_sums.h"

namespace ebb::store {

void LedgerSums::Add(const core::LedgerRow& row) {
  energy += row.energy;
  if (row.component == core::Component::kGpu)
    gpu_energy = gpu_energy.value_or(Energy{}) + row.energy;
  if (const auto of_row = row.emissions())
    emissions = emissions.value_or(Emissions{}) + *of_row;
  else
    energy_without_intensity += row.energy;
}

}  // namespace ebb::store
