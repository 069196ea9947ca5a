#pragma once
// What operators expect of a grid (signals/traces/operator_text.h), with when each hour of it was
// published. Reads files.

#include <string>

#include "base/result.h"
#include "signals/traces/operator_forecast.h"

namespace ebb::config {

/// A file in any format that is known, plain or gzip, or a folder of such files (those whose names
/// begin with a dot are left out; of two values for one moment, that of the later name counts).
/// `zone` chooses where a file holds several areas; "": not known. What does not say when it was
/// published was so at 18:00 in Brussels on the day before, by which the operators of the EU have
/// to (Regulation (EU) 543/2013, articles 6 and 14).
Result<signals::OperatorForecast> LoadOperators(const std::string& path, const std::string& zone);

}  // namespace ebb::config
