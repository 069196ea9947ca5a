#pragma once
// A comparison in four lines for newcomers: what ran, when it ran, how much that saved, and how
// much it cost. compare.h's texts and the page have the tables.

#include <string>

#include "report/compare/compare.h"

namespace ebb::report {

/// Lines with a label each. Times are written as "2021-05-04T18:00:00Z" (cli/local_times.h makes
/// them local).
std::string ComparisonAnswer(const Comparison& comparison);

}  // namespace ebb::report
