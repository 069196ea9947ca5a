#pragma once
// Reads the forecasts of grid operators (signals/traces/operator_text.h) with the time at which
// each hour was published. Reads files.

#include <string>

#include "base/result.h"
#include "signals/traces/operator_forecast.h"

namespace ebb::config {

/// Reads a file in any known format, plain or gzip, or a folder of such files. In a folder, files
/// whose names begin with a dot are left out; if two files have a value for the same moment, the
/// later name wins. `zone` chooses the area if a file holds several; "" if unknown. A file without
/// publication times counts as published at 18:00 in Brussels on the day before, the deadline that
/// EU operators have to meet (Regulation (EU) 543/2013, articles 6 and 14).
Result<signals::OperatorForecast> LoadOperators(const std::string& path, const std::string& zone);

}  // namespace ebb::config
