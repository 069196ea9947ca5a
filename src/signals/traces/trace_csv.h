#pragma once
// Carbon intensity from a CSV file: one row per interval, ISO-8601 UTC start of the interval, value
// in gCO2eq/kWh, optionally the forecasts that were published for it. Format: docs/signals.md. A
// missing row or an empty value is a gap and stays one. Data that cannot be trusted (rows out of
// order, a value that is not a number, a wrong unit) is an Error with file and line, never
// repaired. Pure but for LoadTrace, which reads one file; no state.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/signal/intensity.h"

namespace ebb::signals {

/// The issue time of the values in a forecast column.
enum class ForecastIssue {
  kDayRun,     ///< forecast_dK: by the run of 00:00 UTC, K - 1 days before the row's UTC date
  kFixedLead,  ///< forecast_60min: that long before the row's time
  kUnknown,    ///< forecast_latest: no issue time, so of no use to a decision
};

struct ForecastColumn {
  std::string name;  ///< name in the header
  ForecastIssue issue = ForecastIssue::kUnknown;
  int days_ahead = 0;  ///< kDayRun: K - 1
  Duration lead{0};    ///< kFixedLead
  core::IntensitySeries series;

  /// The issue time of the value for the row that begins at `target`. Call it only if `issue` is
  /// not kUnknown.
  Time IssuedAt(Time target) const;
};

struct Trace {
  core::IntensitySeries series;
  Duration step{0};        ///< most frequent distance of rows; nominal if irregular
  bool irregular = false;  ///< readings at no fixed distance
  std::vector<ForecastColumn> forecasts;
};

struct TraceOptions {
  /// These override the file's name and header.
  std::optional<std::string> zone;
  std::optional<core::SignalKind> kind;
  std::optional<core::Boundary> boundary;
  /// The heading of the column of values, if it is not one of the known headings.
  std::optional<std::string> column;
  /// A reading of an irregular series holds until the next one, but no longer than this.
  Duration hold_limit{std::chrono::hours{2}};
};

/// Zone, kind and boundary from a file name of the form ZONE_source_period_step_boundary.csv[.gz].
core::SignalIdentity IdentityFromFileName(std::string_view path);

/// `text` is plain CSV; `path` is for messages, and its name states the identity.
Result<Trace> ParseTrace(std::string_view text, const std::string& path,
                         const TraceOptions& options = {});

/// Reads a plain or gzip file: a path, or a series that ships (platform/shipped_files.h).
Result<Trace> LoadTrace(const std::string& path, const TraceOptions& options = {});

}  // namespace ebb::signals
