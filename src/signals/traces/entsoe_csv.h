#pragma once
// Reads operators' forecasts from CSV files of the ENTSO-E transparency platform: its exports (a
// column of local or UTC intervals, then one per quantity, or one beside "Production Type"), and
// its file library (DateTime(UTC), ResolutionCode, AreaCode, ..., in tabs). Missing values are
// unknown; intraday, current and actual ones are not read. Pure but for the time zone database.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "signals/traces/operator_forecast.h"

namespace ebb::signals {

/// Whether the first line is the header of such a file.
bool IsEntsoeCsv(std::string_view text);

/// `area` is the code of the area to take ("10Y1001A1001A83F") from a file that holds several; "":
/// such a file is an Error that names two of them.
Status ReadEntsoeCsv(std::string_view text, const std::string& path, const std::string& area,
                     OperatorParts& parts);

}  // namespace ebb::signals
