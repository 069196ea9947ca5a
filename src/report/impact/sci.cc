#include "report/impact/sci.h"

#include <algorithm>

#include "base/enum_names.h"
#include "base/units_text.h"
#include "report/impact/impact_words.h"

namespace ebb::report {
namespace {

constexpr std::array<std::string_view, 5> kUnitNames{"run", "token", "sample", "step", "epoch"};

const WorkSum& WorkOf(const PeriodFacts& facts, FunctionalUnit unit) {
  switch (unit) {
    case FunctionalUnit::kToken:
      return facts.tokens;
    case FunctionalUnit::kSample:
      return facts.samples;
    case FunctionalUnit::kStep:
      return facts.steps;
    case FunctionalUnit::kEpoch:
    case FunctionalUnit::kRun:
      break;
  }
  return facts.epochs;
}

std::optional<double> PerUnit(std::optional<std::int64_t> micrograms,
                              std::optional<std::int64_t> units) {
  if (!micrograms || !units) return std::nullopt;
  return Grams(*micrograms) / static_cast<double>(*units);
}

// Counts the functional units. Work is that of whole runs, so it fits only energy of whole runs.
void AddUnits(const PeriodReport& report, Sci& sci) {
  const PeriodFacts& facts = report.facts;
  if (sci.unit == FunctionalUnit::kRun) {
    if (facts.runs > 0) sci.units = facts.runs;
    return;
  }
  const WorkSum& work = WorkOf(facts, sci.unit);
  const std::string units = std::string(Name(sci.unit)) + "s";
  if (facts.cut > 0)
    sci.unknown.push_back("R: " + RunsText(facts.cut) +
                          " also used energy outside of the period, and their work is known only "
                          "as a whole. Choose dates that contain whole runs.");
  else if (work.runs < facts.runs)
    sci.unknown.push_back("R: " + RunsText(facts.runs - work.runs) + " of " +
                          std::to_string(facts.runs) + " did not report their number of " + units +
                          ".");
  else if (work.count > 0)
    sci.units = work.count;
}

}  // namespace

std::string_view Name(FunctionalUnit unit) { return kUnitNames[static_cast<std::size_t>(unit)]; }
std::optional<FunctionalUnit> FunctionalUnitFromName(std::string_view name) {
  return EnumFromName<FunctionalUnit>(kUnitNames, name);
}

std::optional<std::int64_t> Sci::total_ug() const {
  if (!operational_ug || !embodied_ug) return std::nullopt;
  return *operational_ug + *embodied_ug;
}
std::optional<double> Sci::grams_per_unit() const { return PerUnit(total_ug(), units); }
std::optional<double> Sci::operational_per_unit() const { return PerUnit(operational_ug, units); }

Sci SciOf(const PeriodReport& report, FunctionalUnit unit) {
  const PeriodFigures& total = report.total.figures;
  Sci sci;
  sci.unit = unit;
  sci.energy = total.facility_energy;
  sci.intensity = MeanIntensity(total);
  if (total.without_intensity == Energy{})
    sci.operational_ug = total.emissions_ug;
  else
    sci.unknown.push_back("I: the intensity of " + EnergyText(total.without_intensity) +
                          " is not known.");
  sci.embodied_ug = total.known_embodied_ug();
  if (!sci.embodied_ug)
    sci.unknown.push_back(
        "M: not every run states the embodied emissions of its hardware (--embodied-kg).");
  AddUnits(report, sci);
  return sci;
}

}  // namespace ebb::report
