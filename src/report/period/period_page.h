#pragma once
// The report of a period as a page: one file without script, to be kept and to be printed.

#include <string>

#include "report/period/billing_match.h"
#include "report/period/period.h"

namespace ebb::report {

/// `billing`: nullptr where no bill was given.
std::string PeriodPage(const PeriodReport& report, const BillingReport* billing);

}  // namespace ebb::report
