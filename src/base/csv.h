#pragma once
// Comma-separated values as RFC 4180 and spreadsheets write them: quoted fields with doubled quotes
// and line breaks inside, LF or CRLF, a byte order mark, blank lines between records. Every CSV
// file is read by this reader; the code that reads a kind of file knows what its columns mean.

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ebb {

/// Blanks at both ends of a field: either part of the field, as RFC 4180 has it, or decoration to
/// be trimmed.
enum class CsvBlanks { kKept, kTrimmed };

/// The separator between the fields of the first record: a comma, or a semicolon or tab if the
/// record has more of them.
char CsvSeparatorOf(std::string_view text);

/// Reads one record after another without copying the text, because a trace has a million of them.
class CsvReader {
 public:
  /// `text` must outlive the reader; `where` is the file's name for messages.
  CsvReader(std::string_view text, std::string where, CsvBlanks blanks = CsvBlanks::kKept,
            char separator = ',');

  /// Goes to the next record. Returns false if there is none, and an Error with the line for a
  /// quoted field that never ends.
  Result<bool> Next();
  /// Calls take() for each remaining record until take() returns an Error.
  template <typename Take>
  Status ForEach(Take take) {
    for (;;) {
      EBB_ASSIGN_OR_RETURN(const bool more, Next());
      if (!more) return {};
      EBB_RETURN_IF_ERROR(take());
    }
  }

  // The current record. It is valid until the next call of Next.
  const std::vector<std::string_view>& fields() const { return fields_; }
  std::string_view text() const { return record_; }  ///< the record's text, without its line break
  std::size_t line() const { return record_line_; }  ///< line of the record's first character

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
  std::deque<std::string> kept_;  ///< fields of this record whose text differs from the file's
  std::string_view record_;
  std::size_t record_line_ = 1;
};

struct CsvRecord {
  std::vector<std::string> fields;
  std::string_view text;
  std::size_t line = 1;
};

/// All records at once, for files that are small or must be kept unchanged. The records refer to
/// `text`.
Result<std::vector<CsvRecord>> ParseCsv(std::string_view text, const std::string& where);

/// A field in its written form: quoted if necessary, with blanks instead of line breaks, so that
/// each record is one line.
std::string CsvField(std::string text);
/// The fields with commas between them, as one line.
std::string CsvLine(const std::vector<std::string>& fields);

}  // namespace ebb
