#pragma once
// The web API of the ENTSO-E transparency platform (https://transparency.entsoe.eu) as a source:
// day-ahead forecasts of load (A65) and of wind and sun (A69), in two requests, and day-ahead
// prices (A44). Needs a token, which anybody gets who registers. An answer covers a year at most;
// 400 requests a minute are allowed. Sources: the platform's API guide; entsoe_document.h reads the
// answers.

#include <memory>

#include "signals/markets/market_source.h"
#include "signals/provider.h"

namespace ebb::signals {

inline constexpr const char* kEntsoeUrl = "https://web-api.tp.entsoe.eu";
inline constexpr const char* kEntsoeKeyVariable = "ENTSOE_API_KEY";

struct EntsoeApiOptions {
  std::string base_url = kEntsoeUrl;
  std::string token;  ///< never shown
  std::string area;   ///< "10Y1001A1001A83F"
};

/// A source whose forecasts are published at 18:00 in Brussels on the day before.
Result<std::unique_ptr<MarketSource>> MakeEntsoeOperators(EntsoeApiOptions options,
                                                          HttpGetFunction http_get);
/// A source whose prices are published at 13:00 in Brussels on the day before.
Result<std::unique_ptr<MarketSource>> MakeEntsoePrices(EntsoeApiOptions options,
                                                       HttpGetFunction http_get);

}  // namespace ebb::signals
