#pragma once
// Electricity prices from a CSV file: one row per interval, time and price, with the unit in the
// column's name or in a column of its own. Besides plain files, these are understood: exports and
// the file library of the ENTSO-E transparency platform, Ember's hourly European prices, and
// datetime,value,unit as Electricity Maps names its fields. Format: docs/prices.md. Negative prices
// are legal; a missing row or an empty value is a gap and stays one. Data that cannot be trusted is
// an Error with file and line. Pure.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/signal/price_series.h"

namespace ebb::signals {

struct PriceCsvOptions {
  std::optional<std::string> currency;  ///< used if the file does not state it
  std::optional<bool> per_mwh;          ///< used if the file does not state it
  std::optional<std::string> zone;      ///< chooses one of several zones
};

/// Prices per kWh. `path` is for messages. If the file has no column `published`, every price is
/// known from the beginning of time, and the caller sets the publication (prices::AsPublished).
Result<core::PriceSeries> ParsePriceCsv(std::string_view text, const std::string& path,
                                        const PriceCsvOptions& options = {});

}  // namespace ebb::signals
