#include "forecast/backtest.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ebb::forecast {
namespace {

Score Compare(const core::Forecast& forecast, std::size_t row, double truth) {
  const double expected = forecast.series.samples()[row].intensity.g_per_kwh;
  Score score;
  score.rows = 1;
  score.error = expected - truth;
  score.absolute_error = std::fabs(score.error);
  if (truth > 0) {
    score.relative_rows = 1;
    score.relative_error = score.absolute_error / truth;
  }
  if (!forecast.p10.empty()) {
    score.banded_rows = 1;
    const bool inside = forecast.p10.samples()[row].intensity.g_per_kwh <= truth &&
                        truth <= forecast.p90.samples()[row].intensity.g_per_kwh;
    score.inside = inside ? 1 : 0;
  }
  return score;
}

std::optional<double> TruthOf(Interval row, const core::IntensitySeries& series) {
  const core::Sample* truth = series.At(row.begin);
  if (!truth || truth->interval != row) return std::nullopt;
  return truth->intensity.g_per_kwh;
}

}  // namespace

void AddForecast(const core::Forecast& forecast, const core::IntensitySeries& series, Time now,
                 ScoreByLead& scores) {
  for (std::size_t row = 0; row < forecast.series.samples().size(); ++row) {
    const Interval interval = forecast.series.samples()[row].interval;
    if (interval.begin <= now) continue;
    const auto lead = static_cast<std::size_t>((interval.begin - now) / std::chrono::hours{1});
    const auto truth = TruthOf(interval, series);
    if (truth && lead < scores.size()) scores[lead].Add(Compare(forecast, row, *truth));
  }
}

Score RunningRow(const core::Forecast& forecast, const core::IntensitySeries& series, Time now) {
  const core::Sample* expected = forecast.series.At(now);
  const auto truth = expected ? TruthOf(expected->interval, series) : std::nullopt;
  if (!truth) return {};
  return Compare(forecast, static_cast<std::size_t>(expected - forecast.series.samples().data()),
                 *truth);
}

void Score::Add(const Score& other) {
  rows += other.rows;
  error += other.error;
  absolute_error += other.absolute_error;
  relative_rows += other.relative_rows;
  relative_error += other.relative_error;
  banded_rows += other.banded_rows;
  inside += other.inside;
}

Score Over(const ScoreByLead& scores, std::size_t from, std::size_t until) {
  Score sum;
  for (std::size_t lead = from; lead < std::min(until, scores.size()); ++lead)
    sum.Add(scores[lead]);
  return sum;
}

Score DayAhead(const ScoreByLead& scores) { return Over(scores, 0, 25); }

namespace {

std::vector<Time> MomentsOf(const BacktestOptions& options) {
  std::vector<Time> moments;
  for (const Time moment : options.moments)
    if (options.issues.contains(moment)) moments.push_back(moment);
  if (!options.moments.empty()) return moments;
  for (Time now = options.issues.begin; now < options.issues.end; now += options.every)
    moments.push_back(now);
  return moments;
}

}  // namespace

Result<BacktestScores> Backtest(Forecaster& forecaster, const core::IntensitySeries& series,
                                const BacktestOptions& options) {
  BacktestScores scores;
  // A row may begin a whole horizon after the moment.
  scores.by_lead.resize(static_cast<std::size_t>(std::ceil(Hours(options.horizon))) + 1);
  const Duration length = options.issues.length();
  for (const Time now : MomentsOf(options)) {
    EBB_ASSIGN_OR_RETURN(const core::Forecast forecast,
                         forecaster.At(series, now, options.horizon + std::chrono::hours{1}));
    AddForecast(forecast, series, now, scores.by_lead);
    scores.running.Add(RunningRow(forecast, series, now));
    if (options.progress) options.progress(Hours(now - options.issues.begin) / Hours(length));
  }
  return scores;
}

}  // namespace ebb::forecast
