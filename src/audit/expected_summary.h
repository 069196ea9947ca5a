#pragma once
// What summary.json, summary_<name>.json (NEO) and emissions.csv have to say of a run, from its
// facts and figures: the documents that the stored ones are held against. Fields that an audit
// cannot know are left out of them.

#include <string>

#include "audit/run_figures.h"

namespace ebb::audit {

/// JSON, as the others.
std::string ExpectedSummary(const RunFiles& files, const RunFacts& facts,
                            const RunFigures& figures);
std::string ExpectedNeo(const RunFiles& files, const RunFacts& facts, const RunFigures& figures);
/// One object, by column.
std::string ExpectedEmissionsRow(const RunFiles& files, const RunFacts& facts,
                                 const RunFigures& figures);
/// emissions.csv as such an object: numbers where `like` has numbers.
std::string EmissionsRow(std::string_view csv, const std::string& like);

}  // namespace ebb::audit
