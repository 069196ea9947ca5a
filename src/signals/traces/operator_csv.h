#pragma once
// Operators' forecasts of a grid's load, wind and sun, from a CSV file:
//
//   timestamp,load_mw,wind_mw,solar_mw
//   2026-05-01T00:00:00Z,41200,8100,0
//
// One row per interval of an hour or less, UTC if a time has no offset. The columns wind_onshore_mw
// and wind_offshore_mw may replace wind_mw; the column published says when a row became known. An
// empty value, or a missing row, leaves its hour unknown. Data that cannot be trusted is an Error
// with file and line. Format: docs/forecast.md. Pure.

#include <string>
#include <string_view>

#include "base/result.h"
#include "signals/traces/operator_forecast.h"

namespace ebb::signals {

Status ReadOperatorCsv(std::string_view text, const std::string& path, OperatorParts& parts);

}  // namespace ebb::signals
