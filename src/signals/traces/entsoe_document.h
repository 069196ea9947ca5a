#pragma once
// Documents of the ENTSO-E transparency platform, as its API answers them: load, wind and solar
// forecasts (GL_MarketDocument of type A65 and A69), generation by type (A75) and day-ahead prices
// (Publication_MarketDocument, A44), in steps of PT15M, PT30M or PT60M. Of curve type A03, a
// position that is left out repeats the one before; of A01 it is a gap. Units, kinds of processes
// and areas are checked; what does not fit is an Error with file and line. Sources: the platform's
// implementation guides, and answers of it in public repositories. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/price_series.h"
#include "signals/traces/operator_forecast.h"

namespace ebb::signals {

struct EntsoeValue {
  Interval interval;
  double value = 0;
};

/// One Period of a TimeSeries.
struct EntsoeSeries {
  std::size_t line = 0;
  std::string area;             ///< "10Y1001A1001A83F"
  bool is_consumption = false;  ///< of A75: what pumps and batteries take
  std::string plants;     ///< psrType: "B16" sun, "B18" wind at sea, "B19" wind on land; or ""
  std::string unit;       ///< "MAW", "MWH"
  std::string currency;   ///< "EUR"; of prices
  std::string agreement;  ///< "A01" day ahead; or ""
  std::string auction;    ///< "1"; "" where there is only one
  Duration resolution{};
  std::vector<EntsoeValue> values;  ///< in order
};

struct EntsoeDocument {
  std::string type;     ///< "A65"
  std::string process;  ///< "A01"
  std::vector<EntsoeSeries> series;
  /// Instead of all that: why there is none ("No matching data found ...").
  std::optional<std::string> refusal;
};

/// A time as its API is asked for it: "202605012200".
std::string EntsoeStamp(Time time);

Result<EntsoeDocument> ParseEntsoeDocument(std::string_view text, const std::string& path);

/// Of A65 and A69. An Error for other documents, and for a refusal.
Status AddEntsoeForecasts(const EntsoeDocument& document, const std::string& path,
                          OperatorParts& parts);

/// Of A44, per kWh, each known from the beginning of time (prices::AsPublished says more): those of
/// the first of several auctions, and where one moment has prices of several resolutions, of the
/// longest.
Result<core::PriceSeries> EntsoePrices(const EntsoeDocument& document, const std::string& path);

}  // namespace ebb::signals
