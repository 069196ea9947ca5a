#pragma once
// The choice of services for operators' forecasts and day-ahead prices, as plain values.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ebb::signals {

enum class MarketService {
  kNone,
  kEntsoe,        ///< entsoe_api.h
  kEnergyCharts,  ///< energy_charts.h; prices only
  kOasis,         ///< oasis_server.h
};
/// The names "entso-e", "energy-charts", "oasis"; "" for none.
std::string_view Name(MarketService service);
std::optional<MarketService> MarketServiceFromName(std::string_view name);
/// Names of services with operators' forecasts, and of services with prices.
std::vector<std::string> OperatorServiceNames();
std::vector<std::string> PriceServiceNames();

struct MarketOptions {
  MarketService service = MarketService::kNone;
  std::string url;  ///< address of another server; empty: the service's own
};

}  // namespace ebb::signals
