// Reads any bytes as a CSV file. The reader must either refuse them with an Error, or return
// records whose texts are parts of the file in order and whose fields, written out again, read back
// the same. Run: build/fuzz/bin/csv_fuzz -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/csv.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto records = ebb::ParseCsv(text, "fuzz.csv");
  ebb::CsvReader trimmed(text, "fuzz.csv", ebb::CsvBlanks::kTrimmed);
  (void)trimmed.ForEach([&]() -> ebb::Status {
    EBB_CHECK(!trimmed.fields().empty() && trimmed.line() > 0);
    return {};
  });
  if (!records) return 0;
  const char* after = text.data();
  for (const ebb::CsvRecord& record : *records) {
    EBB_CHECK(record.text.data() >= after && !record.fields.empty());
    after = record.text.data() + record.text.size();
    EBB_CHECK(after <= text.data() + text.size());
    const std::string line = ebb::CsvLine(record.fields);
    const auto again = ebb::ParseCsv("x\n" + line, "again.csv");
    EBB_CHECK(again && again->size() <= 2);
    if (again->size() == 2) EBB_CHECK((*again)[1].fields.size() == record.fields.size());
  }
  return 0;
}
