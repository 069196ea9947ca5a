#pragma once
// Which services are asked for what operators expect and for day-ahead prices, as plain values.

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
/// "entso-e", "energy-charts", "oasis"; "" for none.
std::string_view Name(MarketService service);
std::optional<MarketService> MarketServiceFromName(std::string_view name);
/// Of those that tell what operators expect; of those that tell prices.
std::vector<std::string> OperatorServiceNames();
std::vector<std::string> PriceServiceNames();

struct MarketOptions {
  MarketService service = MarketService::kNone;
  std::string url;  ///< of another server than the service's own; empty: that one
};

}  // namespace ebb::signals
