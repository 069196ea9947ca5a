#pragma once
// Comma-separated values as RFC 4180 and spreadsheets write them: quoted fields with doubled quotes
// and line breaks inside, LF or CRLF, a byte order mark, blank lines between records. The one
// reader of every CSV file; what the columns mean is known where the file is.

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ebb {

/// What blanks at both ends of a field are: part of it, as RFC 4180 has it, or only there to please
/// the eye.
enum class CsvBlanks { kKept, kTrimmed };

/// What stands between the fields of the first record: a comma, or a semicolon or tab where there
/// are more of them.
char CsvSeparatorOf(std::string_view text);

/// Reads record after record, without a copy of the text: a trace has a million of them.
class CsvReader {
 public:
  /// `text` must outlive the reader; `where` is for messages.
  CsvReader(std::string_view text, std::string where, CsvBlanks blanks = CsvBlanks::kKept,
            char separator = ',');

  /// Goes to the next record; false where there is none. An Error, with the line, for a quoted
  /// field that never ends.
  Result<bool> Next();
  /// Calls take() at each record that is left, until that is an Error.
  template <typename Take>
  Status ForEach(Take take) {
    for (;;) {
      EBB_ASSIGN_OR_RETURN(const bool more, Next());
      if (!more) return {};
      EBB_RETURN_IF_ERROR(take());
    }
  }

  // The record, until Next goes on.
  const std::vector<std::string_view>& fields() const { return fields_; }
  std::string_view text() const { return record_; }  ///< as it stands, without its line break
  std::size_t line() const { return record_line_; }  ///< of its first character

 private:
  bool AtEnd() const { return at_ >= text_.size(); }
  bool ReadRecord();
  bool ReadField();
  bool ReadQuoted(std::string_view& field);
  std::string_view TakeUnquoted();
  std::string_view Keep(std::string text) { return kept_.emplace_back(std::move(text)); }

  const std::string_view text_;
  const std::string where_;
  const CsvBlanks blanks_;
  const char separator_;
  std::size_t at_ = 0, line_ = 1;
  std::vector<std::string_view> fields_;
  std::deque<std::string> kept_;  ///< fields of this record that do not stand in the text like this
  std::string_view record_;
  std::size_t record_line_ = 1;
};

struct CsvRecord {
  std::vector<std::string> fields;
  std::string_view text;
  std::size_t line = 1;
};

/// All records at once, for files that are small or must be kept as they are. They refer to `text`.
Result<std::vector<CsvRecord>> ParseCsv(std::string_view text, const std::string& where);

/// A field as it is written: quoted where it must be; line breaks become blanks, so that a record
/// is a line.
std::string CsvField(std::string text);
/// The fields with commas between them.
std::string CsvLine(const std::vector<std::string>& fields);

}  // namespace ebb
