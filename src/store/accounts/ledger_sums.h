#pragma once
// The energy and emissions of a job, summed over the rows of its ledger: the sums that are stored
// with a job, that its service keeps while it runs, and that readers see.

#include <optional>

#include "core/ledger/ledger.h"

namespace ebb::store {

struct LedgerSums {
  Energy energy;
  Energy energy_without_intensity;     ///< part of `energy` whose emissions are unknown
  std::optional<Emissions> emissions;  ///< where intensity is known; nothing: nowhere
  std::optional<Energy> gpu_energy;    ///< part of `energy`; nothing: no GPU was measured

  void Add(const core::LedgerRow& row);
  /// The emissions of all of the energy; nothing if they are unknown for any part of it.
  std::optional<Emissions> emissions_of_all() const {
    return energy_without_intensity == Energy{} ? emissions : std::nullopt;
  }
};

}  // namespace ebb::store
