#pragma once
// Energy-Charts (https://api.energy-charts.info, Fraunhofer ISE) as a source of day-ahead prices of
// Europe's bidding zones. No key. Answers state their licence.

#include <memory>
#include <string>
#include <string_view>

#include "core/signal/price_series.h"
#include "signals/http/energy_charts_answer.h"
#include "signals/markets/market_source.h"
#include "signals/provider.h"

namespace ebb::signals {

struct EnergyChartsOptions {
  std::string base_url = kEnergyChartsUrl;
  std::string bidding_zone;  ///< "DE-LU"
};

/// Energy-Charts' name of the bidding zone of a zone of intensity; "" if it has none.
std::string EnergyChartsZone(std::string_view zone);

/// A source whose prices are published at 13:00 in Brussels on the day before.
Result<std::unique_ptr<MarketSource>> MakeEnergyCharts(EnergyChartsOptions options,
                                                       HttpGetFunction http_get);

/// Reads an answer of /price; a price that is null is a gap. Steps of up to an hour. Pure.
Result<core::PriceSeries> ParseEnergyCharts(std::string_view body, const std::string& where);

}  // namespace ebb::signals
