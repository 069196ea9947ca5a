#pragma once
// Back-tests of the forecasts on traces, as a table for people and as JSON for programs.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forecast/backtest.h"
#include "forecast/weather.h"
#include "signals/traces/trace_csv.h"

namespace ebb::cli {

struct MethodScore {
  std::string method;
  forecast::BacktestScores scores;
};

struct TraceScore {
  std::string zone;
  std::string source;
  core::Publication publication;  ///< what the methods knew at each moment
  Interval issues;
  Duration every{};
  std::vector<MethodScore> methods;  ///< persistence first
};

struct BacktestQuestion {
  std::optional<Time> from, to;  ///< the trace's own, after its first 70 days, where not given
  std::optional<core::Publication> publication;  ///< the trace's usual one, where not given
  std::shared_ptr<const forecast::WeatherArchive> weather{};  ///< may be absent
  Duration every{std::chrono::hours{7}};                      ///< 7 h comes by every hour of a day
};

/// Forecasters to be compared, persistence first.
using Contenders = std::vector<std::unique_ptr<forecast::Forecaster>>;

/// Those from the zone's own past, and the one with weather where it is not null.
Result<Contenders> OwnContenders(const core::Publication& publication,
                                 std::shared_ptr<const forecast::WeatherArchive> weather);

/// Scores each of them over `options.issues`; reports its own progress.
Result<std::vector<MethodScore>> ScoreAll(const Contenders& contenders,
                                          const core::IntensitySeries& series,
                                          forecast::BacktestOptions options,
                                          const std::function<void(double share)>& progress);

/// Every forecaster, and the trace's archived forecasts where it has any.
Result<TraceScore> ScoreTrace(const signals::Trace& trace, const BacktestQuestion& question,
                              const std::function<void(double share)>& progress);

std::string BacktestText(const std::vector<TraceScore>& scores);
std::string BacktestJson(const std::vector<TraceScore>& scores);
/// One of them, as JSON text.
std::string ScoreJson(const TraceScore& trace);

}  // namespace ebb::cli
