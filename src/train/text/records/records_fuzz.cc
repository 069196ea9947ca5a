// Fuzz target: takes any bytes as a file of records (JSON lines, CSV, gzip by the first byte), and
// any line of it as a pattern and as a filter. They are refused with an Error, or give texts whose
// answers lie in them. Run: build/fuzz/bin/records_fuzz -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

#include "base/check.h"
#include "platform/temporary_directory.h"
#include "train/text/records/record_form.h"
#include "train/text/records/record_reader.h"

namespace {

using namespace ebb::train;

void CheckFilled(const RecordPattern& pattern, const ebb::JsonNode& record) {
  const auto filled = pattern.Fill(record);
  if (!filled) return;
  for (const TextRange& range : filled->answers)
    EBB_CHECK(range.begin <= range.end && range.end <= filled->text.size());
}

// Reads at most as many records as there are bytes.
void ReadAll(const std::string& path, const RecordPattern& pattern, const RecordFilter& filter,
             std::size_t size) {
  auto reader = RecordReader::Open(path);
  if (!reader) return;
  ebb::JsonNode record;
  for (std::size_t count = 0;; ++count) {
    const auto more = reader->Next(record);
    if (!more || !*more) return;
    EBB_CHECK(count <= size || path.ends_with(".gz"));
    EBB_CHECK(!reader->Where().empty());
    CheckFilled(pattern, record);
    (void)filter.Takes(record);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto folder = ebb::platform::TemporaryDirectory::Make("records_fuzz").value();
  static const RecordPattern whole = RecordPattern::Parse(kTextPattern).value();
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  constexpr const char* kEndings[] = {".jsonl", ".csv", ".json", ".jsonl.gz"};
  const std::string path =
      (folder.path() / ("records" + std::string(kEndings[data[0] % std::size(kEndings)]))).string();
  std::ofstream(path, std::ios::binary) << bytes;
  const std::string line = bytes.substr(0, bytes.find('\n'));
  const auto pattern = RecordPattern::Parse(line);
  const auto filter = RecordFilter::Parse(line);
  ReadAll(path, pattern ? *pattern : whole, filter ? *filter : RecordFilter{}, size);
  return 0;
}
