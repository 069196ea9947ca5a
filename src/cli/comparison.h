#pragma once
// Reads runs, compares them, writes the comparison's files and prints what they say: used by `ebb
// compare` and at the end of `ebb train --compare`.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace ebb::cli {

struct ComparisonRequest {
  std::vector<std::filesystem::path> directories;
  std::string baseline;  ///< empty: the first run's group
  std::string output_dir = "comparison";
  std::vector<std::string> notes;  ///< what its reader should know besides
  bool unlike_programs = false;    ///< compare them, instead of those of one program
  bool json = false;
  bool brief = false;  ///< a few lines (report/compare/compare_answer.h) instead of the tables
};

Status CompareRuns(const ComparisonRequest& request);

}  // namespace ebb::cli
