#pragma once
// The comparison as one self-contained HTML page: text, tables and inline SVG; no script, no
// request. Light and dark by the reader's preference, readable on a phone and by a screen reader.
// All text that comes from a user is escaped.

#include <filesystem>
#include <string>

#include "base/result.h"
#include "report/compare/compare.h"

namespace ebb::report {

std::string ComparisonPage(const Comparison& comparison);

/// The files that WriteComparison wrote.
struct ComparisonFiles {
  std::filesystem::path json, neo_json, markdown, page;
};

/// Writes comparison.json, comparison_report.json, comparison.md and comparison.html into
/// `directory`, creating it.
Result<ComparisonFiles> WriteComparison(const std::filesystem::path& directory,
                                        const Comparison& comparison, Time generated_at);

}  // namespace ebb::report
