#pragma once
// Records of text data, one by one: JSON lines (.jsonl, .ndjson, .json) or CSV with a header
// (.csv), plain or gzip
// (.gz). Memory does not grow with the file.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/json_node.h"
#include "base/result.h"
#include "platform/line_reader.h"

namespace ebb::train {

class RecordReader {
 public:
  /// By the file's name. An Error for other formats, which says how to convert (Parquet).
  static Result<RecordReader> Open(const platform::Path& path);

  /// The next record, an object; false after the last. Fields of CSV are text. Errors name the
  /// line.
  Result<bool> Next(JsonNode& record);
  /// "file:line" of the beginning of the record that Next gave last.
  const std::string& Where() const { return where_; }
  /// That record as JSON, as it stands in the file; "" for CSV.
  const std::string& Json() const { return json_; }

 private:
  enum class Format { kJsonLines, kCsv };
  RecordReader(platform::LineReader lines, Format format)
      : lines_(std::move(lines)), format_(format) {}

  Result<bool> NextLine(std::string& line);
  Result<bool> NextJson(JsonNode& record);
  Result<bool> NextCsv(JsonNode& record);
  Result<bool> NextCsvFields(std::vector<std::string>& fields);

  platform::LineReader lines_;
  Format format_;
  std::vector<std::string> names_;  ///< of the columns
  std::string where_, json_;
};

}  // namespace ebb::train
