#pragma once
// Joins downloaded CSV files of one zone into one trace in our format, in the order of time, and
// checks them. Made for the yearly files of Electricity Maps' portal (hourly, 5-minute, daily,
// monthly); any CSV that trace_csv.h reads will do. Nothing is repaired: if two files contradict
// each other, that is an Error; times in no file stay gaps. Pure; no state.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/signal/intensity.h"

namespace ebb::signals {

struct ImportFile {
  std::string path;  ///< for messages; its name states the identity (trace_csv.h)
  std::string text;  ///< plain CSV
};

struct ImportOptions {
  /// Chooses between columns of both boundaries (default: life cycle), and is the boundary of files
  /// that state none.
  std::optional<core::Boundary> boundary;
  std::optional<std::string> zone;    ///< for files that name no zone, or several
  std::optional<std::string> column;  ///< heading of the values, if it is not a usual one
  bool times_are_utc = false;         ///< even if neither heading nor offset says so
};

/// The distance of rows: readings at no fixed distance, a fixed step, months or years.
enum class StepKind { kReadings, kFixed, kMonths, kYears };

struct ImportPart {
  std::string path;
  Interval span;         ///< span of the rows that have a value
  std::size_t rows = 0;  ///< number of rows that have a value
};

struct TraceImport {
  core::SignalIdentity identity;
  StepKind step_kind = StepKind::kReadings;
  Duration step{0};                   ///< for kFixed
  std::vector<core::Sample> samples;  ///< in order; never two of the same time
  std::vector<ImportPart> parts;      ///< in order of time
  std::vector<Interval> gaps;         ///< inside the series; none for readings
  std::size_t repeated = 0;           ///< rows that two files share; each is kept once
  std::size_t estimated = 0;          ///< samples that the source calls estimated
  std::vector<std::string> notes;     ///< remarks for the user to check
};

/// An Error with file and line for data that cannot be trusted: a wrong unit, rows out of order or
/// repeated, times that may be local, an unknown boundary or another than the wanted one, files of
/// different zones, boundaries or steps, different values for the same time.
Result<TraceImport> ImportTraces(const std::vector<ImportFile>& files,
                                 const ImportOptions& options);

/// The step in words: "5-minute", "hourly", "daily", "monthly", "yearly", "readings"; others as
/// "3h".
std::string StepName(const TraceImport& import);

/// The trace in the format of docs/signals.md.
std::string TraceCsv(const TraceImport& import);

/// For example "DE_imported_2021-2023_hourly_lifecycle.csv": whole years by their numbers, else
/// both dates.
std::string TraceFileName(const TraceImport& import);

}  // namespace ebb::signals
