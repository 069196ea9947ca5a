#pragma once
// Any web address that answers GET with JSON, so that a user's own source needs no code: an
// address, a header with a token, JSON pointers (RFC 6901) to the value and its time, and the unit.
// Without pointers the shapes of live_payload.h are recognised. With a pointer to a list the other
// pointers are taken inside each row; rows that begin later than now are a forecast.

#include <memory>
#include <string>
#include <string_view>

#include "signals/provider.h"

namespace ebb::signals {

/// Grams per kWh in one of the unit: g/kWh, kg/kWh, kg/MWh, t/MWh, lb/MWh. nullopt for other units;
/// a percentile is not one.
std::optional<double> GramsPerKwhOf(std::string_view unit);
inline constexpr const char* kIntensityUnits = "g/kWh, kg/kWh, kg/MWh, t/MWh, lb/MWh";

struct JsonShape {
  std::string value_pointer;  ///< "" and no list: the shape is recognised
  std::string time_pointer;   ///< pointer to the begin; "": the value states no time
  std::string list_pointer;   ///< "": there is only one value
  std::string unit = "g/kWh";
};

/// The time of a value that states none: `now` is its stamp, and it lasts `holds`.
struct JsonMoment {
  Time now{};
  Duration holds{};
};
Result<Payload> ParseJsonAddress(std::string_view body, const JsonShape& shape,
                                 const JsonMoment& moment, const std::string& where);

struct JsonAddressOptions {
  std::string url;
  std::string header;  ///< the whole line that carries a token; "" for none
  std::string hint;    ///< advice for the case that the token is refused
  JsonShape shape;
  core::SignalIdentity identity;  ///< `source` is filled in by the provider
  Duration refresh{std::chrono::minutes{5}};
};
std::unique_ptr<Provider> MakeJsonAddress(JsonAddressOptions options, HttpGetFunction http_get);

}  // namespace ebb::signals
