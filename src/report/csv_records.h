#pragma once
// Comma-separated values as RFC 4180 and spreadsheets write them: quoted fields with doubled quotes
// and line breaks inside, LF or CRLF, a byte order mark, blank lines between records. For files
// whose rows must be kept as they are; traces have a reader of their own
// (signals/traces/trace_csv.h).

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ebb::report {

struct CsvRecord {
  std::vector<std::string> fields;
  std::string_view text;  ///< as it stands in the file, without its line break
  int line = 1;           ///< of its first character
};

/// The records refer to `text`. An Error, with the line, for a quoted field that never ends.
Result<std::vector<CsvRecord>> ParseCsv(std::string_view text, const std::string& where);

/// A field as it is written: quoted where it must be; line breaks become blanks, so that a record
/// is a line.
std::string CsvField(std::string text);
/// The fields with commas between them.
std::string CsvLine(const std::vector<std::string>& fields);

}  // namespace ebb::report
