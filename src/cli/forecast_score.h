#pragma once
// ebb forecast --score: the errors of a zone's forecasts over the last weeks, by source and
// horizon, and the source that decisions use because of them.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/forecast_table.h"
#include "forecast/judgement.h"

namespace ebb::cli {

/// The subject of a score at `now`.
struct ScoreQuestion {
  const core::IntensitySeries& history;  ///< as known at `now`
  Time now{};
  core::Publication publication;
  forecast::BesidePast beside{};
  /// Makes a forecaster of the provider's forecasts; may be empty.
  std::function<std::unique_ptr<forecast::Forecaster>()> make_provider{};
  std::vector<Time> moments{};  ///< moments of the provider's kept forecasts; if empty, every 13 h
};

struct ForecastScore {
  TraceScore table;
  /// Judgements of the provider's forecasts against ours, and of ours (or the provider's) with
  /// weather or drivers against those without. Absent if only one of the two exists, or if there is
  /// no record.
  std::optional<forecast::Judgement> provider, weather, drivers;
  bool uses_provider = false, uses_weather = false, uses_drivers = false;
  std::string driver_names{};
};

/// Scores over the four weeks before the current one, as forecasts are judged for decisions.
Result<ForecastScore> ScoreForecasts(const ScoreQuestion& question,
                                     const std::function<void(double share)>& progress);

std::string ScoreText(const ForecastScore& score);
std::string ScoreJson(const ForecastScore& score);

}  // namespace ebb::cli
