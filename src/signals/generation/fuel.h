#pragma once
// What a kilowatt-hour from each fuel causes. The one table of factors for all operators that
// publish megawatts by fuel. Pure.

#include <optional>

#include "core/intensity.h"

namespace ebb::signals {

enum class Fuel {
  kCoal,  ///< hard coal, lignite, peat
  kGas,
  kOil,
  kBiomass,  ///< wood, biogas, waste
  kSolar,
  kHydro,
  kNuclear,
  kWind,  ///< on land, or where is not said
  kWindOffshore,
  kGeothermal,
  kOther,    ///< the operator does not say what is burnt, or calls it by a name that we do not know
  kStorage,  ///< what it returns was generated before, and it is not in the mean
  kImports,  ///< what was generated elsewhere, and it is not in the mean
};

/// In gCO2eq/kWh: the medians of the life cycle, or what leaves the chimney. Nothing for kOther,
/// kStorage and kImports: they are in no mean.
std::optional<double> GramsPerKwhOf(Fuel fuel, core::Boundary boundary);

}  // namespace ebb::signals
