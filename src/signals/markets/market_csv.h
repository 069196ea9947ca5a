#pragma once
// The files that keep values of markets and operators, which --operators and --prices read, too:
// CSV of timestamp, the columns of the kind, published. Pure.

#include <string>
#include <string_view>

#include "signals/markets/market_source.h"

namespace ebb::signals {

std::string MarketText(const MarketKind& kind, const MarketHours& hours);

/// An Error, with its line, if the text is anything else.
Result<MarketHours> ParseMarketText(const MarketKind& kind, std::string_view text,
                                    const std::string& path);

}  // namespace ebb::signals
