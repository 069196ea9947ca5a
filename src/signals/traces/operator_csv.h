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

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "forecast/drivers.h"

namespace ebb::signals {

/// Means over an hour.
struct ExpectedHour {
  Time begin{};
  double load_mw = 0, wind_mw = 0, solar_mw = 0;
  std::optional<Time> published{};  ///< absent: the file does not say

  friend bool operator==(const ExpectedHour&, const ExpectedHour&) = default;
};

/// In order of time; only hours with all three values.
using OperatorForecast = std::vector<ExpectedHour>;

Result<OperatorForecast> ParseOperatorCsv(std::string_view text, const std::string& path);

/// The residual load, which is left for other plants: load less wind and sun. Hours without
/// `published` are left out.
forecast::Driver DriverOf(const OperatorForecast& hours);

}  // namespace ebb::signals
