// Fuzz target: any bytes as a file of prices, YAML and CSV, are either refused with an Error that
// names the file, or give prices that can be asked for over a whole year. Run:
// build/fuzz/bin/price_file_fuzz -max_total_time=60
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "config/prices/price_file.h"

namespace {

void Try(const std::string& text, const char* name) {
  using namespace ebb;
  const auto source = config::ParsePrices(text, name, [](const std::string& path) {
    return Result<std::string>(Fail({ExitCode::kConfiguration, "is not there", path, ""}));
  });
  if (!source) {
    EBB_CHECK(!source.error().what.empty() && !source.error().where.empty());
    return;
  }
  const Time begin = *ParseTime("2026-03-20");
  const core::PriceSeries prices =
      source->Over({begin, begin + std::chrono::days{source->tariff() ? 20 : 20'000}});
  for (const core::PriceSample& sample : prices.samples())
    EBB_CHECK(std::isfinite(sample.per_kwh) && prices.At(sample.interval.begin) == &sample);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Try(text, "fuzz.yaml");
  Try(text, "fuzz.csv");
  return 0;
}
