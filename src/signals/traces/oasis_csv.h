#pragma once
// Reads CSV files of OASIS, the site on which California's operator CAISO publishes: its day-ahead
// forecasts of load (SLD_FCST) and of wind and sun (SLD_REN_FCST, whose trading hubs are summed),
// and day-ahead prices of a node (PRC_LMP). Rows are in any order; times are in GMT; runs of other
// markets are left out. Columns: CAISO's interface specification of OASIS. The files are published
// at 13:00 in California on the day before. Pure but for the time zone database.

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/signal/price_series.h"
#include "prices/price_source.h"
#include "signals/traces/operator_forecast.h"

namespace ebb::signals {

/// Whether the first line is the header of a file of OASIS.
bool IsOasisCsv(std::string_view text);

/// The time at which CAISO publishes the day ahead.
Result<prices::Publication> OasisPublication();

/// Adds the load of the whole system (CA ISO-TAC) from a SLD_FCST, or the sum over hubs from a
/// SLD_REN_FCST: an hour without one of the hubs is unknown.
Status ReadOasisForecasts(std::string_view text, const std::string& path, OperatorParts& parts);

/// The prices of a PRC_LMP, in USD per kWh, each known from the beginning of time. `node` chooses
/// one if the file holds several; "": the only one.
Result<core::PriceSeries> ReadOasisPrices(std::string_view text, const std::string& path,
                                          const std::string& node);

/// The reason that OASIS gives if it has no answer: an XML file with ERR_DESC. Other XML becomes an
/// Error, too.
Error OasisRefusal(std::string_view xml, const std::string& path);

}  // namespace ebb::signals
