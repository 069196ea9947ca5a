#pragma once
// The common parts of all CSV files of a series over time, whatever its values are: times, the
// order of rows, its zone, and the interval that a row holds for. Used by traces of intensity, of
// prices, of what operators expect, and by what is kept of markets and weather.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "base/result.h"
#include "base/time.h"

namespace ebb::signals {

/// One row: a value from `begin` on. Kinds of rows derive from it.
struct TimedRow {
  std::size_t line = 0;
  Time begin{};
  std::optional<Time> end;
  std::optional<double> value;  ///< absent: a gap
};

Error AtLine(const std::string& path, std::size_t line, std::string what, std::string next = "");

/// Moves to the header. An Error if the file has only blank lines.
Status ReadHeader(CsvReader& csv, const std::string& path);

/// Refuses a row whose number of fields is not that of the header.
Status CheckColumns(const CsvReader& csv, std::size_t columns, const std::string& path);

/// A time written as whole seconds or milliseconds since 1970.
std::optional<Time> TimeSince1970(std::string_view text);

/// Reads an ISO-8601 time, UTC if it has no offset, or seconds or milliseconds since 1970.
Result<Time> ReadTimeField(std::string_view text, const std::string& path, std::size_t line);

/// Refuses a row whose interval, if it has one, does not end after its begin.
Status CheckEnd(const TimedRow& row, const std::string& path);

/// Refuses a row that is not later than `before`, or begins inside its interval.
Status CheckRowOrder(const TimedRow& before, const TimedRow& row, const std::string& path);

/// Chooses the rows of one zone from a file that may hold several.
class ZoneOfRows {
 public:
  /// `wanted`: without it the file must hold one zone only; `next` is the advice if it does not.
  ZoneOfRows(std::optional<std::string> wanted, std::string next)
      : wanted_(std::move(wanted)), next_(std::move(next)) {}

  /// Whether the row belongs to the zone. `columns`: those that may name it, the usual one first.
  Result<bool> Takes(const CsvReader& csv, const std::vector<std::size_t>& columns,
                     const std::string& path);
  /// The zone of the file, if it names one and none was wanted.
  const std::string& found() const { return found_; }

 private:
  const std::optional<std::string> wanted_;
  const std::string next_;
  std::string found_;
};

/// The error for a file without rows, or without rows of the wanted zone.
Error NoRows(const std::string& path, const std::optional<std::string>& wanted_zone);

/// The last part of a path.
std::string_view FileName(std::string_view path);

struct RowStep {
  Duration length{0};
  bool irregular = false;
};
/// The most frequent distance of neighbouring rows (the shorter among equals). If fewer than half
/// of the rows keep it, the series is one of readings at no fixed distance, and `length` is an hour
/// or `hold_limit`.
RowStep InferStep(const std::vector<Time>& begins, Duration hold_limit);

/// A row holds for a step (regular) or up to the limit (irregular), never beyond the next row.
template <typename Row>
Interval IntervalOf(const std::vector<Row>& rows, std::size_t index, Duration longest) {
  const TimedRow& row = rows[index];
  Time end = row.end.value_or(row.begin + longest);
  if (index + 1 < rows.size()) end = std::min(end, rows[index + 1].begin);
  return {row.begin, end};
}

template <typename Row>
std::vector<Time> BeginsOf(const std::vector<Row>& rows) {
  std::vector<Time> begins;
  for (const TimedRow& row : rows) begins.push_back(row.begin);
  return begins;
}

}  // namespace ebb::signals
