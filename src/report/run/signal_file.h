#pragma once
// signal.csv: the settled intensity samples of a run in the columns of the traces that Ebb replays,
// with the end of each interval and its status. Times are UTC; values read back exactly. run.json
// has the common properties of the samples (zone, kind, boundary, source). prices.csv is the same
// for electricity prices, as `ebb prices` reads them.

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/signal/intensity.h"
#include "core/signal/price_series.h"

namespace ebb::report {

std::string FormatSignal(const core::IntensitySeries& signal);
/// `file` is the file's name for messages.
Result<core::IntensitySeries> ParseSignal(std::string_view text, core::SignalIdentity identity,
                                          const std::string& file);

std::string FormatPrices(const core::PriceSeries& prices);
Result<core::PriceSeries> ParsePrices(std::string_view text, core::PriceIdentity identity,
                                      const std::string& file);

}  // namespace ebb::report
