#pragma once
// CSV files of OASIS, the site on which California's operator CAISO publishes: its day-ahead
// forecasts of load (SLD_FCST) and of wind and sun (SLD_REN_FCST, whose trading hubs are summed),
// and day-ahead prices of a node (PRC_LMP). Rows stand in any order; times are in GMT; runs of
// other markets are left out. Columns: CAISO's interface specification of OASIS. Published at 13:00
// in California on the day before. Pure but for the time zone database.

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/price_series.h"
#include "prices/price_source.h"
#include "signals/traces/operator_forecast.h"

namespace ebb::signals {

/// Whether the first line is that of a file of OASIS.
bool IsOasisCsv(std::string_view text);

/// When CAISO publishes the day ahead.
Result<prices::Publication> OasisPublication();

/// Of SLD_FCST, the load of the whole system (CA ISO-TAC); of SLD_REN_FCST, the sum over hubs: an
/// hour for which one of them is missing is unknown.
Status ReadOasisForecasts(std::string_view text, const std::string& path, OperatorParts& parts);

/// Of PRC_LMP, in USD per kWh, each known from the beginning of time. `node` is which one, where
/// the file holds several; "": the only one.
Result<core::PriceSeries> ReadOasisPrices(std::string_view text, const std::string& path,
                                          const std::string& node);

/// What OASIS says where it has no answer: an XML file with ERR_DESC. An Error for other XML, too.
Error OasisRefusal(std::string_view xml, const std::string& path);

}  // namespace ebb::signals
