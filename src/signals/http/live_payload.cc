#include "signals/http/live_payload.h"

#include "base/json_node.h"
#include "base/text.h"

namespace ebb::signals {
namespace {

constexpr double kHighestPossible = 10'000;

Error Advised(Error error) {
  error.next =
      "give an address that answers with carbonIntensity or value in gCO2eq/kWh, or the UK "
      "Carbon Intensity API's data";
  return error;
}

Error BadPayload(std::string why, std::string_view body, const std::string& where) {
  return Advised(BadAnswer(std::move(why), body, where));
}

// One answer, with the context that error messages need.
struct Answer {
  std::string_view body;
  const std::string& where;

  // A number or null; anything else, and numbers that cannot be g/kWh, are refused.
  Result<std::optional<Intensity>> Value(const JsonNode& member) const {
    if (member.is_null()) return std::optional<Intensity>{};
    const auto value = member.AsNumber();
    if (!value) return Fail(BadPayload("the intensity is not a number", body, where));
    if (!(*value >= 0 && *value <= kHighestPossible))
      return Fail({ExitCode::kUnavailable,
                   "the intensity " + FormatExact(*value) + " cannot be gCO2eq/kWh", where,
                   "check what unit the address answers in"});
    return std::optional<Intensity>(Intensity{*value});
  }
};

Result<LiveReading> ParseFlat(const JsonNode& root, const JsonNode& value, const Answer& answer) {
  LiveReading reading;
  EBB_ASSIGN_OR_RETURN(reading.intensity, answer.Value(value));
  reading.begin = root.TimeOf("datetime");
  reading.zone = root.TextOf("zone");
  if (const auto boundary = core::BoundaryFromName(root.TextOf("emissionFactorType")))
    reading.boundary = *boundary;
  if (root.IsTrue("isEstimated")) reading.status = core::SampleStatus::kEstimated;
  return reading;
}

// The UK API publishes the half hour's forecast at once and its actual value later.
Result<LiveReading> ParseUk(const JsonNode& row, const JsonNode& intensity, const Answer& answer) {
  LiveReading reading;
  reading.begin = row.TimeOf("from");
  reading.end = row.TimeOf("to");
  if (reading.begin && reading.end && *reading.end <= *reading.begin)
    return Fail(BadPayload("the interval ends before it begins", answer.body, answer.where));
  reading.zone = "GB";
  reading.boundary = core::Boundary::kDirect;
  if (const JsonNode* actual = intensity.Find("actual")) {
    EBB_ASSIGN_OR_RETURN(reading.intensity, answer.Value(*actual));
  }
  if (reading.intensity) return reading;
  reading.status = core::SampleStatus::kEstimated;
  if (const JsonNode* forecast = intensity.Find("forecast")) {
    EBB_ASSIGN_OR_RETURN(reading.intensity, answer.Value(*forecast));
  }
  return reading;
}

}  // namespace

Result<LiveReading> ParseLivePayload(std::string_view body, const std::string& where) {
  const Answer answer{body, where};
  const auto root = ParseJson(body, where);
  if (!root) return Fail(Advised(root.error()));
  for (const char* name : {"carbonIntensity", "value"}) {
    if (const JsonNode* value = root->Find(name)) return ParseFlat(*root, *value, answer);
  }
  const JsonNode* intensity = root->At("/data/0/intensity");
  if (intensity && intensity->is_object()) return ParseUk(*root->At("/data/0"), *intensity, answer);
  return Fail(BadPayload("the answer holds no carbon intensity that is understood", body, where));
}

}  // namespace ebb::signals
