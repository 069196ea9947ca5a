// Reads any bytes as Prometheus's text format. The reader must either refuse them with an Error, or
// return samples whose parts are parts of the text. Run: build/fuzz/bin/exposition_fuzz
// -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/exposition_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto read = ebb::ForEachSample(text, [&](const ebb::ExpositionSample& sample) {
    EBB_CHECK(!sample.name.empty() && text.find(sample.name) != std::string::npos);
    std::size_t length = 0;
    for (const auto& [label, value] : sample.labels) length += label.size() + value.size();
    EBB_CHECK(length <= size);
  });
  EBB_CHECK(read || !read.error().what.empty());
  return 0;
}
