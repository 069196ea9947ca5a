#pragma once
// Compares two JSON documents, leaf by leaf.

#include <string>
#include <string_view>
#include <vector>

#include "audit/evidence/findings.h"

namespace ebb::audit {

/// Largest relative difference between two sums of the same terms in another order.
inline constexpr double kTolerance = 1e-9;
/// Figures below this (J, g, kWh, ...) are rounding remainders of a difference.
inline constexpr double kSmallest = 1e-12;

/// Largest error of a difference of two such sums, relative to these sums.
inline constexpr double kToleranceOfDifference = 2 * kTolerance;

/// `floor`: values this close are alike in any case.
bool AreAlike(double told, double computed, double floor = kSmallest);

/// Compares every leaf of `computed` with `told`; both are JSON. Fields that only `told` has go to
/// `not_computed`. Returns the number of leaves compared. `where`: the name of the file, for
/// messages. `grams`: the size of the emissions whose differences are the savings.
std::int64_t Compare(std::string_view told, std::string_view computed, const std::string& where,
                     Check& check, std::vector<std::string>& not_computed, double grams = 0);

}  // namespace ebb::audit
