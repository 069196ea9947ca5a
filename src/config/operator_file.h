#pragma once
// What operators expect of a grid (signals/traces/operator_csv.h), with when each hour of it was
// published. Reads a file.

#include <string>

#include "base/result.h"
#include "signals/traces/operator_csv.h"

namespace ebb::config {

/// CSV, plain or gzip. Where the file does not say when its rows were published, it is 18:00 in
/// Brussels on the day before, by which the operators of the EU have to publish them (Regulation
/// (EU) 543/2013, articles 6 and 14).
Result<signals::OperatorForecast> LoadOperators(const std::string& path);

}  // namespace ebb::config
