#pragma once
// Reads records of text data, one by one: JSON lines (.jsonl, .ndjson, .json) or CSV with a header
// (.csv), plain or gzip (.gz). Memory does not grow with the file.

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
  /// Chooses the format by the file's name. The Error for other formats says how to convert them
  /// (Parquet).
  static Result<RecordReader> Open(const platform::Path& path);

  /// Reads the next record, an object; false after the last. Fields of CSV are text. Errors name
  /// the line.
  Result<bool> Next(JsonNode& record);
  /// "file:line" where the latest record begins.
  const std::string& Where() const { return where_; }
  /// The latest record as the JSON text in the file; "" for CSV.
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
  std::vector<std::string> names_;  ///< names of the columns
  std::string where_, json_;
};

}  // namespace ebb::train
