#include "signals/providers/json_address.h"

#include <algorithm>

#include "base/text.h"
#include "signals/http/live_payload.h"
#include "signals/http/payload_points.h"
#include "signals/http/web_request.h"

namespace ebb::signals {
namespace {

constexpr Duration kOneHour{std::chrono::hours{1}};

Error Missing(const char* what, const std::string& pointer, std::string_view body,
              const std::string& where) {
  Error error = BadAnswer("the pointer \"" + pointer + "\" finds no " + what, body, where);
  error.next = "compare the pointer with the answer";
  return error;
}

Result<Point> ReadPointed(const JsonNode& row, const JsonShape& shape, const JsonMoment& moment,
                          std::string_view body, const std::string& where) {
  Point point;
  const JsonNode* value = row.At(shape.value_pointer);
  if (!value || (!value->is_null() && !value->AsNumber()))
    return Fail(Missing("number", shape.value_pointer, body, where));
  if (value->AsNumber()) point.value = *value->AsNumber() * *GramsPerKwhOf(shape.unit);
  if (shape.time_pointer.empty()) {
    point.begin = moment.now;
    point.end = moment.now + moment.holds;
    return point;
  }
  const JsonNode* time = row.At(shape.time_pointer);
  const auto begin = time ? time->AsTime() : std::nullopt;
  if (!begin) return Fail(Missing("time", shape.time_pointer, body, where));
  point.begin = *begin;
  return point;
}

// Marks rows of the future as expected. If no row contains now, clocks may differ a little, and the
// first row counts as now's.
void MarkExpected(std::vector<Point>& points, Time now) {
  const auto first =
      std::min_element(points.begin(), points.end(),
                       [](const Point& a, const Point& b) { return a.begin < b.begin; });
  if (first == points.end()) return;
  const Time holds = first->begin <= now + kForgivenSkew ? std::max(first->begin, now) : now;
  for (Point& point : points)
    if (point.begin > holds) point.status = core::SampleStatus::kForecast;
}

Result<Payload> ReadRecognised(std::string_view body, const JsonMoment& moment,
                               const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const LiveReading reading, ParseLivePayload(body, where));
  Payload payload;
  payload.zone = reading.zone;
  payload.boundary = reading.boundary;
  if (!reading.intensity) return payload;
  const Time begin = reading.begin.value_or(moment.now);
  const Time end = reading.begin ? reading.end.value_or(begin + kOneHour) : begin + moment.holds;
  if (end > begin) payload.samples.push_back({{begin, end}, *reading.intensity, reading.status});
  return payload;
}

class JsonAddress final : public Provider {
 public:
  JsonAddress(JsonAddressOptions options, HttpGetFunction http_get)
      : options_(std::move(options)), http_get_(std::move(http_get)) {
    options_.identity.source = "live " + ShownUrl(options_.url);
  }
  const std::string& name() const override { return name_; }
  std::string cache_key() const override {
    const JsonShape& shape = options_.shape;
    return name_ + "-" +
           ShortDigest(options_.url + "\n" + shape.list_pointer + "\n" + shape.value_pointer +
                       "\n" + shape.time_pointer + "\n" + shape.unit);
  }
  const core::SignalIdentity& identity() const override { return options_.identity; }

  Result<Reading> Read(const Question& question) override {
    platform::HttpRequest request;
    request.url = options_.url;
    if (!options_.header.empty()) request.headers = {options_.header};
    EBB_ASSIGN_OR_RETURN(const std::string body, GetBody(http_get_, request, options_.hint));
    const std::string where = ShownUrl(options_.url);
    EBB_ASSIGN_OR_RETURN(
        const Payload payload,
        ParseJsonAddress(body, options_.shape, {question.now, options_.refresh}, where));
    Reading reading;
    EBB_RETURN_IF_ERROR(AddPayload(payload, question.now, where, reading));
    reading.issued = question.now;
    return reading;
  }

 private:
  const std::string name_ = "http";
  JsonAddressOptions options_;
  const HttpGetFunction http_get_;
};

}  // namespace

std::optional<double> GramsPerKwhOf(std::string_view unit) {
  if (unit == "g/kWh" || unit == "kg/MWh") return 1;
  if (unit == "kg/kWh" || unit == "t/MWh") return 1000;
  if (unit == "lb/MWh") return kGramsPerKwhOfPoundsPerMwh;
  return std::nullopt;
}

Result<Payload> ParseJsonAddress(std::string_view body, const JsonShape& shape,
                                 const JsonMoment& moment, const std::string& where) {
  if (!GramsPerKwhOf(shape.unit))
    return Fail({ExitCode::kConfiguration, "the unit \"" + shape.unit + "\" is not known", where,
                 std::string("choose one of ") + kIntensityUnits});
  if (shape.value_pointer.empty() && shape.list_pointer.empty())
    return ReadRecognised(body, moment, where);
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(body, where));
  const JsonNode* list = shape.list_pointer.empty() ? nullptr : root.At(shape.list_pointer);
  if (!shape.list_pointer.empty() && (!list || !list->is_list()))
    return Fail(Missing("list", shape.list_pointer, body, where));
  std::vector<Point> points;
  const auto add = [&](const JsonNode& row) -> Status {
    EBB_ASSIGN_OR_RETURN(const Point point, ReadPointed(row, shape, moment, body, where));
    points.push_back(point);
    return {};
  };
  if (!list) EBB_RETURN_IF_ERROR(add(root));
  for (const JsonNode& row : list ? list->items : std::vector<JsonNode>{})
    EBB_RETURN_IF_ERROR(add(row));
  MarkExpected(points, moment.now);
  Payload payload;
  EBB_ASSIGN_OR_RETURN(payload.samples, SamplesFrom(std::move(points), std::nullopt, where));
  return payload;
}

std::unique_ptr<Provider> MakeJsonAddress(JsonAddressOptions options, HttpGetFunction http_get) {
  return std::make_unique<JsonAddress>(std::move(options), std::move(http_get));
}

}  // namespace ebb::signals
