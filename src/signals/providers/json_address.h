#pragma once
// Any web address that answers GET with JSON, so that a source of one's own needs no code: an
// address, a header with a token, JSON pointers (RFC 6901) to the value and its time, and the unit.
// Without pointers the shapes of live_payload.h are recognised. With a pointer to a list the other
// pointers are taken inside each row; rows that begin later than now are a forecast.

#include <memory>
#include <string>
#include <string_view>

#include "signals/provider.h"

namespace ebb::signals {

/// Grams per kWh of one of the unit; nothing for a unit that is not known. Known: g/kWh, kg/kWh,
/// kg/MWh, t/MWh, lb/MWh. A percentile is none.
std::optional<double> GramsPerKwhOf(std::string_view unit);
inline constexpr const char* kIntensityUnits = "g/kWh, kg/kWh, kg/MWh, t/MWh, lb/MWh";

struct JsonShape {
  std::string value_pointer;  ///< "" and no list: the shape is recognised
  std::string time_pointer;   ///< of the beginning; "": the value says nothing about its time
  std::string list_pointer;   ///< "": there is one value
  std::string unit = "g/kWh";
};

/// `now` stamps a value that says nothing about its time; `holds` is how long such a value lasts.
struct JsonMoment {
  Time now{};
  Duration holds{};
};
Result<Payload> ParseJsonAddress(std::string_view body, const JsonShape& shape,
                                 const JsonMoment& moment, const std::string& where);

struct JsonAddressOptions {
  std::string url;
  std::string header;  ///< the whole line that carries a token; "" for none
  std::string hint;    ///< what to do when the token is refused
  JsonShape shape;
  core::SignalIdentity identity;  ///< the source is filled in
  Duration refresh{std::chrono::minutes{5}};
};
std::unique_ptr<Provider> MakeJsonAddress(JsonAddressOptions options, HttpGetFunction http_get);

}  // namespace ebb::signals
