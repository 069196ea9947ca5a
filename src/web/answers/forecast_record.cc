#include "web/answers/forecast_record.h"

#include <array>
#include <nlohmann/json.hpp>

namespace ebb::web {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::size_t, 8> kHorizons{0, 1, 3, 6, 12, 24, 48, 96};

bool WasSeen(const core::Sample& sample) {
  return sample.status == core::SampleStatus::kMeasured ||
         sample.status == core::SampleStatus::kEstimated;
}

Json HorizonJson(std::size_t from, std::size_t until, const forecast::Score& score) {
  Json json{{"from_h", from},
            {"until_h", until},
            {"rows", score.rows},
            {"mean_absolute_error_g_per_kwh", score.MeanAbsoluteError()},
            {"bias_g_per_kwh", score.Bias()}};
  if (score.relative_rows > 0) json["mean_relative_error"] = score.MeanRelativeError();
  if (score.banded_rows > 0) json["inside_band"] = score.Coverage();
  return json;
}

}  // namespace

forecast::ScoreByLead RecordOf(std::span<const store::IssuedForecast> issued,
                               const core::IntensitySeries& history) {
  forecast::ScoreByLead scores(kHorizons.back());
  std::vector<core::Sample> seen;
  for (const core::Sample& sample : history.samples())
    if (WasSeen(sample)) seen.push_back(sample);
  const auto truth = core::IntensitySeries::Create(history.identity(), std::move(seen));
  if (!truth) return scores;
  for (const store::IssuedForecast& one : issued) {
    forecast::AddForecast(one.forecast, *truth, one.at, scores);
    // A row that begins exactly at the time of issue was forecast like the later ones: it was not
    // running yet.
    const core::Sample* first = one.forecast.series.At(one.at);
    if (first && first->interval.begin == one.at)
      scores[0].Add(forecast::RunningRow(one.forecast, *truth, one.at));
  }
  return scores;
}

std::string RecordToJson(std::span<const store::IssuedForecast> issued,
                         const forecast::ScoreByLead& scores) {
  Json json{{"forecasts", issued.size()}};
  if (!issued.empty()) {
    json["since"] = FormatTime(issued.front().at);
    json["method"] = issued.back().forecast.method;
  }
  json["horizons"] = Json::array();
  for (std::size_t i = 0; i + 1 < kHorizons.size(); ++i) {
    const forecast::Score score = forecast::Over(scores, kHorizons[i], kHorizons[i + 1]);
    if (score.rows > 0)
      json["horizons"].push_back(HorizonJson(kHorizons[i], kHorizons[i + 1], score));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ebb::web
