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

/// A change of at least this many percent is said as a ratio: "8,672 times", not "+867135 %".
inline constexpr double kMostPercent = 900;
/// "12.3 times", "8,672 times".
std::string TimesText(double ratio);
/// "34.3 % less", "121.6 % more", "8,672 times as much"; "the same" for a change in percent that
/// prints as 0.0.
std::string ChangeText(double percent);
/// The same with what the change is against: "34.3 % less than baseline", "8,672 times as much as
/// baseline", "as much as baseline".
std::string ChangeAgainst(double percent, const std::string& other);
/// With its sign, "+1.2 %"; "0.0 %" without one; "8,672 times".
std::string SignedPercentText(double percent);

}  // namespace ebb::report
