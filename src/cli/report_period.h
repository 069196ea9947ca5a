#pragma once
// ebb report period: energy, emissions and savings of a period, over run directories and stores.

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/period_account.h"

namespace ebb::cli {

/// `format` is text, json or csv. The report's files go to `output_dir`; if it is empty, no file is
/// written.
Result<int> ReportPeriod(const std::vector<std::string>& sources, const PeriodFlags& flags,
                         const std::string& format, const std::string& output_dir);

}  // namespace ebb::cli
