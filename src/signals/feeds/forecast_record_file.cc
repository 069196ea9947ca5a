#include "signals/feeds/forecast_record_file.h"

#include <nlohmann/json.hpp>

#include "base/json_node.h"
#include "platform/file.h"

namespace ebb::signals {
namespace {

constexpr const char* kSchema = "ebb.forecast-record/1";
constexpr std::uint64_t kLimitBytes = 64ULL << 20;

Error Damaged(const char* what, const std::string& where) {
  return {ExitCode::kUnavailable,
          std::string("the record of the provider's forecasts is not usable: ") + what, where,
          "it is ignored and begun anew"};
}

// Rows mostly follow each other, so each is stored as begin and length in seconds and the value.
nlohmann::ordered_json Rows(const forecast::RecordedForecast& forecast) {
  auto rows = nlohmann::ordered_json::array();
  for (const core::Sample& row : forecast.rows)
    rows.push_back({Seconds(row.interval.begin - forecast.at), Seconds(row.interval.length()),
                    row.intensity.g_per_kwh});
  return rows;
}

std::optional<core::Sample> ReadRow(const JsonNode& row, Time at) {
  constexpr double kMost = 86400.0 * 400;
  if (!row.is_list() || row.items.size() != 3) return std::nullopt;
  const auto begin = row.items[0].AsNumber(), length = row.items[1].AsNumber(),
             value = row.items[2].AsNumber();
  if (!begin || !length || !value || !(std::abs(*begin) < kMost) || !(*length > 0) ||
      !(*length < kMost))
    return std::nullopt;
  const Time from = at + DurationFromSeconds(*begin);
  return core::Sample{{from, from + DurationFromSeconds(*length)},
                      Intensity{*value},
                      core::SampleStatus::kForecast};
}

Result<forecast::RecordedForecast> ReadForecast(const JsonNode& json, const std::string& where) {
  const auto at = json.TimeOf("at"), known_until = json.TimeOf("known_until");
  const JsonNode* rows = json.Find("rows");
  if (!at || !known_until || !rows || !rows->is_list())
    return Fail(Damaged("a forecast has no time or no rows", where));
  forecast::RecordedForecast forecast{*at, *known_until, {}};
  for (const JsonNode& row : rows->items) {
    const auto sample = ReadRow(row, *at);
    if (!sample) return Fail(Damaged("a row cannot be read", where));
    forecast.rows.push_back(*sample);
  }
  if (!core::IntensitySeries::Create({}, forecast.rows))
    return Fail(Damaged("its rows make no series", where));
  return forecast;
}

}  // namespace

std::string ToText(const forecast::ForecastRecord& record) {
  nlohmann::ordered_json json{{"schema", kSchema}, {"forecasts", nlohmann::ordered_json::array()}};
  for (const forecast::RecordedForecast& forecast : record.forecasts())
    json["forecasts"].push_back({{"at", FormatTime(forecast.at)},
                                 {"known_until", FormatTime(forecast.known_until)},
                                 {"rows", Rows(forecast)}});
  return json.dump() + "\n";
}

Result<forecast::ForecastRecord> ForecastRecordFromText(std::string_view text,
                                                        const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(text, where));
  if (root.TextOf("schema") != kSchema) return Fail(Damaged("another version wrote it", where));
  const JsonNode* forecasts = root.Find("forecasts");
  if (!forecasts || !forecasts->is_list()) return Fail(Damaged("forecasts are missing", where));
  forecast::ForecastRecord record;
  for (const JsonNode& json : forecasts->items) {
    EBB_ASSIGN_OR_RETURN(forecast::RecordedForecast forecast, ReadForecast(json, where));
    record.Add(std::move(forecast));
  }
  return record;
}

std::filesystem::path ForecastRecordPath(std::filesystem::path cache) {
  return cache.replace_filename(cache.stem().string() + "_forecasts.json");
}

Result<forecast::ForecastRecord> ReadForecastRecord(const std::filesystem::path& path) {
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) return forecast::ForecastRecord();
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(path, kLimitBytes));
  return ForecastRecordFromText(text, path.string());
}

}  // namespace ebb::signals
