// Feeds any bytes to the readers of operators' forecasts, in XML or CSV, and of ENTSO-E's document
// of prices. Each refuses them with an Error that names the file, or returns hours in order. Run:
// build/fuzz/bin/operator_text_fuzz -max_total_time=60
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "signals/markets/market_csv.h"
#include "signals/traces/entsoe_document.h"
#include "signals/traces/operator_text.h"
#include "signals/traces/xml_tree.h"

namespace {

using namespace ebb;
using namespace ebb::signals;

void CheckRefused(const Error& error) { EBB_CHECK(!error.what.empty() && !error.where.empty()); }

void TryForecasts(const std::string& text) {
  OperatorParts parts;
  if (const auto read = ReadOperatorText(text, "fuzz", "DE", parts); !read)
    return CheckRefused(read.error());
  const auto hours = parts.ByHour("fuzz");
  if (!hours) return CheckRefused(hours.error());
  for (std::size_t i = 0; i < hours->size(); ++i) {
    EBB_CHECK(std::isfinite((*hours)[i].load_mw));
    if (i > 0) EBB_CHECK((*hours)[i].begin > (*hours)[i - 1].begin);
  }
}

// Values that are written to the cache's format read back as the same hours.
void TryKept(const std::string& text) {
  const MarketKind kind = MarketKind::Operators();
  const auto hours = ParseMarketText(kind, text, "fuzz");
  if (!hours) return CheckRefused(hours.error());
  const auto again = ParseMarketText(kind, MarketText(kind, *hours), "fuzz");
  EBB_CHECK(again.has_value());
  EBB_CHECK(again->size() == hours->size());
}

void TryPrices(const std::string& text) {
  if (!LooksLikeXml(text)) return;
  const auto document = ParseEntsoeDocument(text, "fuzz");
  if (!document) return CheckRefused(document.error());
  if (const auto prices = EntsoePrices(*document, "fuzz"); !prices) CheckRefused(prices.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  TryForecasts(text);
  TryPrices(text);
  TryKept(text);
  return 0;
}
