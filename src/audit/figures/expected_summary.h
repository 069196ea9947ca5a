#pragma once
// The contents that summary.json, summary_<name>.json (NEO) and emissions.csv must have for a run's
// facts and figures. The stored files are compared with them. Fields that an audit cannot know are
// left out.

#include <string>

#include "audit/figures/run_figures.h"

namespace ebb::audit {

/// The expected summary as JSON, like the other documents below.
std::string ExpectedSummary(const RunFiles& files, const RunFacts& facts,
                            const RunFigures& figures);
std::string ExpectedNeo(const RunFiles& files, const RunFacts& facts, const RunFigures& figures);
/// The expected row as one JSON object with a field for each column.
std::string ExpectedEmissionsRow(const RunFiles& files, const RunFacts& facts,
                                 const RunFigures& figures);
/// The row of emissions.csv as such an object; a field is a number if it is one in `like`.
std::string EmissionsRow(std::string_view csv, const std::string& like);

}  // namespace ebb::audit
