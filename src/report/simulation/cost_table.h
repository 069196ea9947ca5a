#pragma once
// The cost of each policy of a simulation, beside its emissions, for the terminal and the page
// alike. Empty if no prices are known.

#include <string>

#include "report/text_table.h"
#include "sim/experiment.h"
#include "sim/queue_plan.h"

namespace ebb::report {

/// One row per policy; no rows without prices in a currency. Savings are against run-now on sums
/// over start dates, and a negative one reads "worse".
TextTable CostTable(const sim::Experiment& experiment);

/// "Electricity: tariff california-pge, USD; ..."; empty without prices.
std::string PriceSentence(const sim::Experiment& experiment);

/// "electricity: 0.12 EUR expected, 0.1 EUR/kWh on average"; empty without prices.
std::string QueuePlanCostSentence(const sim::QueuePlan& plan);

}  // namespace ebb::report
