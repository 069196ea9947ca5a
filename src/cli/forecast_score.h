#pragma once
// ebb forecast --score: how far off the forecasts of a zone were over the last weeks, by source and
// horizon, and which of them a decision uses therefore.

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
  /// The provider's forecasts: makes a forecaster of them; may be empty.
  std::function<std::unique_ptr<forecast::Forecaster>()> make_provider{};
  std::vector<Time> moments{};  ///< at which the provider's were kept; none: every 13 h
};

struct ForecastScore {
  TraceScore table;
  /// The provider's beside ours, and ours with the weather, or with drivers, (as the provider's)
  /// beside those without; absent where there is one of them only, or no record.
  std::optional<forecast::Judgement> provider, weather, drivers;
  bool uses_provider = false, uses_weather = false, uses_drivers = false;
  std::string driver_names{};
};

/// Over the four weeks before the current one, as forecasts are judged for decisions.
Result<ForecastScore> ScoreForecasts(const ScoreQuestion& question,
                                     const std::function<void(double share)>& progress);

std::string ScoreText(const ForecastScore& score);
std::string ScoreJson(const ForecastScore& score);

}  // namespace ebb::cli
