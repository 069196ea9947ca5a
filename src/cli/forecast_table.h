#pragma once
// Back-tests of the forecasts on traces, as a table for people and as JSON for programs.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forecast/backtest.h"
#include "forecast/own_forecaster.h"
#include "signals/traces/trace_csv.h"

namespace ebb::cli {

struct MethodScore {
  std::string method;
  forecast::BacktestScores scores;
};

struct TraceScore {
  std::string zone;
  std::string source;
  core::Publication publication;  ///< knowledge of the methods at each moment
  Interval issues;
  Duration every{};
  std::vector<MethodScore> methods;  ///< persistence first
};

struct BacktestQuestion {
  std::optional<Time> from, to;  ///< if absent, those of the trace, after its first 70 days
  std::optional<core::Publication> publication;  ///< if absent, the usual one of the trace
  std::shared_ptr<const forecast::WeatherArchive> weather{};  ///< may be absent
  std::vector<forecast::Driver> drivers{};                    ///< may be none
  Duration every{std::chrono::hours{7}};  ///< 7 h reaches every hour of a day in turn
};

/// Forecasters to be compared, persistence first.
using Contenders = std::vector<std::unique_ptr<forecast::Forecaster>>;

/// Null if there are no drivers.
std::shared_ptr<const forecast::DriverInputs> InputsOf(const std::vector<forecast::Driver>& drivers,
                                                       const core::Publication& publication);

/// The contenders from the zone's own past, and those with drivers and with weather if there are
/// any.
Result<Contenders> OwnContenders(const core::Publication& publication,
                                 const forecast::BesidePast& beside);

/// Scores each contender over `options.issues`, and shows its progress.
Result<std::vector<MethodScore>> ScoreAll(const Contenders& contenders,
                                          const core::IntensitySeries& series,
                                          forecast::BacktestOptions options,
                                          const std::function<void(double share)>& progress);

/// Scores every forecaster, and the trace's archived forecasts if it has any.
Result<TraceScore> ScoreTrace(const signals::Trace& trace, const BacktestQuestion& question,
                              const std::function<void(double share)>& progress);

std::string BacktestText(const std::vector<TraceScore>& scores);
std::string BacktestJson(const std::vector<TraceScore>& scores);
/// The score of one trace as JSON text.
std::string ScoreJson(const TraceScore& trace);

}  // namespace ebb::cli
