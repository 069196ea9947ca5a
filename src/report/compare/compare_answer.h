#pragma once
// A comparison in four lines, for somebody who has never seen one: what ran, when, what that saved,
// and what it cost. The tables are in compare.h's texts and on the page.

#include <string>

#include "report/compare/compare.h"

namespace ebb::report {

/// Lines with a label each; times as "2021-05-04T18:00:00Z" (cli/local_times.h makes them local).
std::string ComparisonAnswer(const Comparison& comparison);

}  // namespace ebb::report
