#include "core/ledger/work.h"

#include <algorithm>
#include <array>

#include "base/units_text.h"

namespace ebb::core {

std::string_view Name(WorkUnit unit) {
  static constexpr std::array<std::string_view, 3> kNames{"token", "sample", "step"};
  return kNames[static_cast<std::size_t>(unit)];
}

std::string EnergyPerKey(WorkUnit unit) { return "energy_per_" + std::string(Name(unit)) + "_j"; }
std::string EmissionsPerKey(WorkUnit unit) {
  return "emissions_per_" + std::string(Name(unit)) + "_g";
}

std::optional<std::int64_t> Work::*CountOf(WorkUnit unit) {
  static constexpr std::array kCounts{&Work::tokens, &Work::samples, &Work::steps};
  return kCounts[static_cast<std::size_t>(unit)];
}

Work Furthest(const Work& a, const Work& b) {
  // An absent count compares as less than every other.
  return {std::max(a.tokens, b.tokens), std::max(a.samples, b.samples), std::max(a.steps, b.steps)};
}

std::vector<UnitUse> UsePerUnit(const Work& work, Energy energy,
                                std::optional<Emissions> emissions) {
  std::vector<UnitUse> uses;
  if (energy == Energy{}) return uses;
  for (const WorkUnit unit : kWorkUnits) {
    const std::optional<std::int64_t>& count = work.*CountOf(unit);
    if (!count || *count <= 0) continue;
    const auto units = static_cast<double>(*count);
    UnitUse use{unit, *count, energy.joules() / units, std::nullopt};
    if (emissions) use.grams = emissions->grams / units;
    uses.push_back(use);
  }
  return uses;
}

std::string EnergyPerText(WorkUnit unit, double joules) {
  return JoulesText(joules) + "/" + std::string(Name(unit));
}

std::string EnergyPerText(const std::vector<UnitUse>& uses) {
  return uses.empty() ? "" : EnergyPerText(uses.front().unit, uses.front().joules);
}

double UnitsAtOnce(WorkUnit unit) { return unit == WorkUnit::kToken ? 1e6 : 1e3; }

std::string EmissionsPerText(WorkUnit unit, double grams) {
  return EmissionsText({grams * UnitsAtOnce(unit)}) + " per " +
         (unit == WorkUnit::kToken ? "million " : "1,000 ") + std::string(Name(unit)) + "s";
}

std::string CountText(WorkUnit unit, std::int64_t count) {
  return ebb::CountText(count) + " " + std::string(Name(unit)) + (count == 1 ? "" : "s");
}

}  // namespace ebb::core
