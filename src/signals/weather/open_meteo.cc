#include "signals/weather/open_meteo.h"

#include <array>
#include <cmath>
#include <map>

#include "base/json_node.h"
#include "base/text.h"
#include "signals/http/web_request.h"
#include "signals/weather/weather_steps.h"

namespace ebb::signals {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};
constexpr Duration kDay{std::chrono::days{1}};
constexpr int kForecastDays = 5;
constexpr int kPastDays = 92;
constexpr int kPreviousDays = 4;
constexpr double kFreezingK = 273.15;
constexpr std::uint64_t kLimitBytes = 32 << 20;
constexpr Duration kTimeout{30'000};

struct Variable {
  std::string_view name, unit;
};
constexpr std::array<Variable, 4> kVariables{{{"wind_speed_10m", "m/s"},
                                              {"temperature_2m", "°C"},
                                              {"shortwave_radiation", "W/m²"},
                                              {"precipitation", "mm"}}};

// The values of one point by time; NaN if there is none.
struct PointSeries {
  std::vector<Time> times;
  std::array<std::vector<double>, kVariables.size()> values;
};

class AnswerReader {
 public:
  AnswerReader(std::string_view body, const std::string& suffix, const std::string& where)
      : body_(body), suffix_(suffix), where_(where) {}

  Result<PointSeries> Read(const JsonNode& point) const {
    const JsonNode* hourly = point.Find("hourly");
    const JsonNode* units = point.Find("hourly_units");
    const JsonNode* times = hourly ? hourly->Find("time") : nullptr;
    if (!units || !times || !times->is_list()) return Fail(Bad("the answer holds no hours"));
    PointSeries series;
    for (const JsonNode& time : times->items) {
      const auto seconds = time.AsNumber();
      if (!seconds || *seconds < 0 || *seconds > 1e11)
        return Fail(Bad("a time of the answer is not one in seconds"));
      series.times.push_back(Time{DurationFromSeconds(*seconds)});
      if (series.times.size() > 1 && series.times.back() != series.times.end()[-2] + kHour)
        return Fail(Bad("the times of the answer are not hours in order"));
    }
    if (series.times.empty()) return Fail(Bad("the answer holds no hours"));
    for (std::size_t i = 0; i < kVariables.size(); ++i)
      EBB_RETURN_IF_ERROR(ReadVariable(*hourly, *units, i, series));
    return series;
  }
  Error Bad(std::string what) const { return BadAnswer(std::move(what), body_, where_); }

 private:
  Status ReadVariable(const JsonNode& hourly, const JsonNode& units, std::size_t variable,
                      PointSeries& series) const {
    const std::string name = std::string(kVariables[variable].name) + suffix_;
    const JsonNode* list = hourly.Find(name);
    if (!list || !list->is_list() || list->items.size() != series.times.size())
      return Fail(Bad("the answer has no " + name));
    if (units.TextOf(name) != kVariables[variable].unit)
      return Fail(Bad(name + " is in \"" + units.TextOf(name) + "\", not in " +
                      std::string(kVariables[variable].unit)));
    for (const JsonNode& item : list->items)
      series.values[variable].push_back(item.AsNumber().value_or(NAN));
    return {};
  }

  std::string_view body_;
  const std::string& suffix_;
  const std::string& where_;
};

// The hour that begins with element `i`; nullopt if a value is missing.
std::optional<forecast::WeatherHour> HourOf(const PointSeries& series, std::size_t i) {
  const auto middle = [&](std::size_t variable) {
    return (series.values[variable][i] + series.values[variable][i + 1]) / 2;
  };
  const forecast::WeatherHour hour{middle(0), middle(1) + kFreezingK, series.values[2][i + 1],
                                   series.values[3][i + 1]};
  const bool known = std::isfinite(hour.wind_mps) && std::isfinite(hour.temperature_k) &&
                     std::isfinite(hour.shortwave_w_m2) && std::isfinite(hour.precipitation_mm_h);
  return known ? std::optional(hour) : std::nullopt;
}

std::optional<forecast::WeatherHour> MeanOf(const std::vector<PointSeries>& points, std::size_t i) {
  std::vector<std::optional<forecast::WeatherHour>> hours;
  for (const PointSeries& point : points) hours.push_back(HourOf(point, i));
  return MeanOverPlaces(hours);
}

class OpenMeteo final : public WeatherSource {
 public:
  OpenMeteo(OpenMeteoOptions options, HttpGetFunction http_get)
      : options_(std::move(options)), http_get_(std::move(http_get)) {}

  const std::string& name() const override { return name_; }
  std::string_view terms() const override {
    return "weather data by Open-Meteo.com (CC BY 4.0); its public server is free for "
           "non-commercial use: for other use, get a key or run a server of your own "
           "(docs/weather.md)";
  }
  const std::string& server() const override { return options_.base_url; }

  Result<RunsByZone> Ahead(const std::vector<ZoneToAsk>& zones, Time now, Time) override {
    std::vector<WeatherPoint> points;
    for (const ZoneToAsk& zone : zones)
      points.insert(points.end(), zone.points.begin(), zone.points.end());
    const std::string url = Url(options_.base_url, points, {""}) +
                            "&forecast_days=" + std::to_string(kForecastDays) + "&past_days=1";
    EBB_ASSIGN_OR_RETURN(const std::string body, Body(url));
    RunsByZone runs;
    std::size_t first = 0;
    for (const ZoneToAsk& zone : zones) {
      EBB_ASSIGN_OR_RETURN(HourlyWeather weather, ParseOpenMeteo(body, first, zone.points.size(),
                                                                 points.size(), "", ShownUrl(url)));
      first += zone.points.size();
      runs.push_back({RunFrom(weather, now)});
    }
    return runs;
  }

  // Asks the Previous Runs API. A forecast made K days before an hour was known at the begin of the
  // day K - 1 days before that hour's own day.
  Result<std::vector<forecast::WeatherRun>> Past(const ZoneToAsk& zone, Time now,
                                                 const forecast::WeatherArchive&) override {
    std::vector<std::string> suffixes;
    for (int day = 1; day <= kPreviousDays; ++day)
      suffixes.push_back("_previous_day" + std::to_string(day));
    const std::string url = Url(options_.previous_runs_url, zone.points, suffixes) +
                            "&past_days=" + std::to_string(kPastDays) + "&forecast_days=1";
    EBB_ASSIGN_OR_RETURN(const std::string body, Body(url));
    std::map<Time, forecast::WeatherRun> runs;
    for (int day = 1; day <= kPreviousDays; ++day) {
      EBB_ASSIGN_OR_RETURN(
          const HourlyWeather weather,
          ParseOpenMeteo(body, 0, zone.points.size(), zone.points.size(),
                         suffixes[static_cast<std::size_t>(day - 1)], ShownUrl(url)));
      for (std::size_t i = 0; i < weather.hours.size(); ++i) {
        const Time hour = weather.begin + static_cast<Duration::rep>(i) * kHour;
        const Time issued = std::chrono::floor<std::chrono::days>(hour) - (day - 1) * kDay;
        if (!weather.hours[i] || issued > now - kDay) continue;
        forecast::WeatherRun& run = runs[issued];
        run.issued = run.published = run.begin = issued;
        const auto lead = static_cast<std::size_t>((hour - issued) / kHour);
        if (run.hours.size() <= lead) run.hours.resize(lead + 1);
        run.hours[lead] = weather.hours[i];
      }
    }
    std::vector<forecast::WeatherRun> in_order;
    for (auto& [issued, run] : runs) in_order.push_back(std::move(run));
    return in_order;
  }

 private:
  std::string Url(const std::string& server, const std::vector<WeatherPoint>& points,
                  const std::vector<std::string>& suffixes) const {
    std::vector<std::string> latitudes, longitudes, variables;
    for (const WeatherPoint& point : points) {
      latitudes.push_back(FormatExact(point.latitude_deg));
      longitudes.push_back(FormatExact(point.longitude_deg));
    }
    for (const Variable& variable : kVariables)
      for (const std::string& suffix : suffixes)
        variables.push_back(std::string(variable.name) + suffix);
    std::string url = server + "/v1/forecast?latitude=" + Join(latitudes, ",") +
                      "&longitude=" + Join(longitudes, ",") + "&hourly=" + Join(variables, ",") +
                      "&wind_speed_unit=ms&timeformat=unixtime";
    if (!options_.key.empty()) url += "&apikey=" + UrlEscape(options_.key);
    return url;
  }

  Result<std::string> Body(const std::string& url) const {
    platform::HttpRequest request;
    request.url = url;
    request.headers = {"Accept: application/json"};
    request.limit_bytes = kLimitBytes;
    request.timeout = kTimeout;
    return GetBody(http_get_, request, "check the key of Open-Meteo");
  }

  // The run as it was known when it was asked for, without the hours before.
  static forecast::WeatherRun RunFrom(HourlyWeather& weather, Time now) {
    const Time begin = std::chrono::floor<std::chrono::hours>(now);
    forecast::WeatherRun run{begin, now, std::max(begin, weather.begin), {}};
    const auto skipped = static_cast<std::size_t>((run.begin - weather.begin) / kHour);
    if (skipped < weather.hours.size())
      run.hours.assign(weather.hours.begin() + static_cast<std::ptrdiff_t>(skipped),
                       weather.hours.end());
    return run;
  }

  const std::string name_ = "open-meteo";
  const OpenMeteoOptions options_;
  const HttpGetFunction http_get_;
};

}  // namespace

