#pragma once
// The header of a trace: the meaning of its columns, and whether the values can be g/kWh at all.
// Our own names, our signal.csv, and the exports of Electricity Maps are understood. Other columns
// are ignored, except unknown ones that begin with "forecast": a decision must not silently lose
// its forecast.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/signal/intensity.h"
#include "signals/traces/trace_csv.h"

namespace ebb::signals {

struct ForecastHeader {
  std::size_t column = 0;
  std::string name;
  ForecastIssue issue = ForecastIssue::kUnknown;
  int days_ahead = 0;
  Duration lead{0};
};

struct TraceHeader {
  std::size_t columns = 0;
  std::size_t time = 0;
  bool time_says_utc = false;  ///< "Datetime (UTC)"
  std::size_t value = 0;
  std::optional<std::size_t> end;
  std::optional<std::size_t> status;
  std::optional<std::size_t> estimated;  ///< true or false
  std::optional<std::size_t> zone;
  std::optional<core::Boundary> boundary;  ///< set if the name of the value's column states it
  std::string value_name;
  std::vector<ForecastHeader> forecasts;
};

/// `options.boundary` chooses between columns of both boundaries (without it life cycle is taken);
/// `options.column` is the heading of the column of values.
Result<TraceHeader> ParseTraceHeader(const std::vector<std::string_view>& fields,
                                     const std::string& where, const TraceOptions& options);

/// For example "Carbon intensity gCO₂eq/kWh (Life cycle)" ->
/// "carbon_intensity_gco2eq_kwh_life_cycle".
std::string NormalisedName(std::string_view column);

/// Whether a column of that normalised name holds the begin or the end of the interval, or the
/// zone.
bool IsTimeName(std::string_view name);
bool IsEndName(std::string_view name);
bool IsZoneName(std::string_view name);

}  // namespace ebb::signals
