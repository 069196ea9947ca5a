#pragma once
// OASIS of California's operator CAISO (http://oasis.caiso.com) as a source: day-ahead forecasts of
// load (SLD_FCST) and of wind and sun (SLD_REN_FCST), in two requests, and day-ahead prices of a
// trading hub (PRC_LMP). No key. An answer covers 31 days at most, and a request every five seconds
// is allowed (kOasisRate). oasis_csv.h reads the answers.

#include <memory>

#include "platform/token_bucket.h"
#include "signals/markets/market_source.h"
#include "signals/provider.h"

namespace ebb::signals {

inline constexpr const char* kOasisUrl = "http://oasis.caiso.com/oasisapi";
inline constexpr platform::Rate kOasisRate{11, 1};

/// A source whose forecasts are published at 13:00 in California on the day before.
Result<std::unique_ptr<MarketSource>> MakeOasisOperators(std::string base_url,
                                                         HttpGetFunction http_get);
Result<std::unique_ptr<MarketSource>> MakeOasisPrices(std::string base_url,
                                                      HttpGetFunction http_get);

}  // namespace ebb::signals
