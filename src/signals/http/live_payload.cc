#include "signals/http/live_payload.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace ebb::signals {
namespace {

using Json = nlohmann::json;

constexpr double kHighestPossible = 10'000;

Error BadPayload(std::string why, std::string_view body, const std::string& where) {
  constexpr std::size_t kShown = 120;
  std::string begin(body.substr(0, kShown));
  std::replace_if(
      begin.begin(), begin.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, ' ');
  return {ExitCode::kUnavailable, std::move(why) + "; it begins: " + begin, where,
          "give an address that answers with carbonIntensity or value in gCO2eq/kWh, or the UK "
          "Carbon Intensity API's data"};
}

const Json* Member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(name);
  return it == object.end() ? nullptr : &*it;
}

std::optional<Time> TimeMember(const Json& object, const char* name) {
  const Json* member = Member(object, name);
  if (!member || !member->is_string()) return std::nullopt;
  const auto time = ParseTime(member->get<std::string>());
  return time ? std::optional<Time>(*time) : std::nullopt;
}

std::string TextMember(const Json& object, const char* name) {
  const Json* member = Member(object, name);
  return member && member->is_string() ? member->get<std::string>() : "";
}

// Takes a number or null; anything else, and numbers that cannot be g/kWh, are refused.
Result<std::optional<Intensity>> Value(const Json& member, const std::string& where) {
  if (member.is_null()) return std::optional<Intensity>{};
  if (!member.is_number())
    return Fail(BadPayload("the intensity is not a number", member.dump(), where));
  const double value = member.get<double>();
  if (!(value >= 0 && value <= kHighestPossible))
    return Fail({ExitCode::kUnavailable,
                 "the intensity " + FormatExact(value) + " cannot be gCO2eq/kWh", where,
                 "check what unit the address answers in"});
  return std::optional<Intensity>(Intensity{value});
}

Result<LiveReading> ParseFlat(const Json& root, const Json& value, const std::string& where) {
  LiveReading reading;
  EBB_ASSIGN_OR_RETURN(reading.intensity, Value(value, where));
  reading.begin = TimeMember(root, "datetime");
  reading.zone = TextMember(root, "zone");
  if (const auto boundary = core::BoundaryFromName(TextMember(root, "emissionFactorType")))
    reading.boundary = *boundary;
  const Json* estimated = Member(root, "isEstimated");
  if (estimated && estimated->is_boolean() && estimated->get<bool>())
    reading.status = core::SampleStatus::kEstimated;
  return reading;
}

// The UK API publishes the half hour's forecast at once and its actual value later.
Result<LiveReading> ParseUk(const Json& row, const Json& intensity, const std::string& where) {
  LiveReading reading;
  reading.begin = TimeMember(row, "from");
  reading.end = TimeMember(row, "to");
  if (reading.begin && reading.end && *reading.end <= *reading.begin)
    return Fail(BadPayload("the interval ends before it begins", row.dump(), where));
  reading.zone = "GB";
  reading.boundary = core::Boundary::kDirect;
  if (const Json* actual = Member(intensity, "actual")) {
    EBB_ASSIGN_OR_RETURN(reading.intensity, Value(*actual, where));
  }
  if (reading.intensity) return reading;
  reading.status = core::SampleStatus::kEstimated;
  if (const Json* forecast = Member(intensity, "forecast")) {
    EBB_ASSIGN_OR_RETURN(reading.intensity, Value(*forecast, where));
  }
  return reading;
}

}  // namespace

Result<LiveReading> ParseLivePayload(std::string_view body, const std::string& where) {
  const Json root = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded()) return Fail(BadPayload("the answer is not JSON", body, where));
  for (const char* name : {"carbonIntensity", "value"}) {
    if (const Json* value = Member(root, name)) return ParseFlat(root, *value, where);
  }
  const Json* data = Member(root, "data");
  if (data && data->is_array() && !data->empty()) {
    const Json* intensity = Member(data->front(), "intensity");
    if (intensity && intensity->is_object()) return ParseUk(data->front(), *intensity, where);
  }
  return Fail(BadPayload("the answer holds no carbon intensity that is understood", body, where));
}

}  // namespace ebb::signals
