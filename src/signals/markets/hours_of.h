#pragma once
// What was read from an answer, as the whole hours of a MarketKind. Pure.

#include "core/price_series.h"
#include "signals/markets/market_source.h"
#include "signals/traces/operator_forecast.h"

namespace ebb::signals {

/// Hours of which every quantity is known; none while a whole quantity is missing.
MarketHours HoursOf(const OperatorParts& parts);
/// Means of hours whose prices are all known, per MWh.
MarketHours HoursOf(const core::PriceSeries& prices);

}  // namespace ebb::signals
