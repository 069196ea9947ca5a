#pragma once
// The widths of an elastic run over time: how many devices each attempt had, and its energy and
// emissions. The cost of a change of width is in the figures of the attempt that it begins: a
// program that starts again uses energy before it goes on.

#include <string>
#include <vector>

#include "core/ledger/ledger.h"
#include "core/run/run.h"

namespace ebb::report {

struct WidthStretch {
  int devices = 0;
  Interval wall, grid;
  core::LedgerTotals totals;
};

/// The attempts of the run whose number of devices is known, in their order; empty for a run that
/// is not elastic.
std::vector<WidthStretch> WidthCourse(const core::RunRecord& run);
/// The number of times that the width changed from one stretch to the next.
int WidthChanges(const std::vector<WidthStretch>& course);
/// "2, 1, 4 devices (1h on 1, 30m on 2, 20m on 4); 2 changes, their cost is in all figures".
std::string WidthCourseText(const std::vector<WidthStretch>& course);

}  // namespace ebb::report
