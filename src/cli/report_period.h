#pragma once
// ebb report period: energy, emissions and savings of a period, over run directories and stores.

#include <string>
#include <vector>

#include "cli/parser.h"

namespace ebb::cli {

/// The flags of the command as given.
struct PeriodFlags {
  std::string from, to, time_zone, by = "project", boundary;
  std::string supplier_factors, residual_mix;  ///< separated by commas
  std::vector<std::string> billing;
  std::string slurm;
  bool include_replayed = false;
  std::string given;  ///< the first of these flags that was given; empty if none
};
void AddPeriodFlags(Command& command, PeriodFlags& flags);

/// `format` is text, json or csv. The report's files go to `output_dir`; if it is empty, no file is
/// written.
Result<int> ReportPeriod(const std::vector<std::string>& sources, const PeriodFlags& flags,
                         const std::string& format, const std::string& output_dir);

}  // namespace ebb::cli
