#pragma once
// The uncertainty of figures, computed again from the tables and formulas of docs/METHOD.md,
// Uncertainty. No code is shared with core/uncertainty. Pure.

#include <string>
#include <vector>

#include "audit/figures/accounts.h"

namespace ebb::audit {

/// Half widths of 95 % intervals as shares of the figure, and the energy that was measured as a
/// whole.
struct Uncertainty {
  double energy_share = 0, emissions_share = 0;
  std::int64_t measured = 0;  ///< energy measured as a whole, in microjoules
};
/// `whole_machine`: the scope is the whole machine; if false, CPU and RAM energy is shared by use.
Uncertainty UncertaintyOf(const Rows& rows, bool whole_machine);

/// Half width in grams of the 95 % interval of the difference between the same energy in other
/// hours.
double HalfWidthOfSaving(const Rows& one, const Rows& other, bool whole_machine);

/// Sources of the energy in table order, for example "cpu: counter, shared by use".
std::vector<std::string> SourceTexts(const Rows& rows, bool whole_machine);
/// The same sources, and those of the intensity, for example "intensity: measured".
std::vector<std::string> SourceTextsWithIntensity(const Rows& rows, bool whole_machine);
/// "measured", "partly measured" or "estimated".
std::string Basis(std::int64_t measured, std::int64_t all);

}  // namespace ebb::audit
