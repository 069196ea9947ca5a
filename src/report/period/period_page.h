#pragma once
// The report of a period as a page: one file without script, for keeping and printing.

#include <string>

#include "report/period/billing_match.h"
#include "report/period/period.h"

namespace ebb::report {

/// `billing` is nullptr if no bill was given.
std::string PeriodPage(const PeriodReport& report, const BillingReport* billing);

}  // namespace ebb::report
