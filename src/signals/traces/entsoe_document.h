#pragma once
// Documents of the ENTSO-E transparency platform, as its API answers them: load, wind and solar
// forecasts (GL_MarketDocument of type A65 and A69), generation by type (A75) and day-ahead prices
// (Publication_MarketDocument, A44), in steps of PT15M, PT30M or PT60M. A position that is left out
// repeats the one before in curve type A03; in A01 it is a gap. Units, kinds of processes and areas
// are checked; anything unexpected is an Error with file and line. Sources: the platform's
// implementation guides, and its answers in public repositories. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/signal/price_series.h"
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
  bool is_consumption = false;  ///< A75 only: consumption of pumps and batteries
  std::string plants;     ///< psrType: "B16" sun, "B18" wind at sea, "B19" wind on land; or ""
  std::string unit;       ///< "MAW", "MWH"
  std::string currency;   ///< "EUR"; prices only
  std::string agreement;  ///< "A01" day ahead; or ""
  std::string auction;    ///< "1"; "" if there is only one
  Duration resolution{};
  std::vector<EntsoeValue> values;  ///< in order
};

struct EntsoeDocument {
  std::string type;     ///< "A65"
  std::string process;  ///< "A01"
  std::vector<EntsoeSeries> series;
  /// The reason why the platform sends no series ("No matching data found ...").
  std::optional<std::string> refusal;
};

/// A time in the form that the API takes: "202605012200".
std::string EntsoeStamp(Time time);

Result<EntsoeDocument> ParseEntsoeDocument(std::string_view text, const std::string& path);

/// Adds the forecasts of an A65 or A69. An Error for other documents, and for a refusal.
Status AddEntsoeForecasts(const EntsoeDocument& document, const std::string& path,
                          OperatorParts& parts);

/// The prices of an A44, per kWh, each known from the beginning of time (prices::AsPublished sets
/// the publication). Of several auctions the first counts; if a moment has prices of several
/// resolutions, the longest resolution counts.
Result<core::PriceSeries> EntsoePrices(const EntsoeDocument& document, const std::string& path);

}  // namespace ebb::signals
