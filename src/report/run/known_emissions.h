#pragma once
// The known part of emissions: unknown is a word in every output, and never 0 g. Values only.

#include <optional>
#include <string>

#include "base/units.h"
#include "base/units_text.h"
#include "core/ledger/counterfactual.h"
#include "core/ledger/ledger.h"

namespace ebb::report {

/// The emissions of energy of which `without` has no intensity; nothing if that is all of it.
/// Energy of 0 has emitted 0 g.
inline std::optional<Emissions> KnownPart(Emissions emissions, Energy energy, Energy without) {
  return without > Energy{} && without >= energy ? std::nullopt : std::optional(emissions);
}
inline std::optional<Emissions> KnownEmissions(const core::LedgerTotals& totals) {
  return KnownPart(totals.emissions, totals.energy, totals.energy_without_intensity);
}
/// `energy` is the energy that was moved to another start.
inline std::optional<Emissions> KnownEmissions(const core::Counterfactual& other, Energy energy) {
  return KnownPart(other.emissions, energy, other.energy_without_intensity);
}

/// "3.2 g", "3.2 g of what is known", or "unknown".
inline std::string KnownEmissionsText(const std::optional<Emissions>& known, Energy without) {
  if (!known) return "unknown";
  return EmissionsText(*known) + (without > Energy{} ? " of what is known" : "");
}

/// The emissions as text: "unknown" if energy was used and its emissions are not known; empty if
/// neither is known, or if no energy was used.
inline std::string EmittedText(std::optional<Energy> energy, std::optional<Emissions> emissions) {
  if (emissions) return EmissionsText(*emissions);
  return energy && *energy > Energy{} ? "unknown" : "";
}

}  // namespace ebb::report
