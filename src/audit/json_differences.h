#pragma once
// Two documents, leaf by leaf.

#include <string>
#include <string_view>
#include <vector>

#include "audit/findings.h"

namespace ebb::audit {

/// How far two sums of the same terms in another order may lie apart, relative to the larger.
inline constexpr double kTolerance = 1e-9;
/// Below this (J, g, kWh, ...) a figure is what rounding left of a difference.
inline constexpr double kSmallest = 1e-12;

/// How far a difference of two such sums may lie, relative to these.
inline constexpr double kToleranceOfDifference = 2 * kTolerance;

/// `floor`: that far apart is alike in any case.
bool AreAlike(double told, double computed, double floor = kSmallest);

/// Compares every leaf of `computed` with `told`; what `told` has beyond it goes to `not_computed`.
/// Both are JSON. Returns how many leaves were compared. `where`: the file. `grams`: what savings
/// are differences of.
std::int64_t Compare(std::string_view told, std::string_view computed, const std::string& where,
                     Check& check, std::vector<std::string>& not_computed, double grams = 0);

}  // namespace ebb::audit
