#pragma once
// The emissions of a kilowatt-hour from each fuel. The one table of factors for all operators that
// publish megawatts by fuel. Pure.

#include <optional>

#include "core/signal/intensity.h"

namespace ebb::signals {

enum class Fuel {
  kCoal,  ///< hard coal, lignite, peat
  kGas,
  kOil,
  kBiomass,  ///< wood, biogas, waste
  kSolar,
  kHydro,
  kNuclear,
  kWind,  ///< on land, or if the operator does not say where
  kWindOffshore,
  kGeothermal,
  kOther,    ///< the operator does not name the fuel, or uses a name that Ebb does not know
  kStorage,  ///< not in the mean: the energy was generated before
  kImports,  ///< not in the mean: the energy was generated elsewhere
};

/// The factor in gCO2eq/kWh: the median of the life cycle, or the direct emissions at the chimney.
/// nullopt for kOther, kStorage and kImports, which are in no mean.
std::optional<double> GramsPerKwhOf(Fuel fuel, core::Boundary boundary);

}  // namespace ebb::signals
