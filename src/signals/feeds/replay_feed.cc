#include "signals/feeds/replay_feed.h"

#include <algorithm>

#include "base/check.h"
#include "forecast/own_forecaster.h"
#include "forecast/rows.h"
#include "forecast/weather_forecaster.h"
#include "signals/traces/archived_forecaster.h"

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

core::Forecast Foresee(const Trace& trace, Interval window) {
  std::vector<core::Sample> samples = trace.series.Slice(window).samples();
  for (core::Sample& sample : samples) sample.status = core::SampleStatus::kForecast;
  auto series = core::IntensitySeries::Create(trace.series.identity(), std::move(samples));
  EBB_CHECK(series.has_value());
  return {{}, kPerfectMethod, *std::move(series), {}, {}};
}

// Adds the publication to the trace's source, for readers of the signal's identity.
Trace Told(Trace trace, const core::Publication& publication) {
  if (publication == UsualPublication(trace) && !publication.lag()) return trace;
  core::SignalIdentity identity = trace.series.identity();
  identity.source += ", " + core::Describe(publication);
  auto series = core::IntensitySeries::Create(std::move(identity), trace.series.samples());
  EBB_CHECK(series.has_value());
  trace.series = *std::move(series);
  return trace;
}

}  // namespace

core::Publication UsualPublication(const Trace& trace) {
  const auto& samples = trace.series.samples();
  const bool is_generated =
      std::all_of(samples.begin(), samples.end(), [](const core::Sample& sample) {
        return sample.status == core::SampleStatus::kModelled ||
               sample.status == core::SampleStatus::kForecast;
      });
  return trace.irregular || is_generated ? core::Publication::AtBegin()
                                         : core::kMeasuredPublication;
}

ReplayFeed::ReplayFeed(Trace trace, const ReplayOptions& options)
    : publication_(options.publication.value_or(UsualPublication(trace))),
      trace_(Told(std::move(trace), publication_)),
      outage_(options.outage) {
  MakeForecaster(options);
}

std::unique_ptr<forecast::Forecaster> ReplayFeed::MakeOwn(const ReplayOptions& options) const {
  const auto drivers = options.drivers.empty() ? nullptr
                                               : std::make_shared<const forecast::DriverInputs>(
                                                     options.drivers, publication_);
  if (options.weather && options.forecast == ForecastMode::kWeather)
    return std::make_unique<forecast::WeatherForecaster>(options.weather, publication_, drivers);
  return forecast::MakeOwnForecaster({options.weather, drivers}, publication_);
}

// Leaves forecaster_ null for perfect foresight.
void ReplayFeed::MakeForecaster(const ReplayOptions& options) {
  const ForecastMode mode = options.forecast;
  if (mode == ForecastMode::kPerfect) return;
  is_archived_ = mode == ForecastMode::kArchived;
  if (is_archived_) {
    forecaster_ = MakeArchivedForecaster(trace_, publication_);
    return;
  }
  forecaster_ = MakeOwn(options);
  if (mode != ForecastMode::kAuto || !HasArchive(trace_)) return;
  auto chooser = std::make_unique<forecast::BetterOnRecord>(
      MakeArchivedForecaster(trace_, publication_), std::move(forecaster_), publication_);
  chooser_ = chooser.get();
  forecaster_ = std::move(chooser);
}

Result<std::unique_ptr<ReplayFeed>> ReplayFeed::Create(Trace trace, const ReplayOptions& options) {
  if (options.forecast == ForecastMode::kArchived && !HasArchive(trace))
    return Fail({ExitCode::kConfiguration,
                 trace.forecasts.empty()
                     ? "has no archived forecasts"
                     : "has only " + trace.forecasts.front().name +
                           ", a forecast without issue time: what was known when cannot be told",
                 trace.series.identity().source,
                 "choose the forecast from history, or a trace with forecast_dK columns"});
  return std::unique_ptr<ReplayFeed>(new ReplayFeed(std::move(trace), options));
}

Result<core::SignalView> ReplayFeed::Observe(Time now, Duration horizon) {
  if (!publication_.lag()) return ObserveAsItBegins(now, horizon);
  const auto known = forecast::KnownBy(trace_.series, now, publication_);
  const Time known_end = known.empty() ? trace_.series.span().begin : known.back().interval.end;
  LiveSnapshot snapshot;
  snapshot.identity = identity();
  snapshot.asked_at = snapshot.answered_at = now;
  snapshot.known = trace_.series.Slice({now - kKnownHistory, known_end});
  // At least the whole running interval, however short the horizon.
  const Time end = now + std::max(horizon, trace_.step);
  EBB_ASSIGN_OR_RETURN(snapshot.forecast, Ahead(now, known_end, end));
  EBB_ASSIGN_OR_RETURN(const bool is_provided, TakesArchive(now));
  if (is_provided) TellProvided(now, snapshot);
  return ViewAt(snapshot, now, outage_);
}

Result<core::SignalView> ReplayFeed::ObserveAsItBegins(Time now, Duration horizon) {
  const core::Sample* current = trace_.series.At(now);
  const Time known_end = current ? current->interval.end : now;
  core::SignalView view;
  view.now = now;
  view.known = trace_.series.Slice({now - kKnownHistory, known_end});
  EBB_ASSIGN_OR_RETURN(view.forecast, Ahead(now, known_end, now + horizon));
  view.forecast.issued = now;
  return view;
}

// The forecast ends with the trace: a run beyond it could not be accounted.
Result<core::Forecast> ReplayFeed::Ahead(Time now, Time known_end, Time end) {
  end = std::min(end, trace_.series.span().end);
  if (forecaster_)
    return now < end ? forecaster_->At(trace_.series, now, end - now)
                     : Result<core::Forecast>(core::Forecast{});
  core::Forecast truth = Foresee(trace_, {known_end, end});
  truth.issued = now;
  return truth;
}

// Whether the forecast for `now` is a provider's, which comes before holding the last value on.
Result<bool> ReplayFeed::TakesArchive(Time now) {
  if (chooser_) return chooser_->ProviderIsBetter(trace_.series, now);
  return is_archived_ || !forecaster_;
}

void ReplayFeed::TellProvided(Time now, LiveSnapshot& snapshot) const {
  const core::Sample* expected = snapshot.forecast.series.At(now);
  if (!expected) return;
  const auto archived = ArchivedAt(trace_, now, now);
  if (forecaster_ && !archived) return;
  snapshot.provider_issued = forecaster_ ? archived->issued : now;
  snapshot.provided_until = expected->interval.end;
}

Result<core::IntensitySeries> ReplayFeed::Believed(Interval interval) {
  return trace_.series.Slice(interval);
}

Time ReplayFeed::NextChange(Time now) const {
  if (publication_.lag()) {
    const auto& samples = trace_.series.samples();
    const auto known = forecast::KnownBy(trace_.series, now, publication_);
    const Time row = NextRow(trace_, now);
    return known.size() < samples.size()
               ? std::min(row, publication_.Of(samples[known.size()].interval))
               : row;
  }
  if (const core::Sample* current = trace_.series.At(now)) return current->interval.end;
  const core::Sample* next = trace_.series.NextAfter(now);
  return next ? next->interval.begin : NextRow(trace_, now);
}

}  // namespace ebb::signals
