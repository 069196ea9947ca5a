#include "signals/replay_feed.h"

#include <algorithm>

#include "base/check.h"
#include "signals/seasonal_naive.h"

namespace ebb::signals {
namespace {

constexpr const char* kArchivedMethod = "archived forecast";
constexpr const char* kPerfectMethod = "perfect foresight, not attainable in practice";

bool HasArchive(const Trace& trace) {
  return std::any_of(trace.forecasts.begin(), trace.forecasts.end(),
                     [](const auto& column) { return column.issue != ForecastIssue::kUnknown; });
}

// Of all archived values for `target` that had been issued by `now`, the one issued last.
const core::Sample* ArchivedAt(const Trace& trace, Time target, Time now) {
  const core::Sample* best = nullptr;
  Time best_issue{};
  for (const ForecastColumn& column : trace.forecasts) {
    if (column.issue == ForecastIssue::kUnknown) continue;
    const core::Sample* sample = column.series.At(target);
    if (!sample) continue;
    const Time issue = column.IssuedAt(sample->interval.begin);
    if (issue > now || (best && issue <= best_issue)) continue;
    best = sample;
    best_issue = issue;
  }
  return best;
}

// The end of the row that contains `time`, on the grid of rows that begins with the series.
Time NextRow(const Trace& trace, Time time) {
  const Time origin = trace.series.span().begin;
  const auto step = trace.step.count();
  auto rows = (time - origin).count() / step;
  if (time < origin && rows * step != (time - origin).count()) --rows;
  return origin + (rows + 1) * trace.step;
}

// Row by row: the archived value where `mode` uses one, else the past's.
core::Forecast Expect(const Trace& trace, ForecastMode mode, Time now, Interval window) {
  const bool archive = mode != ForecastMode::kHistory && HasArchive(trace);
  const bool history = mode != ForecastMode::kArchived;
  const SeasonalNaive past(trace.series, now);
  bool used_archive = false, used_history = false;
  std::vector<core::Sample> samples;
  for (Time begin = window.begin; begin < window.end;) {
    const Interval row{begin, std::min(NextRow(trace, begin), window.end)};
    begin = row.end;
    if (const core::Sample* known = archive ? ArchivedAt(trace, row.begin, now) : nullptr) {
      used_archive = true;
      samples.push_back({row, known->intensity, core::SampleStatus::kForecast});
    } else if (const auto expected = history ? past.At(row.begin) : std::nullopt) {
      used_history = true;
      samples.push_back({row, *expected, core::SampleStatus::kForecast});
    }
  }
  core::Forecast forecast;
  forecast.method = used_archive ? kArchivedMethod : kSeasonalNaiveMethod;
  if (used_archive && used_history)
    forecast.method += std::string(", beyond it ") + kSeasonalNaiveMethod;
  auto series = core::IntensitySeries::Create(trace.series.identity(), std::move(samples));
  EBB_CHECK(series.has_value());
  forecast.series = *std::move(series);
  return forecast;
}

core::Forecast Foresee(const Trace& trace, Interval window) {
  std::vector<core::Sample> samples = trace.series.Slice(window).samples();
  for (core::Sample& sample : samples) sample.status = core::SampleStatus::kForecast;
  auto series = core::IntensitySeries::Create(trace.series.identity(), std::move(samples));
  EBB_CHECK(series.has_value());
  return {{}, kPerfectMethod, *std::move(series)};
}

}  // namespace

ReplayFeed::ReplayFeed(Trace trace, ForecastMode mode) : trace_(std::move(trace)), mode_(mode) {}

Result<std::unique_ptr<ReplayFeed>> ReplayFeed::Create(Trace trace, ForecastMode mode) {
  if (mode == ForecastMode::kArchived && !HasArchive(trace))
    return Fail({ExitCode::kConfiguration,
                 trace.forecasts.empty()
                     ? "has no archived forecasts"
                     : "has only " + trace.forecasts.front().name +
                           ", a forecast without issue time: what was known when cannot be told",
                 trace.series.identity().source,
                 "choose the forecast from history, or a trace with forecast_dK columns"});
  return std::unique_ptr<ReplayFeed>(new ReplayFeed(std::move(trace), mode));
}

Result<core::SignalView> ReplayFeed::Observe(Time now, Duration horizon) {
  const core::Sample* current = trace_.series.At(now);
  const Time known_end = current ? current->interval.end : now;
  core::SignalView view;
  view.now = now;
  view.known = trace_.series.Slice({now - kKnownHistory, known_end});
  // Nothing is expected beyond the trace: a run there could not be accounted.
  const Time end = std::min(now + horizon, trace_.series.span().end);
  view.forecast = mode_ == ForecastMode::kPerfect ? Foresee(trace_, {known_end, end})
                                                  : Expect(trace_, mode_, now, {known_end, end});
  view.forecast.issued = now;
  return view;
}

Result<core::IntensitySeries> ReplayFeed::Settled(Interval interval) {
  return trace_.series.Slice(interval);
}

Time ReplayFeed::NextChange(Time now) const {
  if (const core::Sample* current = trace_.series.At(now)) return current->interval.end;
  const core::Sample* next = trace_.series.NextAfter(now);
  return next ? next->interval.begin : NextRow(trace_, now);
}

}  // namespace ebb::signals
