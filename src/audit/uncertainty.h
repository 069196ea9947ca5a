#pragma once
// How sure figures are, computed again from the tables and formulas of docs/METHOD.md, Uncertainty.
// No code is shared with core/uncertainty. Pure.

#include <string>
#include <vector>

#include "audit/accounts.h"

namespace ebb::audit {

/// Half of 95 % intervals as shares of the figure, and what part was measured as a whole.
struct Uncertainty {
  double energy_share = 0, emissions_share = 0;
  std::int64_t measured = 0;  ///< microjoules
};
/// `whole_machine`: the scope is the machine; else processors and memory are shared by use.
Uncertainty UncertaintyOf(const Rows& rows, bool whole_machine);

/// Half of the 95 % interval of the difference in grams between the same energy in other hours.
double HalfWidthOfSaving(const Rows& one, const Rows& other, bool whole_machine);

/// "cpu: counter, shared by use", in order.
std::vector<std::string> SourceTexts(const Rows& rows, bool whole_machine);
/// Those and "intensity: measured".
std::vector<std::string> SourceTextsWithIntensity(const Rows& rows, bool whole_machine);
/// "measured", "partly measured", "estimated".
std::string Basis(std::int64_t measured, std::int64_t all);

}  // namespace ebb::audit
