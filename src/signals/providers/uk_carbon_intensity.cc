#include "signals/providers/uk_carbon_intensity.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "signals/http/payload_points.h"
#include "signals/http/web_request.h"

namespace ebb::signals {
namespace {

constexpr int kRegions = 17;
// Actual values come late: each question reaches back this far, so that they replace estimates.
constexpr Duration kLateActuals{std::chrono::hours{3}};
// The API allows 14 days in one question.
constexpr Duration kLongestRange{std::chrono::days{13}};

Result<Point> ReadRow(const JsonNode& row, const JsonNode& intensity, const std::string& where) {
  Point point;
  EBB_ASSIGN_OR_RETURN(point.begin, TimeMember(row, "from", where));
  EBB_ASSIGN_OR_RETURN(point.end, TimeMember(row, "to", where));
  if (intensity.Find("actual")) {
    EBB_ASSIGN_OR_RETURN(point.value, NumberOrNull(intensity, "actual", where));
  }
  if (point.value) return point;
  point.status = core::SampleStatus::kForecast;
  EBB_ASSIGN_OR_RETURN(point.value, NumberOrNull(intensity, "forecast", where));
  return point;
}

// The region that is asked for; nullptr if it is missing, or if none is asked for and there are
// several.
const JsonNode* Choose(const std::vector<JsonNode>& regions, int region_id) {
  if (region_id == 0) return regions.size() == 1 ? &regions.front() : nullptr;
  for (const JsonNode& region : regions) {
    const JsonNode* id = region.Find("regionid");
    if (id && id->AsNumber() == region_id) return &region;
  }
  return nullptr;
}

Error NoRegion(int region_id, const std::string& where) {
  return {ExitCode::kUnavailable,
          region_id == 0 ? "the answer holds several regions"
                         : "the answer does not hold region " + std::to_string(region_id),
          where, "name a region id from 1 to 17"};
}

// Reads the rows of an answer: national rows, rows that hold regions, or the rows of a region.
class RowReader {
 public:
  RowReader(int region_id, const std::string& where) : region_id_(region_id), where_(where) {}

  Status ReadRows(const std::vector<JsonNode>& rows) {
    for (const JsonNode& row : rows) EBB_RETURN_IF_ERROR(ReadOne(row));
    return {};
  }
  std::vector<Point> points;

 private:
  Status ReadOne(const JsonNode& row) {
    const JsonNode* holder = &row;
    if (const JsonNode* regions = row.Find("regions")) {
      holder = Choose(regions->items, region_id_);
      if (!holder) return Fail(NoRegion(region_id_, where_));
    }
    const JsonNode* intensity = holder->Find("intensity");
    if (!intensity || !intensity->is_object())
      return Fail({ExitCode::kUnavailable, "a row has no intensity", where_,
                   "compare the answer with the provider's documentation"});
    EBB_ASSIGN_OR_RETURN(const Point point, ReadRow(row, *intensity, where_));
    points.push_back(point);
    return {};
  }

  const int region_id_;
  const std::string& where_;
};

// The node with the rows: data itself, or the data of the region that is asked for.
Result<const JsonNode*> FindRows(const JsonNode& root, std::string_view body, int region_id,
                                 const std::string& where) {
  const JsonNode* data = root.Find("data");
  if (data && data->is_object()) data = data->Find("data");
  if (!data || !data->is_list())
    return Fail(BadAnswer(
        root.Find("error") ? "the service refused the question" : "the answer holds no rows", body,
        where));
  const bool region_list = !data->items.empty() && data->items.front().Find("data");
  if (!region_list) return data;
  const JsonNode* region = Choose(data->items, region_id);
  if (!region) return Fail(NoRegion(region_id, where));
  const JsonNode* rows = region->Find("data");
  if (!rows || !rows->is_list()) return Fail(BadAnswer("the region holds no rows", body, where));
  return rows;
}

// The API wants minutes and no seconds.
std::string Minute(Time time) {
  const std::string text = FormatTime(std::chrono::floor<std::chrono::minutes>(time));
  return text.substr(0, std::string_view("2026-05-06T00:00").size()) + "Z";
}

class UkCarbonIntensity final : public Provider {
 public:
  UkCarbonIntensity(UkCarbonIntensityOptions options, HttpGetFunction http_get)
      : options_(std::move(options)),
        http_get_(std::move(http_get)),
        identity_{options_.area.zone, core::SignalKind::kAverage, core::Boundary::kDirect,
                  "UK Carbon Intensity API (NESO, CC BY 4.0), " + ShownUrl(options_.base_url)} {}

