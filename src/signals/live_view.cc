#include "signals/live_view.h"

#include <algorithm>

#include "base/check.h"
#include "signals/replay_feed.h"

namespace ebb::signals {
namespace {

using core::Sample;
using core::SampleStatus;

// The last published sample that begins at or before `now`.
const Sample* LastBefore(const core::IntensitySeries& known, Time now) {
  const auto& samples = known.samples();
  auto it = std::upper_bound(
      samples.begin(), samples.end(), now,
      [](Time time, const Sample& sample) { return time < sample.interval.begin; });
  return it == samples.begin() ? nullptr : &*--it;
}

// The last value held on, in whole steps of its own length.
std::optional<Sample> LastKnownAt(const LiveSnapshot& snapshot, Time now,
                                  const OutageRules& rules) {
  const Sample* last = LastBefore(snapshot.known, now);
  if (!last || now >= last->interval.end + rules.last_known_limit) return std::nullopt;
  const Duration step = last->interval.length();
  const auto steps = (now - last->interval.end) / step;
  const Time end = last->interval.end + (steps + 1) * step;
  return Sample{{last->interval.end, std::min(end, last->interval.end + rules.last_known_limit)},
                last->intensity,
                SampleStatus::kEstimated};
}

std::optional<Sample> ForecastAt(const LiveSnapshot& snapshot, Time now, const OutageRules& rules) {
  if (now >= snapshot.forecast.issued + rules.forecast_limit) return std::nullopt;
  const Sample* expected = snapshot.forecast.series.At(now);
  return expected ? std::optional<Sample>(*expected) : std::nullopt;
}

struct Standing {
  Freshness freshness = Freshness::kMissing;
  std::optional<Sample> current;
};

Standing StandingAt(const LiveSnapshot& snapshot, Time now, const OutageRules& rules) {
  if (const Sample* current = snapshot.known.At(now)) return {Freshness::kFresh, *current};
  if (auto held = LastKnownAt(snapshot, now, rules)) return {Freshness::kLastKnown, held};
  if (auto expected = ForecastAt(snapshot, now, rules)) return {Freshness::kForecast, expected};
  return {};
}

core::IntensitySeries SeriesOf(const LiveSnapshot& snapshot, std::vector<Sample> samples) {
  auto series = core::IntensitySeries::Create(snapshot.identity, std::move(samples));
  EBB_CHECK(series.has_value());
  return *std::move(series);
}

// Appends a stand-in after what is there.
void Append(Sample sample, std::vector<Sample>& samples) {
  if (!samples.empty())
    sample.interval.begin = std::max(sample.interval.begin, samples.back().interval.end);
  if (sample.interval.length() > Duration::zero()) samples.push_back(sample);
}

Error NothingKnown(const LiveSnapshot& snapshot, Time now, const OutageRules& rules) {
  Error error{ExitCode::kUnavailable, "no intensity is known for " + FormatTime(now),
              snapshot.identity.source, ""};
  if (!snapshot.asked_at) {
    error.what += ": the source has not answered yet";
  } else if (snapshot.failure) {
    error = *snapshot.failure;
  }
  if (const Sample* last = LastBefore(snapshot.known, now))
    error.what += "; the last value ended " + FormatDuration(now - last->interval.end) +
                  " ago, and none stands in after " + FormatDuration(rules.last_known_limit);
  return error;
}

std::string Ago(Duration age) { return FormatDuration(age) + " ago"; }

}  // namespace

std::string_view Name(Freshness freshness) {
  switch (freshness) {
    case Freshness::kFresh:
      return "fresh";
    case Freshness::kLastKnown:
      return "stale";
    case Freshness::kForecast:
      return "forecast";
    case Freshness::kMissing:
      return "missing";
  }
  return "";
}

SignalState StateAt(const LiveSnapshot& snapshot, Time now, const OutageRules& rules) {
  SignalState state;
  state.freshness = StandingAt(snapshot, now, rules).freshness;
  if (const Sample* last = LastBefore(snapshot.known, now))
    state.value_age = std::max<Duration>(now - last->interval.end, Duration::zero());
  if (snapshot.answered_at)
    state.answer_age = std::max<Duration>(now - *snapshot.answered_at, Duration::zero());
  return state;
}

Result<core::SignalView> ViewAt(const LiveSnapshot& snapshot, Time now, const OutageRules& rules) {
  const Standing standing = StandingAt(snapshot, now, rules);
  if (!standing.current && snapshot.failure) return Fail(NothingKnown(snapshot, now, rules));
  if (!standing.current && !snapshot.asked_at) return Fail(NothingKnown(snapshot, now, rules));
  core::SignalView view;
  view.now = now;
  const Time known_end = standing.current ? standing.current->interval.end : now;
  std::vector<Sample> known = snapshot.known.Slice({now - kKnownHistory, known_end}).samples();
  if (standing.current && standing.freshness != Freshness::kFresh) Append(*standing.current, known);
  view.known = SeriesOf(snapshot, std::move(known));
  const Interval ahead{known_end, Time::max()};
  const core::Forecast& forecast = snapshot.forecast;
  view.forecast = {forecast.issued, forecast.method, forecast.series.Slice(ahead),
                   forecast.p10.Slice(ahead), forecast.p90.Slice(ahead)};
  if (now >= forecast.issued + rules.forecast_limit) view.forecast = {now, "none", {}, {}, {}};
  return view;
}

core::IntensitySeries SettledOver(const LiveSnapshot& snapshot, Interval interval,
                                  const OutageRules& rules) {
  std::vector<Sample> samples = snapshot.known.Slice(interval).samples();
  const Sample* last = LastBefore(snapshot.known, interval.end);
  if (!last || last->interval.end >= interval.end) return SeriesOf(snapshot, std::move(samples));
  const Time held_end = std::min(last->interval.end + rules.last_known_limit, interval.end);
  const Interval held = Overlap({last->interval.end, held_end}, interval);
  if (held.length() > Duration::zero())
    Append({held, last->intensity, SampleStatus::kEstimated}, samples);
  const Time believed_end = std::min(snapshot.forecast.issued + rules.forecast_limit, interval.end);
  const Time after = std::max(held_end, interval.begin);
  if (after >= believed_end) return SeriesOf(snapshot, std::move(samples));
  const core::IntensitySeries expected = snapshot.forecast.series.Slice({after, believed_end});
  for (const Sample& sample : expected.samples()) Append(sample, samples);
  return SeriesOf(snapshot, std::move(samples));
}

std::string DescribeState(const LiveSnapshot& snapshot, Time now, const OutageRules& rules) {
  const SignalState state = StateAt(snapshot, now, rules);
  std::string text(Name(state.freshness));
  if (state.value_age && *state.value_age > Duration::zero())
    text += ", the last value ended " + Ago(*state.value_age);
  if (state.answer_age) text += " (" + snapshot.origin + " " + Ago(*state.answer_age) + ")";
  text += "; if it stops: last value up to " + FormatDuration(rules.last_known_limit);
  if (rules.forecast_limit > Duration::zero())
    text += ", then forecast up to " + FormatDuration(rules.forecast_limit);
  return text + ", then wait";
}

}  // namespace ebb::signals
