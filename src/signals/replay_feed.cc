#include "signals/replay_feed.h"

#include <algorithm>

#include "base/check.h"
#include "forecast/better_on_record.h"
#include "signals/archived_forecaster.h"

namespace ebb::signals {
namespace {

constexpr const char* kPerfectMethod = "perfect foresight, not attainable in practice";

// The end of the row that contains `time`, on the grid of rows that begins with the series.
Time NextRow(const Trace& trace, Time time) {
  const Time origin = trace.series.span().begin;
  const auto step = trace.step.count();
  auto rows = (time - origin).count() / step;
  if (time < origin && rows * step != (time - origin).count()) --rows;
  return origin + (rows + 1) * trace.step;
}

// None for perfect foresight, which needs no forecaster.
std::unique_ptr<forecast::Forecaster> ForecasterOf(const Trace& trace, ForecastMode mode) {
  switch (mode) {
    case ForecastMode::kPerfect:
      return nullptr;
    case ForecastMode::kArchived:
      return MakeArchivedForecaster(trace);
    case ForecastMode::kHistory:
      return forecast::MakeBestForecaster();
    case ForecastMode::kAuto:
      if (!HasArchive(trace)) return forecast::MakeBestForecaster();
      return std::make_unique<forecast::BetterOnRecord>(MakeArchivedForecaster(trace),
                                                        forecast::MakeBestForecaster());
  }
  return nullptr;
}

core::Forecast Foresee(const Trace& trace, Interval window) {
  std::vector<core::Sample> samples = trace.series.Slice(window).samples();
  for (core::Sample& sample : samples) sample.status = core::SampleStatus::kForecast;
  auto series = core::IntensitySeries::Create(trace.series.identity(), std::move(samples));
  EBB_CHECK(series.has_value());
  return {{}, kPerfectMethod, *std::move(series), {}, {}};
}

}  // namespace

ReplayFeed::ReplayFeed(Trace trace, ForecastMode mode)
    : trace_(std::move(trace)), forecaster_(ForecasterOf(trace_, mode)) {}

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
  if (!forecaster_) {
    view.forecast = Foresee(trace_, {known_end, end});
  } else if (now < end) {
    EBB_ASSIGN_OR_RETURN(view.forecast, forecaster_->At(trace_.series, now, end - now));
  }
  view.forecast.issued = now;
  return view;
}

Result<core::IntensitySeries> ReplayFeed::Believed(Interval interval) {
  return trace_.series.Slice(interval);
}

Time ReplayFeed::NextChange(Time now) const {
  if (const core::Sample* current = trace_.series.At(now)) return current->interval.end;
  const core::Sample* next = trace_.series.NextAfter(now);
  return next ? next->interval.begin : NextRow(trace_, now);
}

}  // namespace ebb::signals
