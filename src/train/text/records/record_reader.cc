#include "train/text/records/record_reader.h"

#include "base/csv.h"
#include "base/text.h"
#include "train/text/tokenizer/utf8.h"

namespace ebb::train {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// True if a CSV field in quotes continues after the end of `line`.
bool EndsInQuotes(std::string_view line, bool in_quotes) {
  bool field_begins = !in_quotes;
  for (const char c : line) {
    if (in_quotes) {
      // A doubled quote closes the field and opens it again.
      if (c == '"') in_quotes = false;
    } else if (c == '"' && field_begins) {
      in_quotes = true;
    }
    field_begins = !in_quotes && (c == ',' || c == '"');
  }
  return in_quotes;
}

tl::unexpected<Error> Malformed(std::string what, std::string where, std::string next = "") {
  return Fail({ExitCode::kConfiguration, std::move(what), std::move(where), std::move(next)});
}

// True if the nesting is deeper than the reader's limit, which keeps any input from exhausting the
// stack.
bool IsNestedTooDeeply(std::string_view line) {
  constexpr int kDeepest = 32;
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') in_text = !in_text;
    if (in_text && line[i] == '\\') ++i;
    if (in_text) continue;
    if (line[i] == '{' || line[i] == '[') ++depth;
    if (line[i] == '}' || line[i] == ']') --depth;
    if (depth > kDeepest) return true;
  }
  return false;
}

std::string WhyNotJson(const std::string& line) {
  if (IsNestedTooDeeply(line)) return "the line is JSON of more than 32 levels";
  return "the line is not JSON: " + Quoted(line);
}

}  // namespace

Result<RecordReader> RecordReader::Open(const platform::Path& path) {
  std::string name = Lowercase(path.filename().string());
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const auto ends = [&](const char* ending) { return name.ends_with(ending); };
  if (ends(".parquet"))
    return Malformed("Parquet is not read directly", path.string(),
                     "convert it: python3 -c \"import pandas; pandas.read_parquet('" +
                         path.filename().string() +
                         "').to_json('data.jsonl', orient='records', lines=True)\"");
  const bool json = ends(".jsonl") || ends(".ndjson") || ends(".json");
  if (!json && !ends(".csv"))
    return Malformed("the name says no format of text data", path.string(),
                     "call it .jsonl or .csv, with .gz behind if it is gzip");
  EBB_ASSIGN_OR_RETURN(platform::LineReader lines, platform::LineReader::Open(path));
  return RecordReader(std::move(lines), json ? Format::kJsonLines : Format::kCsv);
}

Result<bool> RecordReader::Next(JsonNode& record) {
  return format_ == Format::kCsv ? NextCsv(record) : NextJson(record);
}

Result<bool> RecordReader::NextLine(std::string& line) {
  auto more = lines_.Next(line);
  if (more && *more && lines_.line_number() == 1 && line.starts_with(kByteOrderMark))
    line.erase(0, kByteOrderMark.size());
  return more;
}

Result<bool> RecordReader::NextJson(JsonNode& record) {
  std::string& line = json_;
  do {
    EBB_ASSIGN_OR_RETURN(const bool more, NextLine(line));
    if (!more) return false;
  } while (Trim(line).empty());
  where_ = lines_.Where();
  if (!IsUtf8(line))
    return Malformed("the line is not UTF-8", where_, "convert the file: iconv -f latin1 -t utf-8");
  auto parsed = ParseJson(line, where_);
  if (!parsed) return Malformed(WhyNotJson(line), where_, "each line must be a JSON object");
  if (!parsed->is_object()) return Malformed("the line is JSON, but not an object", where_);
  record = *std::move(parsed);
  return true;
}

// Reads the fields of a record; a quoted field may span several lines.
Result<bool> RecordReader::NextCsvFields(std::vector<std::string>& fields) {
  std::string text, line;
  bool in_quotes = false;
  do {
    EBB_ASSIGN_OR_RETURN(const bool more, NextLine(line));
    if (!more) {
      if (!in_quotes) return false;
      return Malformed("a quoted field never ends", where_, "close it with a quote");
    }
    if (!in_quotes) {
      if (Trim(line).empty()) continue;
      where_ = lines_.Where();
    } else {
      text += '\n';
    }
    in_quotes = EndsInQuotes(line, in_quotes);
    text += line;
    if (text.size() > platform::LineReader::kLongestLineBytes)
      return Malformed("the record is longer than " +
                           std::to_string(platform::LineReader::kLongestLineBytes) + " bytes",
                       where_, "look for a quote that is not closed");
  } while (in_quotes || text.empty());
  CsvReader reader(text, where_);
  EBB_ASSIGN_OR_RETURN(const bool found, reader.Next());
  if (!found) return Malformed("the record is empty", where_);
  fields.assign(reader.fields().begin(), reader.fields().end());
  return true;
}

Result<bool> RecordReader::NextCsv(JsonNode& record) {
  if (names_.empty()) {
    EBB_ASSIGN_OR_RETURN(const bool found, NextCsvFields(names_));
    if (!found) return Malformed("the file has no header", lines_.Where());
  }
  std::vector<std::string> fields;
  EBB_ASSIGN_OR_RETURN(const bool more, NextCsvFields(fields));
  if (!more) return false;
  if (fields.size() != names_.size())
    return Malformed("the record has " + std::to_string(fields.size()) + " fields, the header " +
                         std::to_string(names_.size()),
                     where_);
  record = JsonNode{};
  record.type = JsonNode::Type::kObject;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    JsonNode value;
    value.type = JsonNode::Type::kText;
    value.text = std::move(fields[i]);
    record.members.push_back({names_[i], std::move(value)});
  }
  return true;
}

}  // namespace ebb::train
