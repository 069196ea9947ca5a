#include "signals/generation/fuel.h"

namespace ebb::signals {
namespace {

struct Factors {
  double lifecycle, direct;
};

// Sources: Schloemer et al. 2014, annex III of working group III in the IPCC's fifth assessment
// report, table A.III.2: medians of the life cycle (with albedo), and direct emissions. The table
// has no oil: its life cycle is the figure of the UK Parliamentary Office of Science and Technology
// (postnote 268, 2006), its direct emissions are 77.4 kg/GJ (IPCC guidelines 2006, volume 2, table
// 2.2, residual fuel oil) at an efficiency of 45 %. Direct emissions of biomass are zero by
// convention: it gives off when it burns what it took up while it grew.
constexpr Factors kCoal{820, 760};  // pulverised
constexpr Factors kGas{490, 370};   // combined cycle; single turbines cause more
constexpr Factors kOil{650, 619};
constexpr Factors kBiomass{230, 0};  // dedicated plants
constexpr Factors kSolar{48, 0};     // utility scale, photovoltaic
constexpr Factors kHydro{24, 0};
constexpr Factors kNuclear{12, 0};
constexpr Factors kWind{11, 0};
constexpr Factors kWindOffshore{12, 0};
constexpr Factors kGeothermal{38, 0};

std::optional<Factors> FactorsOf(Fuel fuel) {
  switch (fuel) {
    case Fuel::kCoal:
      return kCoal;
    case Fuel::kGas:
      return kGas;
    case Fuel::kOil:
      return kOil;
    case Fuel::kBiomass:
      return kBiomass;
    case Fuel::kSolar:
      return kSolar;
    case Fuel::kHydro:
      return kHydro;
    case Fuel::kNuclear:
      return kNuclear;
    case Fuel::kWind:
      return kWind;
    case Fuel::kWindOffshore:
      return kWindOffshore;
    case Fuel::kGeothermal:
      return kGeothermal;
    case Fuel::kOther:
    case Fuel::kStorage:
    case Fuel::kImports:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> GramsPerKwhOf(Fuel fuel, core::Boundary boundary) {
  const auto factors = FactorsOf(fuel);
  if (!factors) return std::nullopt;
  return boundary == core::Boundary::kDirect ? factors->direct : factors->lifecycle;
}

}  // namespace ebb::signals
