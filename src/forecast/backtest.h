#pragma once
// How good a forecaster would have been: forecasts at many past moments, each from what was known
// then, against what came. Scores are kept by whole hours of lead time. Pure.

#include <functional>
#include <vector>

#include "forecast/forecaster.h"

namespace ebb::forecast {

/// Sums over forecast rows; the means are what one reads.
struct Score {
  double rows = 0;
  double error = 0;           ///< forecast less truth, g/kWh
  double absolute_error = 0;  ///< g/kWh
  double relative_rows = 0;   ///< rows whose truth is above zero
  double relative_error = 0;  ///< |forecast - truth| / truth
  double banded_rows = 0;     ///< rows that had a band
  double inside = 0;          ///< truth within P10 to P90

  void Add(const Score& other);
  double Bias() const { return rows > 0 ? error / rows : 0; }
  double MeanAbsoluteError() const { return rows > 0 ? absolute_error / rows : 0; }
  /// Share, not per cent.
  double MeanRelativeError() const {
    return relative_rows > 0 ? relative_error / relative_rows : 0;
  }
  double Coverage() const { return banded_rows > 0 ? inside / banded_rows : 0; }
};

/// Score i is that of rows that begin later than the moment of the forecast, by i to i + 1 hours.
using ScoreByLead = std::vector<Score>;

/// Adds the rows of one forecast, made at `now`, whose truth is in `series` and which begin after
/// `now`, within the hours of `scores`.
void AddForecast(const core::Forecast& forecast, const core::IntensitySeries& series, Time now,
                 ScoreByLead& scores);

/// Its row that contains `now`: what is expected of an interval that runs and is not yet published.
Score RunningRow(const core::Forecast& forecast, const core::IntensitySeries& series, Time now);

/// The scores of rows `from` to `until` hours ahead as one.
Score Over(const ScoreByLead& scores, std::size_t from, std::size_t until);
/// Leads under a day.
Score DayAhead(const ScoreByLead& scores);

struct BacktestOptions {
  Interval issues;                        ///< first to last moment of a forecast
  Duration every{std::chrono::hours{7}};  ///< 7 h comes by every hour of the day
  Duration horizon{std::chrono::hours{96}};
  std::function<void(double share)> progress = {};  ///< may be empty
  /// Instead of every so often: those within `issues`, where there are any.
  std::vector<Time> moments = {};
};

struct BacktestScores {
  ScoreByLead by_lead;
  Score running;  ///< no rows where values are known as they begin
};

/// Rows whose truth is missing, or lies beyond the end of `series`, are left out.
Result<BacktestScores> Backtest(Forecaster& forecaster, const core::IntensitySeries& series,
                                const BacktestOptions& options);

}  // namespace ebb::forecast
