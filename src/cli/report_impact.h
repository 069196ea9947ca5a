#pragma once
// ebb report impact: the figures of runs in the forms that others ask for (docs/report-impact.md).

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/parser.h"
#include "cli/period_account.h"

namespace ebb::cli {

/// The flags of the command as given, beside those of a period.
struct ImpactFlags {
  std::string as, functional_unit = "run";
  std::string given;  ///< the first of these flags that was given; empty if none
};
void AddImpactFlags(Command& command, ImpactFlags& flags);

/// Prints the report, which names the `version` of Ebb. It also goes to `output_dir`; if that is
/// empty, no file is written.
Result<int> ReportImpact(const std::vector<std::string>& sources, const ImpactFlags& flags,
                         const PeriodFlags& period, const std::string& version,
                         const std::string& output_dir);

}  // namespace ebb::cli
