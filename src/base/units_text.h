#pragma once
// Physical quantities, money and changes as people read them, everywhere in Ebb. Files and answers
// of the API carry plain numbers in fixed units instead. Durations: FormatDuration (base/time.h).
// web/format.js follows the same rule.
//
// The rule: three significant digits, in the largest unit in which the value is at least 1 (the
// smallest unit for less). Energy is in joules up to 1 Wh and in watt-hours from there on. Zero is
// "0" with the base unit.

#include <cstdint>
#include <string>

#include "base/units.h"

namespace ebb {

std::string EnergyText(Energy energy);  ///< "518 mJ", "412 J", "1.20 Wh", "1.23 kWh"
/// An energy that need not be whole microjoules, as of one unit of work: "412 µJ", "0.120 nJ".
std::string JoulesText(double joules);
std::string EmissionsText(Emissions emissions);  ///< "495 ng", "8.17 mg", "1.23 g", "4.50 kg"
std::string PowerText(Power power);              ///< "850 mW", "38.2 W", "1.20 kW"
std::string IntensityText(Intensity intensity);  ///< "285 g/kWh", "3.4 g/kWh"
std::string BytesText(double bytes);             ///< "74.1 MB" (10^6)
/// "0.0123 EUR", "12.3 EUR"; smaller amounts are "under 0.000001 EUR".
std::string MoneyText(double amount, const std::string& currency);

/// A count with its thousands apart: "1,234,567".
std::string CountText(std::int64_t count);

/// A change of at least this many percent is written as a ratio: "8,672 times", not "+867135 %".
inline constexpr double kMostPercent = 900;
/// "12.3 times", "8,672 times".
std::string TimesText(double ratio);
/// "34.3 % less", "121.6 % more", "8,672 times as much"; "the same" if the percentage prints as
/// 0.0.
std::string ChangeText(double percent);
/// The change with its reference: "34.3 % less than baseline", "8,672 times as much as baseline",
/// "as much as baseline".
std::string ChangeAgainst(double percent, const std::string& other);
/// The percentage with its sign: "+1.2 %"; "0.0 %" has none; large ones are "8,672 times".
std::string SignedPercentText(double percent);

}  // namespace ebb
