#pragma once
// The files that values of markets and operators are kept in, which --operators and --prices read,
// too: CSV of timestamp, the columns of the kind, published. Pure.

#include <string>
#include <string_view>

#include "signals/markets/market_source.h"

namespace ebb::signals {

std::string MarketText(const MarketKind& kind, const MarketHours& hours);

/// An Error, with line, where anything but that stands there.
Result<MarketHours> ParseMarketText(const MarketKind& kind, std::string_view text,
                                    const std::string& path);

}  // namespace ebb::signals
