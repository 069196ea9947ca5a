#include "report/run/outlook_file.h"

#include <nlohmann/json.hpp>

#include "platform/file.h"
#include "platform/shared_file.h"

namespace ebb::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kLimitBytes = 16 << 20;

Json ValuesJson(const core::IntensitySeries& series) {
  Json values = Json::array();
  for (const core::Sample& sample : series.samples())
    values.push_back({Milliseconds(sample.interval.begin), Milliseconds(sample.interval.end),
                      sample.intensity.g_per_kwh, core::Name(sample.status)});
  return values;
}

// Throws an exception if the values are not in our format.
core::IntensitySeries SeriesFrom(const Json& values) {
  const auto time = [](const Json& ms) { return Time{Duration{ms.get<std::int64_t>()}}; };
  std::vector<core::Sample> samples;
  for (const Json& value : values)
    samples.push_back({{time(value.at(0)), time(value.at(1))},
                       {value.at(2).get<double>()},
                       core::SampleStatusFromName(value.at(3).get<std::string>())
                           .value_or(core::SampleStatus::kModelled)});
  return core::IntensitySeries::Create({}, std::move(samples)).value_or(core::IntensitySeries{});
}

}  // namespace

Status WriteOutlook(const std::filesystem::path& run_directory, const core::SignalView& view,
                    Time begin) {
  const core::Forecast& forecast = view.forecast;
  const Json json{{"schema", "ebb.outlook/1"},
                  {"at_ms", Milliseconds(view.now)},
                  {"forecast_method", forecast.method},
                  {"forecast_issued_ms", Milliseconds(forecast.issued)},
                  {"known", ValuesJson(view.known.Slice({begin, Time::max()}))},
                  {"expected", ValuesJson(forecast.series)}};
  return platform::WriteFileAtomically(
      run_directory / kOutlookFile,
      json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::optional<core::SignalView> ReadOutlook(const std::filesystem::path& run_directory) {
  const auto text = platform::ReadSharedFile(run_directory / kOutlookFile, kLimitBytes);
  if (!text) return std::nullopt;
  try {
    const Json json = Json::parse(*text);
    core::SignalView view;
    view.now = Time{Duration{json.at("at_ms").get<std::int64_t>()}};
    view.known = SeriesFrom(json.at("known"));
    view.forecast.method = json.at("forecast_method").get<std::string>();
    view.forecast.issued = Time{Duration{json.at("forecast_issued_ms").get<std::int64_t>()}};
    view.forecast.series = SeriesFrom(json.at("expected"));
    return view;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace ebb::report
