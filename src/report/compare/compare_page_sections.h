#pragma once
// The sections of the comparison page as HTML text. A section with nothing to show is empty.

#include <string>

#include "report/compare/compare.h"

namespace ebb::report {

/// The colour of every group.
std::string GroupLegend(const Comparison& comparison);
std::string IntensitySection(const Comparison& comparison);
std::string DifferencesSection(const Comparison& comparison);
std::string FactorsSection(const Comparison& comparison);
std::string EpochsSection(const Comparison& comparison);

}  // namespace ebb::report
