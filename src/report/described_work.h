#pragma once
// The work of a job or an experiment, and what one unit of it took, as keys of a JSON object.

#include "core/ledger/work.h"
#include "report/described_json.h"

namespace ebb::report {

/// `unknown` makes the value of a key of an optional: the optional itself (left out if empty), or
/// OrNull.
template <typename Unknown>
void DescribeWork(DescribedJson& json, const core::Work& work,
                  const std::vector<core::UnitUse>& uses, Unknown unknown) {
  for (const core::WorkUnit unit : core::kWorkUnits) {
    const std::string units = std::string(core::Name(unit)) + "s";
    json(units, units + " that were done, as the program reported them; repeated ones once",
         unknown(work.*core::CountOf(unit)));
  }
  for (const core::WorkUnit unit : core::kWorkUnits) {
    std::optional<double> joules, grams;
    for (const core::UnitUse& use : uses) {
      if (use.unit != unit) continue;
      joules = use.joules;
      grams = use.grams;
    }
    const std::string one(core::Name(unit));
    json(core::EnergyPerKey(unit), "energy of all attempts per " + one + ", in J", unknown(joules));
    json(core::EmissionsPerKey(unit), "emissions per " + one + ", in g CO2e", unknown(grams));
  }
}

}  // namespace ebb::report