  const std::string& name() const override { return name_; }
  const core::SignalIdentity& identity() const override { return identity_; }

  Result<Reading> Read(const Question& question) override {
    Reading reading;
    const Time recent = question.now - kLateActuals;
    const Time missing = std::max(question.known_until, question.now - kLongestRange);
    if (missing < recent)
      EBB_RETURN_IF_ERROR(Ask(Minute(missing) + "/" + Minute(recent), question.now, reading));
    EBB_RETURN_IF_ERROR(Ask(Minute(recent) + "/fw48h", question.now, reading));
    reading.issued = question.now;
    return reading;
  }

 private:
  std::string Url(const std::string& range) const {
    const UkArea& area = options_.area;
    const bool national = area.region_id == 0 && area.postcode.empty();
    std::string url = options_.base_url + (national ? "" : "/regional") + "/intensity/" + range;
    if (area.region_id) url += "/regionid/" + std::to_string(area.region_id);
    if (!area.postcode.empty()) url += "/postcode/" + UrlEscape(area.postcode);
    return url;
  }

  Status Ask(const std::string& range, Time now, Reading& reading) {
    platform::HttpRequest request;
    request.url = Url(range);
    request.headers = {"Accept: application/json"};
    EBB_ASSIGN_OR_RETURN(
        const std::string body,
        GetBody(http_get_, request, "the service needs no key: check the address"));
    EBB_ASSIGN_OR_RETURN(
        const Payload payload,
        ParseUkCarbonIntensity(body, options_.area.region_id, ShownUrl(request.url)));
    return AddPayload(payload, now, ShownUrl(request.url), reading);
  }

  const std::string name_ = "uk-carbon-intensity";
  const UkCarbonIntensityOptions options_;
  const HttpGetFunction http_get_;
  const core::SignalIdentity identity_;
};

}  // namespace

std::optional<UkArea> UkAreaFromZone(std::string_view zone) {
  if (zone == "GB") return UkArea{"GB", 0, ""};
  if (!zone.starts_with("GB-")) return std::nullopt;
  const std::string_view part = zone.substr(3);
  if (const auto region = ParseInteger(part)) {
    if (*region < 1 || *region > kRegions) return std::nullopt;
    return UkArea{std::string(zone), static_cast<int>(*region), ""};
  }
  // The text is an outward code: two to four capitals and digits, a capital first and a digit among
  // them.
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool plausible =
      part.size() >= 2 && part.size() <= 4 && upper(part.front()) &&
      std::any_of(part.begin(), part.end(), digit) &&
      std::all_of(part.begin(), part.end(), [&](char c) { return upper(c) || digit(c); });
  if (!plausible) return std::nullopt;
  return UkArea{std::string(zone), 0, std::string(part)};
}

Result<Payload> ParseUkCarbonIntensity(std::string_view body, int region_id,
                                       const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(body, where));
  EBB_ASSIGN_OR_RETURN(const JsonNode* rows, FindRows(root, body, region_id, where));
  RowReader reader(region_id, where);
  EBB_RETURN_IF_ERROR(reader.ReadRows(rows->items));
  Payload payload;
  payload.kind = core::SignalKind::kAverage;
  payload.boundary = core::Boundary::kDirect;
  EBB_ASSIGN_OR_RETURN(payload.samples, SamplesFrom(std::move(reader.points), std::nullopt, where));
  return payload;
}

std::unique_ptr<Provider> MakeUkCarbonIntensity(UkCarbonIntensityOptions options,
                                                HttpGetFunction http_get) {
  return std::make_unique<UkCarbonIntensity>(std::move(options), std::move(http_get));
}

}  // namespace ebb::signals
