#include "base/csv.h"

#include <algorithm>

#include "base/text.h"

namespace ebb {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

char CsvSeparatorOf(std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  char most = ',';
  for (const char other : {';', '\t'})
    if (std::ranges::count(first, other) > std::ranges::count(first, most)) most = other;
  return most;
}

CsvReader::CsvReader(std::string_view text, std::string where, CsvBlanks blanks, char separator)
    : text_(text), where_(std::move(where)), blanks_(blanks), separator_(separator) {
  if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
}

Result<bool> CsvReader::Next() {
  while (!AtEnd()) {
    if (!ReadRecord())
      return Fail({ExitCode::kConfiguration, "a quoted field never ends",
                   where_ + ":" + std::to_string(record_line_), "close it with a quote"});
    if (!Trim(record_).empty()) return true;
  }
  return false;
}

// Returns false for a quoted field that never ends.
bool CsvReader::ReadRecord() {
  fields_.clear();
  kept_.clear();
  record_line_ = line_;
  const std::size_t begin = at_;
  for (;; ++at_) {
    if (!ReadField()) return false;
    if (AtEnd() || text_[at_] != separator_) break;
  }
  record_ = text_.substr(begin, at_ - begin);
  if (AtEnd()) return true;
  if (record_.ends_with('\r')) record_.remove_suffix(1);
  ++at_;
  ++line_;
  return true;
}

// Reads one field and goes to the comma or line break behind it.
bool CsvReader::ReadField() {
  const bool trimmed = blanks_ == CsvBlanks::kTrimmed;
  std::size_t open = at_;
  const auto is_blank = [&](char c) { return c == ' ' || (c == '\t' && separator_ != '\t'); };
  while (trimmed && open < text_.size() && is_blank(text_[open])) ++open;
  std::string_view field;
  if (open < text_.size() && text_[open] == '"') {
    at_ = open + 1;
    if (!ReadQuoted(field)) return false;
  } else {
    field = TakeUnquoted();
  }
  fields_.push_back(trimmed ? Trim(field) : field);
  return true;
}

bool CsvReader::ReadQuoted(std::string_view& field) {
  std::string before;  // the text before a doubled quote, with one of the two quotes
  for (;;) {
    const std::size_t quote = text_.find('"', at_);
    if (quote == std::string_view::npos) return false;
    field = text_.substr(at_, quote - at_);
    line_ += static_cast<std::size_t>(std::count(field.begin(), field.end(), '\n'));
    at_ = quote + 1;
    if (AtEnd() || text_[at_] != '"') break;
    before += text_.substr(quote - field.size(), field.size() + 1);
    ++at_;
  }
  // Nothing should follow a closing quote. Text that does follow is kept.
  const std::string_view rest = TakeUnquoted();
  if (!before.empty() || !rest.empty())
    field = Keep(before + std::string(field) + std::string(rest));
  return true;
}

std::string_view CsvReader::TakeUnquoted() {
  const std::size_t begin = at_;
  while (!AtEnd() && text_[at_] != separator_ && text_[at_] != '\n') ++at_;
  std::string_view taken = text_.substr(begin, at_ - begin);
  if (!AtEnd() && text_[at_] == '\n' && taken.ends_with('\r')) taken.remove_suffix(1);
  return taken;
}

Result<std::vector<CsvRecord>> ParseCsv(std::string_view text, const std::string& where) {
  std::vector<CsvRecord> records;
  CsvReader reader(text, where);
  EBB_RETURN_IF_ERROR(reader.ForEach([&]() -> Status {
    const auto& fields = reader.fields();
    records.push_back({{fields.begin(), fields.end()}, reader.text(), reader.line()});
    return {};
  }));
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

}  // namespace ebb
