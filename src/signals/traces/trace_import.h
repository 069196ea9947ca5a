#pragma once
// Downloads made into one trace of our own: CSV files of one zone, joined in the order of time and
// checked. Made for the yearly files of Electricity Maps' portal (hourly, 5-minute, daily,
// monthly); any CSV that trace_csv.h reads will do. Nothing is repaired: what two files say
// differently is an Error, what no file says stays a gap. Pure; no state.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/intensity.h"

namespace ebb::signals {

struct ImportFile {
  std::string path;  ///< for messages, and for what its name tells (trace_csv.h)
  std::string text;  ///< plain CSV
};

struct ImportOptions {
  /// Which column is taken where there are two (default: life cycle), and what a file holds that
  /// does not say it.
  std::optional<core::Boundary> boundary;
  std::optional<std::string> zone;    ///< where the files name none, or several
  std::optional<std::string> column;  ///< heading of the values, where it is none of the usual ones
  bool times_are_utc = false;         ///< also where neither heading nor offset says so
};

/// How far apart rows are: readings at no fixed distance, a fixed step, months or years.
enum class StepKind { kReadings, kFixed, kMonths, kYears };

struct ImportPart {
  std::string path;
  Interval span;         ///< of the rows that have a value
  std::size_t rows = 0;  ///< that have a value
};

struct TraceImport {
  core::SignalIdentity identity;
  StepKind step_kind = StepKind::kReadings;
  Duration step{0};                   ///< kFixed
  std::vector<core::Sample> samples;  ///< in order; never two of the same time
  std::vector<ImportPart> parts;      ///< by time
  std::vector<Interval> gaps;         ///< inside the series; none for readings
  std::size_t repeated = 0;           ///< rows that two files have alike; kept once
  std::size_t estimated = 0;          ///< samples that the source calls estimated
  std::vector<std::string> notes;     ///< what a reader should look at
};

/// An Error with file and line for what cannot be trusted: a wrong unit, rows out of order or there
/// twice, times that may be local, an unknown boundary or another than the wanted one, files of
/// different zones, boundaries or steps, values that differ for the same time.
Result<TraceImport> ImportTraces(const std::vector<ImportFile>& files,
                                 const ImportOptions& options);

/// "5-minute", "hourly", "daily", "monthly", "yearly", "readings"; other steps as "3h".
std::string StepName(const TraceImport& import);

/// The trace as docs/signals.md describes it.
std::string TraceCsv(const TraceImport& import);

/// "DE_imported_2021-2023_hourly_lifecycle.csv": whole years by their numbers, else both dates.
std::string TraceFileName(const TraceImport& import);

}  // namespace ebb::signals
