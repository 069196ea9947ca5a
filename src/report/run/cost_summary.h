#pragma once
// The cost of the electricity of one run, and the cost of the same measured energy at submission
// (core/ledger/cost.h). There is money only if the prices have a currency. A saving is the cost at
// submission minus the cost; a negative one is kept negative and called "worse" wherever it is
// printed.

#include <optional>
#include <string>

#include "core/ledger/cost.h"
#include "core/run/run.h"

namespace ebb::report {

struct CostSummary {
  core::Cost actual;
  std::optional<core::Cost> at_submission;
  /// Absent if any energy of either has no price: costs of unlike amounts are not compared.
  std::optional<double> saving;
};

/// Returns nothing without prices, a currency, or energy. `at_submission` is the grid time at which
/// the same rows would have begun.
std::optional<CostSummary> SummariseCost(const core::RunRecord& run, Time at_submission);

/// "0.0123 EUR  at 0.285 EUR/kWh; 4 % of the energy had no known price".
std::string CostText(const CostSummary& cost, const std::string& currency);
/// "0.0200 EUR; this run saved 0.0077 EUR, 38.5 % less"; empty if unknown.
std::string CostAtSubmissionText(const CostSummary& cost, const std::string& currency);

}  // namespace ebb::report
