#include "report/csv_records.h"

#include <algorithm>

namespace ebb::report {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Reads record after record.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  }
  bool AtEnd() const { return at_ >= text_.size(); }

  // False for a quoted field that never ends.
  bool Next(CsvRecord& record) {
    const std::size_t begin = at_;
    record.line = line_;
    for (;;) {
      std::string field;
      if (!ReadField(field)) return false;
      record.fields.push_back(std::move(field));
      if (AtEnd() || text_[at_] != ',') break;
      ++at_;
    }
    record.text = text_.substr(begin, at_ - begin);
    SkipLineBreak();
    return true;
  }

 private:
  bool ReadField(std::string& field) {
    if (!AtEnd() && text_[at_] == '"') {
      ++at_;
      if (!ReadQuoted(field)) return false;
    }
    // After a closing quote nothing should follow; what does is kept.
    while (!AtEnd() && text_[at_] != ',' && !AtLineBreak()) field += text_[at_++];
    return true;
  }

  bool ReadQuoted(std::string& field) {
    for (; !AtEnd(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        field += text_[at_];
        continue;
      }
      ++at_;
      if (AtEnd() || text_[at_] != '"') return true;
      field += '"';
    }
    return false;
  }

  bool AtLineBreak() const {
    return text_[at_] == '\n' || (text_[at_] == '\r' && text_.substr(at_, 2) == "\r\n");
  }
  void SkipLineBreak() {
    if (AtEnd()) return;
    at_ += text_[at_] == '\r' ? 2 : 1;
    ++line_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

Result<std::vector<CsvRecord>> ParseCsv(std::string_view text, const std::string& where) {
  std::vector<CsvRecord> records;
  Reader reader(text);
  while (!reader.AtEnd()) {
    CsvRecord record;
    if (!reader.Next(record))
      return Fail({ExitCode::kConfiguration, "a quoted field never ends",
                   where + ":" + std::to_string(record.line), "close it with a quote"});
    if (!record.text.empty()) records.push_back(std::move(record));
  }
  return records;
}

std::string CsvField(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string CsvLine(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) line += (i ? "," : "") + CsvField(fields[i]);
  return line;
}

}  // namespace ebb::report
