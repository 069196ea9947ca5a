#pragma once
// Physical quantities as people read them: three significant digits and the unit that fits. For
// text and pages; files carry plain numbers in fixed units.

#include <optional>
#include <string>

#include "base/time.h"
#include "base/units.h"

namespace ebb::report {

std::string EnergyText(Energy energy);           ///< "412 J", "0.412 Wh"... "1.23 kWh"
std::string EmissionsText(Emissions emissions);  ///< "117 mg", "1.23 g", "4.5 kg"
std::string IntensityText(Intensity intensity);  ///< "285 g/kWh"
std::string BytesText(double bytes);             ///< "74.1 MB" (10^6)
/// "34.3 % less", "121.6 % more", "the same" for a change in percent that prints as 0.0.
std::string ChangeText(double percent);
/// With its sign, "+1.2 %"; "0.0 %" without one.
std::string SignedPercentText(double percent);

}  // namespace ebb::report