Result<HourlyWeather> ParseOpenMeteo(std::string_view body, std::size_t first_point,
                                     std::size_t points, std::size_t all_points,
                                     const std::string& suffix, const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(body, where));
  const AnswerReader reader(body, suffix, where);
  const std::size_t answered = root.is_list() ? root.items.size() : root.is_object() ? 1 : 0;
  if (answered != all_points)
    return Fail(reader.Bad("asked for " + std::to_string(all_points) + " places, answered for " +
                           std::to_string(answered)));
  std::vector<PointSeries> all;
  for (std::size_t i = first_point; i < first_point + points; ++i) {
    EBB_ASSIGN_OR_RETURN(PointSeries series, reader.Read(root.is_list() ? root.items[i] : root));
    if (!all.empty() && series.times != all.front().times)
      return Fail(reader.Bad("the places of the answer have different times"));
    all.push_back(std::move(series));
  }
  HourlyWeather weather;
  if (all.empty()) return weather;
  weather.begin = all.front().times.front();
  if (weather.begin.time_since_epoch() % kHour != Duration::zero())
    return Fail(reader.Bad("the times of the answer are not whole hours"));
  for (std::size_t i = 0; i + 1 < all.front().times.size(); ++i) {
    auto hour = MeanOf(all, i);
    if (hour)
      if (auto fine = forecast::CheckWeather(*hour); !fine)
        return Fail(reader.Bad(fine.error().what));
    weather.hours.push_back(hour);
  }
  return weather;
}

std::unique_ptr<WeatherSource> MakeOpenMeteo(OpenMeteoOptions options, HttpGetFunction http_get) {
  return std::make_unique<OpenMeteo>(std::move(options), std::move(http_get));
}

}  // namespace ebb::signals
