#pragma once
// Electricity prices of a scenario: reads the files that its sites name, or one file for all sites,
// and lays the prices over the start dates. Reads files.

#include <optional>
#include <string>

#include "config/scenario/scenario_config.h"

namespace ebb::config {

/// Fills scenario.prices from price_files if there are any and start dates are known, and gives
/// market prices to the forecasts of the sites (SignalOptions::prices). Errors: a file that cannot
/// be read, sites with prices in different currencies, a planner with a price weight but no prices.
Status LoadSitePrices(ScenarioFile& file);

/// Applies the command line over the file: one price file for all sites, one price weight for all
/// planners. An empty path or an absent weight changes nothing.
Status OverridePrices(const std::string& path, std::optional<double> weight, ScenarioFile& file);

}  // namespace ebb::config
