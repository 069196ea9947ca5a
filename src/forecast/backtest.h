#pragma once
// Back-tests of a forecaster: makes forecasts at many past moments, each from what was known then,
// and compares them with the truth. Scores are kept by whole hours of lead time. Pure.

#include <functional>
#include <vector>

#include "forecast/forecaster.h"

namespace ebb::forecast {

/// Sums over forecast rows; readers use the means.
struct Score {
  double rows = 0;
  double error = 0;           ///< sum of forecast less truth, g/kWh
  double absolute_error = 0;  ///< sum of |forecast - truth|, g/kWh
  double relative_rows = 0;   ///< rows with a truth above zero
  double relative_error = 0;  ///< sum of |forecast - truth| / truth
  double banded_rows = 0;     ///< rows with a band
  double inside = 0;          ///< banded rows with the truth within P10 to P90

  void Add(const Score& other);
  double Bias() const { return rows > 0 ? error / rows : 0; }
  double MeanAbsoluteError() const { return rows > 0 ? absolute_error / rows : 0; }
  /// As a share, not per cent.
  double MeanRelativeError() const {
    return relative_rows > 0 ? relative_error / relative_rows : 0;
  }
  double Coverage() const { return banded_rows > 0 ? inside / banded_rows : 0; }
};

/// Score i is for rows that begin i to i + 1 hours after the moment of the forecast.
using ScoreByLead = std::vector<Score>;

/// Adds the rows of one forecast, made at `now`. Counts rows that begin after `now`, within the
/// hours of `scores`, and have their truth in `series`.
void AddForecast(const core::Forecast& forecast, const core::IntensitySeries& series, Time now,
                 ScoreByLead& scores);

/// The score of the forecast's row that contains `now`: an interval that runs and is not yet
/// published.
Score RunningRow(const core::Forecast& forecast, const core::IntensitySeries& series, Time now);

/// The scores of rows `from` to `until` hours ahead as one score.
Score Over(const ScoreByLead& scores, std::size_t from, std::size_t until);
/// The score of leads under a day.
Score DayAhead(const ScoreByLead& scores);

struct BacktestOptions {
  Interval issues;                        ///< first to last moment of a forecast
  Duration every{std::chrono::hours{7}};  ///< 7 h reaches every hour of the day
  Duration horizon{std::chrono::hours{96}};
  std::function<void(double share)> progress = {};  ///< callback; may be empty
  /// Moments of forecasts, of which those within `issues` count. Empty: one forecast every `every`.
  std::vector<Time> moments = {};
};

struct BacktestScores {
  ScoreByLead by_lead;
  Score running;  ///< no rows if values are known as they begin
};

/// Leaves out rows whose truth is missing or beyond the end of `series`.
Result<BacktestScores> Backtest(Forecaster& forecaster, const core::IntensitySeries& series,
                                const BacktestOptions& options);

}  // namespace ebb::forecast
