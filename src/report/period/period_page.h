#pragma once
// The report of a period as a page: one file without script, for keeping and printing.

#include <string>

#include "report/period/billing_match.h"
#include "report/period/period.h"
#include "report/period/slurm_jobs.h"

namespace ebb::report {

/// `billing` is nullptr if no bill was given, `slurm` if no accounting of Slurm was.
std::string PeriodPage(const PeriodReport& report, const BillingReport* billing,
                       const SlurmReport* slurm);

}  // namespace ebb::report
