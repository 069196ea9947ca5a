#pragma once
// Converts the contents of an answer into the whole hours of a MarketKind. Pure.

#include "core/signal/price_series.h"
#include "signals/markets/market_source.h"
#include "signals/traces/operator_forecast.h"

namespace ebb::signals {

/// Hours with every quantity known; empty if one quantity is missing altogether.
MarketHours HoursOf(const OperatorParts& parts);
/// Means of hours whose prices are all known, per MWh.
MarketHours HoursOf(const core::PriceSeries& prices);

}  // namespace ebb::signals
