#pragma once
// What the operators of a grid expect of its load, wind and sun, from a CSV file:
//
//   timestamp,load_mw,wind_mw,solar_mw
//   2026-05-01T00:00:00Z,41200,8100,0
//
// One row per interval of an hour or less, UTC where a time has no offset; wind_onshore_mw and
// wind_offshore_mw may stand in place of wind_mw; a column published says when a row could be
// known. An empty value, or a missing row, leaves its hour unknown. What cannot be trusted is an
// Error with file and line. Format: docs/forecast.md. Pure.

#include <string>
#include <string_view>

#include "base/result.h"
#include "signals/traces/operator_forecast.h"

namespace ebb::signals {

Status ReadOperatorCsv(std::string_view text, const std::string& path, OperatorParts& parts);

}  // namespace ebb::signals
