#pragma once
// The work that a training program reports (docs/training-program.md), and what one unit of it
// took. The energy is that of the whole run: every attempt, start-up, evaluation, and work that was
// lost and done again. The work counts once, however often it was done. So energy per unit is what
// the result cost, and not the speed of the inner loop (docs/METHOD.md, Energy per unit of work).

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace ebb::core {

enum class WorkUnit { kToken, kSample, kStep };
/// The finest unit first: it depends least on the settings of a run (a step does on its batch).
inline constexpr std::array kWorkUnits{WorkUnit::kToken, WorkUnit::kSample, WorkUnit::kStep};
/// "token", "sample", "step".
std::string_view Name(WorkUnit unit);
/// Names in files and answers of the API: "energy_per_token_j", "emissions_per_token_g".
std::string EnergyPerKey(WorkUnit unit);
std::string EmissionsPerKey(WorkUnit unit);

/// Counts of work. A count that the program does not report is absent.
struct Work {
  std::optional<std::int64_t> tokens{}, samples{}, steps{};
  bool empty() const { return !tokens && !samples && !steps; }
  friend bool operator==(const Work&, const Work&) = default;
};
/// The member that counts a unit.
std::optional<std::int64_t> Work::*CountOf(WorkUnit unit);
/// The larger count of each unit: counts of one run only grow.
Work Furthest(const Work& a, const Work& b);

/// The use of energy by one unit of work, and its emissions.
struct UnitUse {
  WorkUnit unit = WorkUnit::kToken;
  std::int64_t count = 0;       ///< units that were done
  double joules = 0;            ///< energy of one unit
  std::optional<double> grams;  ///< emissions of one unit; absent: not known for all of the energy
};
/// The uses by all units that were counted, the finest first. Empty if nothing was measured.
/// `emissions`: those of all of `energy`; absent if they are unknown for any part of it.
std::vector<UnitUse> UsePerUnit(const Work& work, Energy energy,
                                std::optional<Emissions> emissions);

/// "4.12 mJ/token".
std::string EnergyPerText(WorkUnit unit, double joules);
/// The same of the finest unit; empty if nothing was counted.
std::string EnergyPerText(const std::vector<UnitUse>& uses);
/// The number of units for which emissions are shown; those of one token are too small to read.
double UnitsAtOnce(WorkUnit unit);
/// "0.343 g per million tokens", "1.20 g per 1,000 samples".
std::string EmissionsPerText(WorkUnit unit, double grams);
/// "1,234,567 tokens".
std::string CountText(WorkUnit unit, std::int64_t count);

}  // namespace ebb::core
