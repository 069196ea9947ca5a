#pragma once
// Electricity prices of a scenario: the files that its sites name, or one for all of them, read and
// laid over its start dates. Reads files.

#include <optional>
#include <string>

#include "config/scenario_config.h"

namespace ebb::config {

/// Fills scenario.prices from price_files, where there are any and start dates are known, and tells
/// the forecasts of the sites what a market says (SignalOptions::prices). Errors: a
/// file that cannot be read, sites with prices in different currencies, a planner with a price
/// weight where there are no prices.
Status LoadSitePrices(ScenarioFile& file);

/// What a command line says over the file: one price file for all sites, one weight for all
/// planners. Empty, absent: as the file says.
Status OverridePrices(const std::string& path, std::optional<double> weight, ScenarioFile& file);

}  // namespace ebb::config
