#pragma once
// Reads runs, compares them, writes the comparison's files and prints them: for `ebb compare` and
// for the end of `ebb train --compare`.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace ebb::cli {

struct ComparisonRequest {
  std::vector<std::filesystem::path> directories;
  std::string baseline;  ///< empty: the first run's group
  std::string output_dir = "comparison";
  std::vector<std::string> notes;  ///< further notes for the reader
  bool unlike_programs = false;    ///< compare groups of several programs, not only of one
  bool json = false;
  bool brief = false;  ///< a few lines (report/compare/compare_answer.h) instead of the tables
};

Status CompareRuns(const ComparisonRequest& request);

}  // namespace ebb::cli
